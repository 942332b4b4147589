/* Looks at a run in a process of its own, so that the screen answers while one is made, what it took
 * is given back whole, and a crash ends nothing but the look. */
#ifndef TOP_LOOK_H
#define TOP_LOOK_H

#include "top/view.h"

#include <sys/types.h>

/* Makes a view of the last `last_ns` of the run; NULL: no memory. `of` is the caller's. */
typedef struct top_view *top_looker(void *of, int64_t last_ns);

struct top_look {
	top_looker *looker;
	void *of;
	pid_t pid; /* 0: none is under way */
	int fd;    /* readable when there is something of it */
	char *bytes;
	size_t n, room;
};

/* 0 or -errno. */
int top_look_begin(struct top_look *look, int64_t last_ns);
/* Takes what there is. 1: *view is whole, the caller frees it; 0: it goes on; -errno: it failed. */
int top_look_take(struct top_look *look, struct top_view **view);
/* Ends it, if one is under way. */
void top_look_end(struct top_look *look);

/* The same in this process: messages meanwhile go into the view's message. */
struct top_view *top_look_now(top_looker *looker, void *of, int64_t last_ns);

#endif
