/* The options that keep a part of a run: ranks, devices, steps, time. Their rows, once, and what
 * they mean. */
#ifndef PART_OPTIONS_H
#define PART_OPTIONS_H

#include "cli/command.h"
#include "summary/reduction.h"

struct findings; /* conclude/findings.h */

/* clang-format off */
#define PART_STEP_HELP                                                                             \
	"only these steps, by the numbers of their markers, else by their places from 0"
#define PART_TIME_HELP                                                                             \
	"only steps that begin in these seconds since the run's first event: '60..120', '..30'"
#define PART_RANK_ROW {"rank", 0, OPTION_TEXT, "LIST", "only these ranks: '0,4-7'"}
#define PART_DEVICE_ROW                                                                            \
	{"device", 0, OPTION_TEXT, "NAME",                                                             \
	 "only this GPU: its key HOST/ID, its ordinal, or the beginning of its uuid; or all of HOST"}
/* clang-format on */

/* --step A or A..B; without it *given is false. An enum status. */
int part_steps_read(const struct invocation *call, bool *given, struct step_span *span);
/* --rank LIST: a list, or NULL. An enum status. */
int part_ranks_read(const struct invocation *call, const char *name, const char **list);
/* --time A..B, in seconds since the run's first event; without it *given is false. A status. */
int part_time_read(const struct invocation *call, bool *given, struct time_span *span);
/* --device NAME: a name, or NULL. An enum status. */
int part_device_read(const struct invocation *call, const char **name);
/* All of them, for a reduction: nothing is stored then. An enum status. */
int part_options_read(const struct invocation *call, struct reduce_options *options);
enum { PART_WORDS_BYTES = 400 };
/* A report of some ranks names none that makes them wait: that may be one of the others. Before
 * the findings are made, and after. */
void part_forget_late(const struct reduce_options *options, struct summary *summary);
void part_reword_wait(const struct reduce_options *options, struct findings *findings);
/* "rank 3, step 7..9" of a reduction; "": all of the run. */
void part_options_words(const struct reduce_options *options, char *words, size_t bytes);

#endif
