/* The ranges of one process as trees, and the launches inside of them. A launch belongs to every
 * range of its thread that holds its call wholly, as nsys projects ranges onto the GPU. */
#ifndef STATS_SPANS_H
#define STATS_SPANS_H

#include "stats/launched.h"

struct span {
	int64_t begin, end;
	uint32_t name; /* in the run's pool */
	uint32_t thread;
	uint32_t parent; /* 1 + index of the range that it was pushed in; 0: none */
	uint32_t level;  /* 0: not inside of another one */
	uint8_t category;
};

struct spans {
	struct span *at; /* by thread, then begin */
	size_t n, room;
};

/* `spans` and `list` are freed by the caller, also after an error. 0 or -errno. */
int spans_read(struct stats_file *file, struct spans *spans);

/* Sorts `list` by thread and call, and calls `visit` for each op with each range around it, the
 * outer ones first, and with SPAN_NONE for an op without any. Stops at the first value that is not
 * 0 and returns it. More than SPANS_OPEN ranges around one call are left out; *left_out counts
 * them. */
enum { SPANS_OPEN = 1024 };
#define SPAN_NONE ((size_t)-1)
typedef int spans_visit(size_t span, const struct launched *op, void *context);
int spans_walk(const struct spans *spans, struct launched_list *list, spans_visit *visit,
			   void *context, uint64_t *left_out);

/* Says how many ranges were left out, if any. */
void spans_say_left_out(struct stats_run *run, uint64_t left_out);

#endif
