#include "record_end.h"

#include "base/amount.h"
#include "base/diag.h"
#include "base/shell.h"
#include "cli/command.h"
#include "node.h"
#include "record/totals.h"
#include "stats_tables.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WAITS = 10, WAIT_US = 500000 };

static void say_salvaged(const struct salvage_result *salvaged)
{
	char slots[32], kernels[32];
	if (salvaged->files)
		diag("%u %s: %s records were taken from shared memory, %s kernels were still in flight",
			 salvaged->files,
			 salvaged->files == 1 ? "process ended without closing its trace"
								  : "processes ended without closing their traces",
			 amount_grouped(salvaged->slots, slots), amount_grouped(salvaged->in_flight, kernels));
}

static void say_nothing(const struct totals *totals)
{
	char processes[32];
	if (totals->unrecorded)
		diag("nothing recorded: %s %s used CUDA and could not be recorded (see above)",
			 amount_grouped(totals->unrecorded, processes),
			 totals->unrecorded == 1 ? "process" : "processes");
	else
		diag("nothing recorded: the job made no CUDA call");
}

static void say_unopened(const struct record_end *end, const struct totals *totals)
{
	char processes[32];
	diag("nothing recorded: %s (%s %s used CUDA)",
		 end->by_range ? "no process called cudaProfilerStart"
					   : "the job ended before the recording began",
		 amount_grouped(totals->processes, processes),
		 totals->processes == 1 ? "process" : "processes");
}

/* What a recording that is not of the whole job is of. */
static void window_words(const struct totals *totals, char *words, size_t room)
{
	char opened[32] = "", number[32], kept[32];
	words[0] = 0;
	if (totals->before_ns)
		snprintf(words, room, ", the last %s of %s", amount_duration(totals->kept_ns, kept),
				 amount_duration(totals->kept_ns + totals->before_ns, number));
	if (!totals->windows)
		return;
	if (totals->opened < totals->windows)
		snprintf(opened, sizeof(opened), " of %s of them", amount_grouped(totals->opened, number));
	bool is_long = totals->window_ns >= 1000000000;
	if (totals->window_ns)
		snprintf(words, room, ", a window of %.1f %s%s",
				 (double)totals->window_ns / (is_long ? 1e9 : 1e6), is_long ? "s" : "ms", opened);
	else
		snprintf(words, room, ", of a window%s", opened); /* they were all killed in it */
}

/* What the trace files cannot say themselves: the disk is still full. */
static void add_unsaved(const struct salvage_result *salvaged, struct totals *totals)
{
	char records[32];
	totals->dropped += salvaged->lost_launches;
	totals->dropped_others += salvaged->lost_others;
	if (salvaged->waiting)
		diag("%s records are still in %s: when they can be written, the next baton report of the "
			 "run adds them to its trace",
			 amount_grouped(salvaged->waiting, records), salvaged->waiting_in);
}

/* Tasks of one launch seldom end in the same instant. */
static int count(const struct record_end *end, struct totals *totals)
{
	int error = totals_count(end->directory, totals);
	for (int tries = 0; !error && tries < WAITS && end->waits && end->launch->size > 1; tries++) {
		if (!totals->incomplete)
			break;
		usleep(WAIT_US);
		error = totals_count(end->directory, totals);
	}
	return error;
}

/* The live files are those of this node. */
static bool is_under_way(const struct record_end *end, const struct totals *totals)
{
	return end->launch->size > 1 ? totals->incomplete > 0 : end->salvaged.running > 0;
}

enum record_left record_end_say(const struct record_end *end)
{
	struct totals totals;
	char processes[32], launches[32], dropped[32], bytes[32], running[64] = "", window[96];
	char number[32], others[64] = "";
	say_salvaged(&end->salvaged);
	if (end->launch->rank > 0)
		return RECORD_NOTHING;
	int error = count(end, &totals);
	totals_clear(end->directory);
	if (error) {
		diag("%s: %s", end->directory, strerror(-error));
		return RECORD_NOTHING;
	}
	if (totals.processes == 0) {
		say_nothing(&totals);
		return RECORD_NOTHING;
	}
	if (is_under_way(end, &totals))
		snprintf(running, sizeof(running), " (%s still recorded)",
				 amount_grouped(totals.incomplete, processes));
	if (totals.windows && !totals.opened) {
		say_unopened(end, &totals);
		return RECORD_NOTHING;
	}
	window_words(&totals, window, sizeof(window));
	add_unsaved(&end->salvaged, &totals);
	if (totals.dropped_others)
		snprintf(others, sizeof(others), " (and %s other records)",
				 amount_grouped(totals.dropped_others, number));
	diag("%s %s%s, %s launches, %s dropped%s, %s in %s%s        next: baton report %s",
		 amount_grouped(totals.processes, processes),
		 totals.processes == 1 ? "process" : "processes", running,
		 amount_grouped(totals.launches, launches), amount_grouped(totals.dropped, dropped), others,
		 amount_bytes(totals.bytes, bytes), end->shown, window, shell_word(end->shown).at);
	return is_under_way(end, &totals) ? RECORD_UNDER_WAY : RECORD_WHOLE;
}

/* Says what to do where processes still record. */
static bool is_whole(const struct record_end *end, enum record_left left, const char *command)
{
	if (left == RECORD_UNDER_WAY)
		diag("--%s: processes of the job still record; when they have ended: baton %s %s", command,
			 command, shell_word(end->shown).at);
	return left == RECORD_WHOLE;
}

void record_end_stats(const struct record_end *end, enum record_left left)
{
	char *const dirs[] = {(char *)end->shown};
	struct stats_tables tables = {.format = SHEET_TABLE, .ask = {.dirs = dirs, .n_dirs = 1}};
	if (!is_whole(end, left, "stats"))
		return;
	if (stats_tables_choose(&tables, STATS_TABLES_USUAL) == STATUS_OK)
		stats_tables_write(&tables);
	if (finish_stdout(STATUS_OK) != STATUS_OK && !freopen("/dev/null", "w", stdout))
		clearerr(stdout); /* it was said once, and the status is the job's */
}

void record_end_report(const struct record_end *end, enum record_left left)
{
	if (is_whole(end, left, "report"))
		node_report(end->shown);
}
