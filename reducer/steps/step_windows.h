/* Steps by periodicity in bounded memory: they are sought in one window of launches after the other
 * (steps/period.h). A window begins with a step that the one before found well before its end, and
 * has to find the same steps again from there, with as many launches of each kernel as those of the
 * first window. Where it does not it is made longer, and in the end all launches are needed at
 * once: also where something recurs that no window shows often enough to judge it (steps of which a
 * window has one or two look like steps of one layer each). */
#ifndef STEPS_STEP_WINDOWS_H
#define STEPS_STEP_WINDOWS_H

#include "steps/period_memo.h"
#include "steps/step_inputs.h"
#include "steps/updates.h"

#include <stdbool.h>

enum { STEP_WINDOW = 1 << 17 }; /* launches */

struct step_launches { /* of one process on a device, sorted by launch */
	struct launch_mark *marks;
	size_t n_marks;
	struct input_copies *inputs;
	const struct graph_launches *graphs;
};

struct rare_kernel {   /* one that is in less than half of the steps */
	uint32_t steps;    /* so many have it */
	uint32_t last;     /* 1 + the last one of them */
	uint32_t launches; /* in steps */
	bool early;        /* and some before the first step */
};

struct step_windows {
	struct period_memo *periods;
	struct update_names updates; /* set after step_windows_open() */
	uint32_t n_names;            /* symbols are below it */
	size_t least;                /* launches of a window that goes well */
	size_t window;               /* of the next one */
	int64_t *begins;             /* of the steps that are settled, with their inputs */
	size_t n, room;
	int64_t *expected; /* begins that the next window has to find, its own first */
	size_t n_expected;
	int64_t from_ns;          /* where the next window begins; INT64_MIN: at the first launch */
	uint32_t *usual;          /* by name: launches in a step of the first window */
	struct rare_kernel *rare; /* by name, of those with none */
	uint64_t launches;        /* in settled steps */
	uint32_t windows;         /* that went well */
	uint32_t others;          /* of them those whose steps do not update weights */
	/* launches of graphs that were known when the last window was sought, and the one before */
	size_t graphs_before, graphs_long_before;
};

/* Windows of `least` launches or more. The caller frees them with step_windows_close(). */
void step_windows_open(struct step_windows *w, struct period_memo *periods, uint32_t n_names,
					   size_t least);
void step_windows_close(struct step_windows *w);

/* Settles the steps of the next window and forgets what lies before them, once there are that many
 * launches: step_windows_go_on() may be called. Launches before from_ns come too late. */
static inline bool step_windows_full(const struct step_windows *w, size_t n_marks)
{
	return n_marks >= 2 * w->window;
}

/* 0, -ENOMEM, or -EAGAIN: these launches have to be sought all at once. */
int step_windows_go_on(struct step_windows *w, struct step_launches *launches);
/* The steps of all launches: settled ones and those of the rest. As period_find(), but with their
 * inputs. Where no window went before nothing is done: *n is 0. Otherwise as above. */
int step_windows_end(struct step_windows *w, struct step_launches *launches, int64_t **begins,
					 size_t *n);

#endif
