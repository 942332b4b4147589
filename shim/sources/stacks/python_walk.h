/* A walk over the calling thread's Python frames, the newest first. */
#ifndef SHIM_PYTHON_WALK_H
#define SHIM_PYTHON_WALK_H

#include "sources/stacks/python_layout.h"

struct walk {
	const uint8_t *frame; /* the next one to look at; NULL: none */
	const uint8_t *code;
	int64_t offset;
	bool last_of_loop;
	unsigned steps;
};

/* The newest frame of this thread. */
static inline bool walk_begin(struct walk *w)
{
	const struct layout *l = &python.layout;
	if (python.is_finalizing())
		return false;
	const uint8_t *at = python.thread_state();
	if (!plausible(at))
		return false;
	at = load_pointer(at + l->tstate_frame);
	if (l->cframe_frame >= 0)
		at = plausible(at) ? load_pointer(at + l->cframe_frame) : NULL;
	*w = (struct walk){.frame = at};
	return plausible(at);
}

/* Steps to the next frame that has begun to run. */
static inline bool walk_next(struct walk *w)
{
	const struct layout *l = &python.layout;
	for (; plausible(w->frame) && w->steps < STEPS; w->steps++) {
		const uint8_t *frame = w->frame;
		w->frame = load_pointer(frame + l->back);
		if (begins_loop(l, frame))
			continue;
		w->code = load_pointer(frame + l->code);
		if (!plausible(w->code))
			continue;
		if (l->lasti_bytes)
			w->offset = (int64_t)(int32_t)load32(frame + l->at) * l->lasti_bytes;
		else
			w->offset = load_pointer(frame + l->at) - w->code - l->instructions;
		if (w->offset < 0)
			continue;
		if (l->lasti_bytes)
			w->last_of_loop = true;
		else if (l->entry)
			w->last_of_loop = frame[l->entry] != 0;
		else
			w->last_of_loop = !plausible(w->frame) || begins_loop(l, w->frame);
		w->steps++;
		return true;
	}
	return false;
}

/* The first stack is read by the kernel, which does not fault. True: the layout is believed from now
 * on. False and still PYTHON_UNPROVEN: this thread runs no Python. */
bool python_prove(void);

static inline bool python_is_proven(void)
{
	int state = atomic_load_explicit(&python.state, memory_order_acquire);
	return SHIM_LIKELY(state == PYTHON_PROVEN) || (state == PYTHON_UNPROVEN && python_prove());
}

#endif
