/* Which ranges hold where a call begins: the innermost operator, the path of NVTX ranges and
 * annotations, the Python frames where a source has those as ranges. Equal ones are one context, by
 * number. Ranges and calls of a thread are told in order of begin. */
#ifndef ATTRIBUTE_CONTEXT_H
#define ATTRIBUTE_CONTEXT_H

#include "attribute/feed.h"
#include "base/intern.h"

enum {
	CONTEXT_NONE, /* no range at all */
	CONTEXT_REST, /* there are too many different ones */
	CONTEXTS_MOST = 1 << 16,
	PATH_REST = 1, /* a node: there are too many different paths */
	PATHS_MOST = 1 << 14,
	RANGES_DEEP = 1024 /* open at once; further ones are passed over */
};

struct context { /* the words of its tuple */
	uint32_t feed;
	uint32_t path;     /* node of the tree of paths, 0: none */
	uint32_t op;       /* names in the feed's trace, 0: none */
	uint32_t frame;    /* innermost Python frame of the project, else innermost */
	uint32_t inner;    /* innermost Python frame */
	uint32_t backward; /* 1: in a backward pass */
};

struct open_range {
	int64_t start, end;
	uint32_t name;
	uint32_t category;
};

struct context_thread {
	struct open_range *open; /* by begin, the outer first */
	uint32_t n_open;
	size_t room;
	int64_t next_end; /* the earliest of theirs */
	bool changed;     /* `context` is not theirs any more */
	uint32_t context;
};

struct contexts {
	struct feed *feeds;
	uint32_t n_feeds;
	struct context_thread **threads; /* per feed, by index in the trace */
	struct intern contexts;          /* struct context */
	struct intern paths;             /* node: parent, text; node 0 is the root */
	struct strings texts;            /* of nodes: names, the number at the end as "*" */
	uint32_t **folded;               /* per feed and name: its text; 0: not asked yet */
	uint8_t **origins;               /* per feed and name: enum origin + 1 of a Python frame */
};

int contexts_open(struct contexts *contexts, struct feed *feeds, uint32_t n);
void contexts_close(struct contexts *contexts);

/* The current range row of the feed begins. 0 or -ENOMEM. */
int contexts_range(struct contexts *contexts, uint32_t feed, uint32_t thread,
				   const struct open_range *range);
/* The context of a call of this thread that begins at `at`. 0 or -ENOMEM. */
int contexts_at(struct contexts *contexts, uint32_t feed, uint32_t thread, int64_t at,
				uint32_t *context);

static inline struct context contexts_get(const struct contexts *contexts, uint32_t number)
{
	struct context context;
	memcpy(&context, intern_tuple(&contexts->contexts, number), sizeof(context));
	return context;
}

/* "outer / inner", cut at its outer end to `room`. */
void contexts_path_text(const struct contexts *contexts, uint32_t node, char *out, size_t room);

#endif
