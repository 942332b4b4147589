/* All calls of a process, and which ops they launched: for a visit that follows another one at once. */
#ifndef ATTRIBUTE_KEPT_CALLS_H
#define ATTRIBUTE_KEPT_CALLS_H

#include "read/trace.h"

struct feed_call { /* a row of a call */
	int64_t start, end;
	uint64_t correlation;
	uint32_t name, thread; /* indexes in the trace */
	uint32_t stack;        /* id in the file; 0: none */
	uint32_t owner;        /* owners.h; 0: not known yet */
};

struct kept_call {
	int64_t start, end;
	uint32_t id; /* its correlation id - origin; 0: none */
	uint32_t name, thread;
	uint32_t owner; /* until its timeline has it the stack's id, then its owner */
};

/* All calls of a process, by number: in the order in which they come. The launch of an op is found
 * by its correlation id, for the ids in hand lie close together. For a visit that follows another
 * one at once, and that takes them once. */
struct kept_calls {
	size_t most; /* rows that it may keep, of which half may be launches */
	struct kept_call *at;
	uint64_t origin; /* of the ids; far below the first one */
	bool any_id;     /* it is set */
	bool far;        /* an id is too far from it, or there are too many calls */
	uint8_t *flags;  /* enum kept_flag */
	size_t room;
	uint32_t n;
	uint32_t next;        /* in this pass */
	uint32_t *of;         /* by correlation id - base: the number from 1, 0, or KEPT_NO_CALL */
	size_t of_room, span; /* ids */
	uint64_t base;
	bool twins; /* two rows of one launch are the same */
};

/* A visit by itself joins an op to one of the newest so many launches. What would need more is not
 * kept, so that both ways give the same. */
enum { KEPT_NEAR = 1 << 17 };
enum kept_flag { KEPT_LAUNCHED = 1, KEPT_PAGEABLE = 2 }; /* an op; a pageable copy */
#define KEPT_NO_CALL UINT32_MAX                          /* an op was met that has no call */

/* Begins anew, with room for so many. Of too many none is kept. 0 or -ENOMEM. */
int kept_calls_begin(struct kept_calls *kept, size_t rows);
/* Finds a place for each correlation id. False: they are too many, too far apart, or there is no
 * memory. */
bool kept_calls_place(struct kept_calls *kept, const struct trace_thread *threads);
void kept_calls_free(struct kept_calls *kept);

/* The id that stands for a correlation id. */
static inline uint32_t kept_calls_id(struct kept_calls *kept, uint64_t correlation)
{
	if (!correlation)
		return 0;
	if (!kept->any_id)
		kept->origin = correlation - (UINT64_C(1) << 31);
	kept->any_id = true;
	const uint64_t id = correlation - kept->origin;
	kept->far |= id == 0 || id > UINT32_MAX;
	return (uint32_t)id;
}

static inline uint64_t kept_calls_correlation(const struct kept_calls *kept,
											  const struct kept_call *call)
{
	return call->id ? kept->origin + call->id : 0;
}

/* The place of an id; NULL: it has none. */
static inline uint32_t *kept_calls_of(const struct kept_calls *kept, uint64_t correlation)
{
	const uint64_t at = correlation - kept->base;
	return at < kept->span ? &kept->of[at] : NULL;
}

/* Has an op been met that has this id? */
static inline bool kept_calls_have_run(const struct kept_calls *kept, uint64_t correlation)
{
	const uint32_t *of = kept_calls_of(kept, correlation);
	if (!of || !*of)
		return false;
	return *of == KEPT_NO_CALL || kept->flags[*of - 1] & KEPT_LAUNCHED;
}

#endif
