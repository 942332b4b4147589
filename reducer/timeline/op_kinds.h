/* The kinds of operation of a timeline with a row for each operation (docs/STRAGGLERS.md): their
 * names, whom they wait for, and how long they take in a job without stragglers. */
#ifndef TIMELINE_OP_KINDS_H
#define TIMELINE_OP_KINDS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of their names where the order of operations depends on it: backward first. */
enum op_kind {
	OP_BACKWARD,
	OP_FORWARD,
	OP_FORWARD_SEND,
	OP_FORWARD_RECV,
	OP_BACKWARD_SEND,
	OP_BACKWARD_RECV,
	OP_PARAMS_GATHER,
	OP_GRADS_SCATTER,
	OP_GC,
	OP_LAYERNORM,
	OP_EMBEDDING,
	OP_SEPARATE_GRADS,
	OP_CLIP,
	OP_OPTIMIZER,
	OP_KINDS
};

enum op_join { /* who has to have begun before any of them can end */
			   JOIN_NONE,
			   JOIN_PEER,   /* the sender and the receiver */
			   JOIN_DP,     /* the data-parallel ranks of a stage */
			   JOIN_STAGES, /* the stages of a data-parallel rank that have the operation */
			   JOIN_ALL     /* all workers */
};

struct op_kind_facts {
	const char *name;
	const char *other_names[3]; /* NULL: no more */
	enum op_join join;
	bool ideal_is_mean; /* of all durations of the kind; else their median */
	const char *group;  /* the name under which its slowdown is told */
};

extern const struct op_kind_facts op_kinds[OP_KINDS];

/* OP_KINDS: no such name. */
enum op_kind op_kind_find(const char *name, size_t bytes);

static inline bool op_kind_computes(enum op_kind kind)
{
	return kind == OP_BACKWARD || kind == OP_FORWARD;
}

#endif
