/* CPython inside (interpreter.c finds out), for the two that read it: python.c the calling thread's
 * own frames, python_outside.c those of another thread. */
#ifndef SHIM_PYTHON_LAYOUT_H
#define SHIM_PYTHON_LAYOUT_H

#include "base/guard.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where things are, per version; compiled from each version's headers, equal on x86-64 and aarch64
 * (both LP64). 0: this version has no such field. */
struct layout {
	uint16_t tstate_frame; /* in the thread state: the frame, or the C frame that holds it */
	int16_t cframe_frame;  /* in the C frame; -1: there is none */
	uint16_t back, code, at, owner, entry;     /* in a frame */
	uint16_t lasti_bytes;                      /* `at` is an i32 index of units of so many bytes */
	uint16_t first_line, version;              /* in a code object */
	uint16_t file, name, qualname, line_table; /* likewise */
	uint16_t instructions;                     /* likewise; frames point past it (`at`) */
	uint16_t ascii, wide;                      /* in a str: its characters when compact */
	uint16_t gil, native;                      /* in _PyRuntime (3.11) or the interpreter: its lock;
												  in the thread state: gettid() */
};

enum {
	OWNED_BY_C_STACK = 3, /* 3.12 on: not a Python frame but where a call of the loop begins */
	STEPS = 512,          /* of a walk, frames that have not begun to run among them */
	OBJECT_TYPE = 8,      /* in any object */
	OBJECT_SIZE = 16,     /* in bytes: its size, in a str: its length */
	STR_HASH = 24,
	STR_STATE = 32,
	BYTES_DATA = 32,
};

/* How much of a frame and of a code object there is to be read. A layout that says more is not
 * believed (interpreter.c). */
enum { FRAME_BYTES = 128, CODE_BYTES = 256 };

enum python_state { PYTHON_ABSENT, PYTHON_UNPROVEN, PYTHON_PROVEN, PYTHON_OFF };

struct python {
	_Atomic int state;
	_Atomic int opening;
	struct layout layout;
	uint32_t version; /* PY_VERSION_HEX */
	void *(*thread_state)(void);
	int (*is_finalizing)(void);
	const void *code_type, *str_type, *bytes_type;
	const void *loop;
	size_t loop_bytes;
	_Atomic(const char *) why_off;
	_Atomic uint32_t owner_at; /* where a thread state has its thread's pthread_t; 0: not known */
};
extern SHIM_HIDDEN struct python python;

static inline uint64_t load64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, 8);
	return value;
}

static inline uint32_t load32(const uint8_t *at)
{
	uint32_t value;
	memcpy(&value, at, 4);
	return value;
}

static inline const uint8_t *load_pointer(const uint8_t *at)
{
	return (const uint8_t *)(uintptr_t)load64(at);
}

static inline bool plausible(const void *pointer)
{
	/* at or above 64 KiB and a multiple of 8, in one comparison: the launch path asks it twice for
	 * each frame */
	uint64_t p = (uintptr_t)pointer, least = 65536 / 8;
	return (p >> 3 | p << 61) - least < ((uint64_t)1 << 61) - least;
}

static inline bool begins_loop(const struct layout *l, const uint8_t *frame)
{
	return l->owner && frame[l->owner] == OWNED_BY_C_STACK;
}

#endif
