/* Which code launched the work of a device. Every distinct (call stack, call name, ranges around
 * it) that made a call is an owner with a number; the cost of its launches adds up under it
 * (docs/ATTRIBUTION.md section 8). Ranges and calls must be passed in order of begin. Memory is
 * bounded. The owner of an instant of idle time (gap.c, host.h) is something else: a thread. */
#ifndef ATTRIBUTE_OWNERS_H
#define ATTRIBUTE_OWNERS_H

#include "attribute/context.h"
#include "attribute/opstream.h"
#include "base/saturate.h"
#include "summary/leaf.h"
#include "summary/summary.h"

enum {
	OWNER_NONE, /* the op has no launch record */
	OWNER_REST, /* stands for all owners beyond OWNERS_MOST */
	OWNERS_MOST = 1 << 17,
	STALLS_MOST = 1 << 17
};

struct owner { /* the words of its tuple in `owners` */
	uint32_t feed;
	uint32_t stack; /* id in the file; 0: none */
	uint32_t call;  /* name in the feed's trace */
	uint32_t context;
	uint32_t nccl; /* 1: only the cost of its NCCL kernels */
};

struct owner_thread { /* what the thread's last call had */
	uint32_t stack, call, context, owner;
};

struct stall { /* idle time that one line of code explains */
	int64_t ns;
	uint64_t count, last_gap;
};

struct owners {
	struct contexts contexts;
	struct intern owners; /* struct owner */
	struct site_sums *sums;
	size_t sums_room;
	struct owner_thread **threads; /* per feed */
	/* leaf, owner, whether the line is that of the launch after the idle time */
	struct intern stall_keys;
	struct stall *stalls;
	size_t stalls_room;
};

int owners_open(struct owners *owners, struct feed *feeds, uint32_t n);
void owners_close(struct owners *owners);

/* The part of owners_call() for a call that has another owner than its thread's last one; `last`
 * has all of it but the number. */
int owners_change(struct owners *owners, uint32_t feed, struct owner_thread *last);

/* *owner: the owner of a call. 0 or -ENOMEM. */
static inline int owners_call(struct owners *owners, uint32_t feed, uint32_t thread, int64_t start,
							  uint32_t stack, uint32_t call, uint32_t *owner)
{
	struct owner_thread *last = &owners->threads[feed][thread];
	uint32_t context;
	int error = contexts_at(&owners->contexts, feed, thread, start, &context);
	if (!last->owner || last->stack != stack || last->call != call || last->context != context) {
		*last = (struct owner_thread){.stack = stack, .call = call, .context = context};
		error = error ? error : owners_change(owners, feed, last);
	}
	*owner = last->owner;
	return error;
}
/* *owner: the owner of a stack without a context; OWNER_NONE for stack 0. 0 or -ENOMEM. */
int owners_stack(struct owners *owners, uint32_t feed, uint32_t stack, uint32_t *owner);

/* Adds the cost of a launch that has one op to its owner. */
static inline void owners_add_launch(struct owners *owners, uint32_t number, enum group group,
									 int64_t gpu_ns, int64_t launch_ns)
{
	struct site_sums *sums = &owners->sums[number];
	sums->gpu_ns[group] = saturate_add(sums->gpu_ns[group], gpu_ns);
	sums->launches++;
	sums->launch_ns = saturate_add(sums->launch_ns, launch_ns);
}

/* Adds the cost of an op of a counted step. 0 or -ENOMEM. */
int owners_add_op(struct owners *owners, const struct op *op);
/* Is idle time of this leaf put down to owners? */
static inline bool owners_have_leaf(enum leaf leaf)
{
	return (LEAF_BIT(leaf) & (LEAVES_CPU | LEAVES_HOST)) != 0;
}

/* Adds a piece of idle time within the windows. `k`: the op that ends the gap; `seen`: the owner of
 * the row that explains the piece, 0: unknown; `gap`: the gap's number, from 1. 0 or -ENOMEM. */
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
