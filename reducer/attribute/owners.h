/* Who launched the work of a device: every (call stack, call name, ranges around it) that made a
 * call is an owner, by number, and what its launches cost adds up there (docs/ATTRIBUTION.md
 * section 8). Told of ranges and calls in order of begin; bounded, whatever the trace. The owner of
 * an instant of idle time (gap.c, host.h) is something else: a thread. */
#ifndef ATTRIBUTE_OWNERS_H
#define ATTRIBUTE_OWNERS_H

#include "attribute/context.h"
#include "attribute/opstream.h"
#include "summary/leaf.h"
#include "summary/summary.h"

enum {
	OWNER_NONE, /* no launch record */
	OWNER_REST, /* there are too many different ones */
	OWNERS_MOST = 1 << 17,
	STALLS_MOST = 1 << 17
};

struct owner { /* the words of its tuple */
	uint32_t feed;
	uint32_t stack; /* id in the file, 0: none */
	uint32_t call;  /* name in the feed's trace */
	uint32_t context;
	uint32_t nccl; /* 1: what its NCCL kernels cost */
};

struct owner_thread { /* the last call's */
	uint32_t stack, call, context, owner;
};

struct stall { /* idle time that a line explains */
	int64_t ns;
	uint64_t count, last_gap;
};

struct owners {
	struct contexts contexts;
	struct intern owners; /* struct owner */
	struct site_sums *sums;
	size_t sums_room;
	struct owner_thread **threads; /* per feed */
	struct intern stall_keys;      /* leaf, owner, before */
	struct stall *stalls;
	size_t stalls_room;
};

int owners_open(struct owners *owners, struct feed *feeds, uint32_t n);
void owners_close(struct owners *owners);

/* The owner of a call. 0 or -ENOMEM. */
int owners_call(struct owners *owners, uint32_t feed, uint32_t thread, int64_t start,
				uint32_t stack, uint32_t call, uint32_t *owner);
/* The owner of a stack without a context; 0: none. 0 or -ENOMEM. */
int owners_stack(struct owners *owners, uint32_t feed, uint32_t stack, uint32_t *owner);

/* An op of a counted step. 0 or -ENOMEM. */
int owners_add_op(struct owners *owners, const struct op *op);
/* A piece of a gap of the windows that op `k` ends; `seen`: the owner of the row that explains
 * it, 0 unknown. `gap`: its number, from 1. 0 or -ENOMEM. */
int owners_add_idle(struct owners *owners, const struct op *k, enum leaf leaf, uint32_t seen,
					int64_t ns, uint64_t gap);

/* Does the owner name a place in the code? */
bool owners_have_place(const struct owners *owners, uint32_t number);

static inline struct owner owners_get(const struct owners *owners, uint32_t number)
{
	struct owner owner;
	memcpy(&owner, intern_tuple(&owners->owners, number), sizeof(owner));
	return owner;
}

#endif
