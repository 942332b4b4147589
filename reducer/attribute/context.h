/* The ranges that are open where a call begins: the innermost operator, the path of NVTX ranges and
 * annotations, and the Python frames where a source records those as ranges. Each distinct
 * combination is one numbered context. The ranges and calls of a thread must be passed in order of
 * begin. */
#ifndef ATTRIBUTE_CONTEXT_H
#define ATTRIBUTE_CONTEXT_H

#include "attribute/feed.h"
#include "base/intern.h"

enum {
	CONTEXT_NONE, /* no range is open */
	CONTEXT_REST, /* stands for all contexts beyond CONTEXTS_MOST */
	CONTEXTS_MOST = 1 << 16,
	PATH_REST = 1, /* the node that stands for all paths beyond PATHS_MOST */
	PATHS_MOST = 1 << 14,
	RANGES_DEEP = 1024 /* open at once in a thread; deeper ranges are ignored */
};

struct context { /* the words of its tuple in `contexts` */
	uint32_t feed;
	uint32_t path; /* node of the tree of paths; 0: none */
	/* the innermost operator: name in the feed's trace, 0: none. Likewise `frame` and `inner` */
	uint32_t op;
	uint32_t frame; /* the innermost Python frame of the project, else the innermost one */
	uint32_t inner; /* the innermost Python frame */
	/* in a backward pass: name of the innermost range of autograd's engine around, which says the
	 * operator's node; 0: in none */
	uint32_t backward;
	/* The innermost operator, or range that tells inputs, and these: name and index in the feed's
	 * trace. 0 where no range of the trace tells any */
	uint32_t shaped, inputs;
};

struct open_range {
	int64_t start, end;
	uint32_t name;
	uint32_t category;
	uint32_t inputs; /* index in the feed's trace; 0: not told */
};

struct context_thread {
	struct open_range *open; /* by begin, the outermost first */
	uint32_t n_open;
	size_t room;
	int64_t next_end; /* the earliest end among the open ranges */
	bool changed;     /* `open` changed since `context` was computed */
	uint32_t context;
	uint32_t path;   /* of `context`, where it was computed */
	uint32_t caller; /* the thread for which this one runs backward passes; 0: none */
	uint32_t base;   /* its path, within which this one's ranges are */
};

struct contexts {
	struct feed *feeds;
	uint32_t n_feeds;
	struct context_thread **threads; /* per feed, by thread index in the trace */
	struct intern contexts;          /* struct context */
	struct intern paths;             /* node: parent, text; node 0 is the root */
	/* texts of the nodes: range names with a trailing number replaced by "*" */
	struct strings texts;
	uint32_t **folded; /* per feed and name: its text; 0: not computed yet */
	/* per feed and name of a Python frame: enum origin + 1; 0: not computed yet */
	uint8_t **origins;
};

int contexts_open(struct contexts *contexts, struct feed *feeds, uint32_t n);
void contexts_close(struct contexts *contexts);

/* Opens a range of this thread. 0 or -ENOMEM. */
int contexts_range(struct contexts *contexts, uint32_t feed, uint32_t thread,
				   const struct open_range *range);
/* The part of contexts_at() for calls before which ranges began or ended. */
int contexts_change(struct contexts *contexts, uint32_t feed, uint32_t thread, int64_t at);

/* *context: the context of a call of this thread that begins at `at`. 0 or -ENOMEM. */
static inline int contexts_at(struct contexts *contexts, uint32_t feed, uint32_t thread, int64_t at,
							  uint32_t *context)
{
	const struct context_thread *t = &contexts->threads[feed][thread];
	int error = 0;
	if (t->changed || t->caller || (t->n_open && t->next_end <= at))
		error = contexts_change(contexts, feed, thread, at);
	*context = t->context;
	return error;
}

static inline struct context contexts_get(const struct contexts *contexts, uint32_t number)
{
	struct context context;
	memcpy(&context, intern_tuple(&contexts->contexts, number), sizeof(context));
	return context;
}

/* "AddmmBackward0": what a range of autograd's engine runs. NULL: the name is none of those. */
const char *context_node(const char *name);

/* Writes the path that ends at `node` as "outer / inner". A path longer than `room` bytes loses its
 * outer levels. */
void contexts_path_text(const struct contexts *contexts, uint32_t node, char *out, size_t room);

#endif
