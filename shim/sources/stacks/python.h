/* The border to CPython 3.8 to 3.13: the calling thread's own Python frames, read without the GIL,
 * without a call into the interpreter that could run anything, without a reference taken.
 *
 * Why that is safe: the thread is inside native code called from its newest frame, so nobody else
 * pops or changes its chain of frames, and every frame keeps its code object alive. Other threads'
 * chains, signal handlers and an interpreter that finalises are not covered: no walk there. */
#ifndef SHIM_PYTHON_H
#define SHIM_PYTHON_H

#include "sources/stacks/python_code.h"

#include <baton/format.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The frames for a stack record, innermost first; their code objects are interned. last_of_loop[i]: the
 * outermost frame that one call of the interpreter's loop runs. `text` is room to work in. */
unsigned python_frames(struct baton_frame frames[PYTHON_FRAMES], bool last_of_loop[PYTHON_FRAMES],
					   char text[PYTHON_TEXT_BYTES]);

#endif
