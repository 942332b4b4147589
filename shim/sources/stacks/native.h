/* Native frames of the calling thread, by libunwind. It is opened privately and never linked: it
 * exports the whole _Unwind_* family, and C++ exceptions of the job would go through it. */
#ifndef SHIM_NATIVE_H
#define SHIM_NATIVE_H

#include "sources/stacks/modules.h"

#include <baton/format.h>
#include <stdbool.h>
#include <stddef.h>

enum { NATIVE_FRAMES = 128 };

enum native_role {
	NATIVE_OTHER,
	NATIVE_SHIM,        /* this library */
	NATIVE_INTERPRETER, /* in the same segment as the interpreter's loop */
	NATIVE_LOOP         /* the loop itself: Python frames stand in its place */
};

/* Opens the unwinder once: beside this library, else where the system has it. */
void native_open(void);
bool native_ready(void);
const char *native_why_off(void);

/* Return addresses, innermost first. No allocation and no lock once this thread has walked before;
 * about 10 ns a frame then. */
unsigned native_walk(void *addresses[NATIVE_FRAMES]);

/* The frames of a stack record and what each is. `loop`: the interpreter's, NULL none. */
void native_frames(void *const addresses[], unsigned n, const void *loop, size_t loop_bytes,
				   struct module_place places[NATIVE_FRAMES],
				   struct baton_frame frames[NATIVE_FRAMES], uint8_t roles[NATIVE_FRAMES]);

#endif
