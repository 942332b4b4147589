/* Fills views of steps with what a walk (export/walk.h) hands out. */
#ifndef PAGE_STEP_WALK_H
#define PAGE_STEP_WALK_H

#include "page/step_view.h"
#include "summary/summary.h"

enum { NAMES_WORK, NAMES_HOST, NAMES_KINDS };

struct event_names {
	struct view_names of[NAMES_KINDS];
	const struct summary *summary; /* whose kernels have groups */
	uint8_t *group_leaf;           /* by id of the summary's texts; LEAF_COUNT: no kernel */
};

int event_names_open(struct event_names *names, const struct summary *summary); /* 0 or -ENOMEM */
void event_names_close(struct event_names *names);

/* The order of step_view.nccl. */
int view_nccl_order(const void *a, const void *b);

/* Walks the windows of the scene; what falls into the step goes into the cells, and events of the
 * view's processes into their tracks. 0 or -errno. */
int step_walk(struct scene *scene, struct step_view *view, struct event_names *names);

#endif
