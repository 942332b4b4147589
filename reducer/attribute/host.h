/* What a thread was doing while the GPU was idle, instant by instant (docs/ATTRIBUTION.md section
 * 4.3). */
#ifndef ATTRIBUTE_HOST_H
#define ATTRIBUTE_HOST_H

#include "attribute/hand_off.h"
#include "attribute/opstream.h"
#include "summary/leaf.h"

#define HOST_CODE_STRETCH_NS 1000000

struct piece_payer { /* the synchronising call that pays for a piece */
	bool any;
	int64_t returned;
	uint32_t feed, name, owner;
};

struct piece { /* a stretch of idle time in one leaf, and the row that explains it */
	int64_t from, to;
	enum leaf leaf;
	uint32_t feed;  /* the feed that `name` is from */
	uint32_t name;  /* index in that feed's trace; 0: unknown */
	uint32_t owner; /* from the row that shows where in the code; 0: unknown */
	bool unsampled; /* host code that the sampler missed */
	bool follows;   /* the thread slept, and may have waited for another one */
	struct piece_payer payer;
};

/* What a piece is charged to: the synchronising call that pays for it, else the row that explains
 * it. */
static inline struct piece piece_cause(const struct piece *piece)
{
	struct piece cause = *piece;
	if (piece->payer.any) {
		cause.feed = piece->payer.feed;
		cause.name = piece->payer.name;
		cause.owner = piece->payer.owner;
	}
	return cause;
}

struct pieces {
	struct piece *at;
	size_t n, room;
};

/* Adds `piece` unless it is empty. 0 or -ENOMEM. */
int pieces_add(struct pieces *pieces, const struct piece *piece);

struct host_mark;
struct host_scratch { /* reused from gap to gap */
	struct host_mark *marks;
	size_t n_marks, marks_room;
	const struct host_rec **stack; /* open ranges, innermost last */
	size_t n_stack, stack_room;
};
void host_scratch_free(struct host_scratch *scratch);

struct host_span {
	/* What to explain, at least one; both timelines have advanced to the launch. */
	const struct host_part *parts;
	size_t n_parts;
	struct host_part gap; /* the whole gap: names are those of the ranges that cover most of it */
	int64_t launch;       /* Ls of the op that ends the gap; a stretch of host code ends there */
	uint32_t feed;        /* the owner's */
	bool sampled;         /* its process has rows for silent threads */
	const struct timeline *owner;
	const struct timeline *common; /* thread 0 of the owner's process */
	const struct opstream *stream;
};

/* Adds pieces that cover the parts exactly, in order of time. 0 or -ENOMEM. */
int host_explain(const struct host_span *span, struct host_scratch *scratch, struct pieces *out);

#endif
