/* The options that every command takes which reduces runs: their rows, once, and what they mean. */
#ifndef REDUCE_OPTIONS_H
#define REDUCE_OPTIONS_H

#include "cli/command.h"
#include "summary/reduction.h"

/* clang-format off */
#define REDUCE_OPTION_ROWS                                                                         \
	{"steps", 0, OPTION_TEXT, "MODE", "'period': find steps by periodicity instead of markers; 'none': the whole run as one"},   \
	{"step-range", 0, OPTION_TEXT, "NAME", "steps are the ranges with this name: NAME, GLOB or /REGEX/"},                 \
	{"taxonomy", 0, OPTION_TEXT, "NAME", "'seed': the four groups of the nvprof study"}
/* Those of commands that read summaries, and reduce when there is none. */
#define VIEW_OPTION_ROWS                                                                           \
	REDUCE_OPTION_ROWS,                                                                            \
	{"classes", 0, OPTION_TEXT, "FILE",                                                            \
	 "your own classes of kernels, calls, ranges and frames, tried first: lines 'REGEX CLASS'"},                                 \
	{"fresh", 0, OPTION_FLAG, NULL, "reduce again even when a stored summary is up to date"}
/* What the words of these options are, and for the man pages of the commands that have them. */
#define REDUCE_CHOICE_ROWS {"steps", "period none"}, {"taxonomy", "seed"}
/* clang-format on */
/* The files that they read, and what the environment changes in those that print text. */
extern const struct named_text run_files[], view_environment[];

/* From REDUCE_OPTION_ROWS; with `view`, from VIEW_OPTION_ROWS. An enum status: STATUS_USAGE when a
 * value makes no sense (said with diag()). */
int reduce_options_read(const struct invocation *call, bool view, struct reduce_options *options);
/* Only --steps and --step-range; the other options stay as they are. */
int reduce_options_steps(const struct invocation *call, struct reduce_options *options);
/* One text per set of options that change the numbers: every field with its length, so that no two
 * sets give the same. */
void reduce_options_text(const struct reduce_options *options, char *text, size_t bytes);

#endif
