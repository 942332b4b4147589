/* The part of a run that views of single rows show: --rank, --device, --step, --time. */
#ifndef ROWS_PART_H
#define ROWS_PART_H

#include "cli/command.h"
#include "stats/events.h"
#include "summary/reduction.h"

struct rows_ask {
	char *const *dirs; /* of the run; the call's operands */
	size_t n_dirs;
	const char *ranks, *device; /* NULL: all */
	bool by_step, by_time;
	struct step_span steps;
	struct time_span time;
	const struct reduce_options *how; /* how steps are found; NULL: as by default */
};

#define ROWS_STEP_ROW                                                                              \
	{                                                                                              \
		"step", 0, OPTION_TEXT, "A[..B]",                                                          \
			"only what begins between the launch of step A and the end of the work of step B, by " \
			"the "                                                                                 \
			"numbers of their markers, else by their places from 0"                                \
	}
#define ROWS_TIME_ROW                                                                           \
	{                                                                                           \
		"time", 0, OPTION_TEXT, "A..B",                                                         \
			"only what begins in these seconds since the run's first event: '1.5..2', '..0.25'" \
	}

/* An enum status; says what is wrong. */
int rows_ask_read(const struct invocation *call, struct rows_ask *ask);
/* Is only a part of the run asked for? */
bool rows_ask_is_part(const struct rows_ask *ask);
/* Shows rows of an open run: those of run->part. An enum status. */
typedef int rows_view(struct stats_run *run, const void *context);
/* Opens the run and calls `view` with the part of it that is asked for. An enum status; says what is
 * wrong. */
int rows_part_view(const struct rows_ask *ask, rows_view *view, const void *context);

#endif
