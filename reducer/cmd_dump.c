/* baton dump: trace and summary files as text. */
#include "base/diag.h"
#include "base/progress.h"
#include "base/rank_list.h"
#include "cli/pager.h"
#include "base/plain.h"
#include "commands.h"
#include "part_options.h"
#include "rows_part.h"
#include "read/dump.h"
#include "read/paths.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/json.h"
#include "stacks/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
	{"idle", 0, OPTION_FLAG, NULL,
	 "every piece of idle time of a run instead: device, from_ns, to_ns, leaf, what stands behind "
	 "it"},
	{"step-list", 0, OPTION_FLAG, NULL,
	 "every counted step of a run instead: device, its place, its marker's number, from and to "
	 "when "
	 "launches are its own, and its window"},
	{"step-range", 0, OPTION_TEXT, "NAME",
	 "with --idle and --step-list: steps are the ranges with this name: NAME, GLOB or /REGEX/"},
	{"steps", 0, OPTION_TEXT, "MODE",
	 "with --idle and --step-list: 'period': find steps by periodicity instead of markers; 'none': "
	 "the whole run as one"},
	{"stacks", 0, OPTION_FLAG, NULL,
	 "every call stack instead, folded (\"outermost;...;innermost\"), and how many calls carry it"},
	PART_RANK_ROW,
	{"device", 0, OPTION_TEXT, "NAME",
	 "only this GPU: its key HOST/ID, its ordinal, or the beginning of its uuid; or all of HOST. "
	 "Of "
	 "rows on streams only its own, and all other rows of the processes that drive it"},
	ROWS_STEP_ROW,
	ROWS_TIME_ROW,
	{"json", 0, OPTION_FLAG, NULL, "one JSON object per line (docs/FORMAT.md section 5)"},
	{0},
};

static int dump_one(const char *path, bool json, const struct dump_window *window)
{
	struct dump_result result;
	dump_part(path, json, window, &result);
	if (result.error) {
		diag("%s: %s", path, strerror(-result.error));
		return STATUS_INPUT;
	}
	if (result.verdict == DUMP_UNREADABLE) {
		diag_at(path, 0, "not a baton file (magic, version or header checksum is wrong)");
		return STATUS_INPUT;
	}
	if (result.verdict == DUMP_OK)
		return STATUS_OK;
	diag_at(path, result.first_damage_offset, "%s; %llu blocks read, %llu places damaged",
			result.first_damage, (unsigned long long)result.blocks,
			(unsigned long long)result.damages);
	return STATUS_PARTIAL;
}

static void print_idle(const struct idle_piece *piece, void *context)
{
	const bool *json = context;
	if (!*json) {
		plain_put(piece->device, stdout);
		printf("\t%" PRId64 "\t%" PRId64 "\t%s\t", piece->from_ns, piece->to_ns,
			   leaf_name(piece->leaf));
		plain_put(piece->evidence, stdout);
		putchar('\n');
		return;
	}
	struct json out = {.out = stdout};
	json_object(&out, NULL);
	json_text(&out, "device", piece->device);
	json_number(&out, "from_ns", piece->from_ns);
	json_number(&out, "to_ns", piece->to_ns);
	json_text(&out, "leaf", leaf_name(piece->leaf));
	json_text(&out, "evidence", piece->evidence);
	json_end_object(&out);
	putchar('\n');
}

static void print_step(const struct step_place *step, void *context)
{
	const bool *json = context;
	if (!*json) {
		plain_put(step->device, stdout);
		printf("\t%" PRId32 "\t", step->step);
		if (step->number >= 0)
			printf("%" PRId64, step->number);
		printf("\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", step->begin_ns,
			   step->end_ns, step->window_from, step->window_to);
		return;
	}
	struct json out = {.out = stdout};
	json_object(&out, NULL);
	json_text(&out, "device", step->device);
	json_number(&out, "step", step->step);
	json_known(&out, "number", step->number);
	json_number(&out, "begin_ns", step->begin_ns);
	json_number(&out, "end_ns", step->end_ns);
	json_number(&out, "window_from_ns", step->window_from);
	json_number(&out, "window_to_ns", step->window_to);
	json_end_object(&out);
	putchar('\n');
}

/* The directories are one run, as for `report`. */
static int dump_reduced(const struct invocation *call)
{
	bool json = option_given(call, "json");
	struct reduction reduction;
	struct reduce_options reduce = {.idle_context = &json, .step_context = &json};
	if (option_given(call, "idle"))
		reduce.idle = print_idle;
	else
		reduce.step = print_step;
	int status = reduce_options_steps(call, &reduce);
	if (status == STATUS_OK)
		status = part_options_read(call, &reduce);
	if (status != STATUS_OK)
		return status;
	status = reduce_run(call->operand, (size_t)call->operands, &reduce, &reduction);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		reduction_free(&reduction);
	return status;
}

static void print_folded(const struct folded *folded, bool json)
{
	struct json out = {.out = stdout};
	for (size_t i = 0; i < folded->n && !ferror(stdout); i++) {
		const char *text = strings_get(&folded->pool, folded->lines[i].text).at;
		uint64_t calls = folded->lines[i].calls;
		if (!json) {
			plain_put(text, stdout);
			printf(" %" PRIu64 "\n", calls);
			continue;
		}
		json_object(&out, NULL);
		json_text(&out, "stack", text);
		json_number(&out, "calls", (int64_t)calls);
		json_end_object(&out);
		putchar('\n');
		out.comma = false;
	}
}

static int fold_one(struct folded *folded, const char *path, struct damage_log *log)
{
	struct trace trace;
	int error = trace_open(&trace, path, log);
	if (error == -EBADMSG)
		diag_at(path, 0, "not a baton trace (magic, version or header checksum is wrong)");
	else if (error)
		diag("%s: %s", path, strerror(-error));
	if (error)
		return STATUS_INPUT;
	error = folded_add(folded, &trace);
	if (error)
		diag("%s: %s", path, strerror(-error));
	bool damaged = trace.damage > 0;
	trace_close(&trace);
	return error ? STATUS_INPUT : damaged ? STATUS_PARTIAL : STATUS_OK;
}

static int dump_stacks(const struct paths *paths, bool json)
{
	struct folded folded = {0};
	struct damage_log *log = NULL;
	int status = STATUS_OK, usable = 0;
	if (damage_log_open(&log) != 0 || folded_open(&folded) != 0) {
		diag("out of memory");
		damage_log_close(log);
		return STATUS_INPUT;
	}
	for (size_t i = 0; i < paths->n; i++) {
		int one = fold_one(&folded, paths->at[i], log);
		usable += one != STATUS_INPUT;
		status = status_worse(status, one);
	}
	folded_sort(&folded);
	print_folded(&folded, json);
	folded_close(&folded);
	damage_log_close(log);
	return status == STATUS_INPUT && usable ? STATUS_PARTIAL : status;
}

static int dump_files(const struct paths *paths, bool json)
{
	int status = STATUS_OK, usable = 0;
	for (size_t i = 0; i < paths->n && !ferror(stdout); i++) {
		int one = dump_one(paths->at[i], json, NULL);
		usable += one != STATUS_INPUT;
		status = status_worse(status, one);
	}
	return status == STATUS_INPUT && usable ? STATUS_PARTIAL : status;
}

static int dump_window(const struct stats_run *stats, size_t i, const struct dump_window *window,
					   bool json)
{
	const struct run_process *process = &stats->run->processes[i];
	return window->from_ns < window->to_ns ? dump_one(process->path, json, window) : STATUS_OK;
}

/* Of the rows on streams only those of devices that are wanted. */
static int dump_devices(struct stats_run *stats, size_t i, struct dump_window *window, bool json)
{
	struct stats_file file;
	int status = STATUS_INPUT;
	const int error = stats_file_open(stats, i, &file);
	if (error) {
		diag("%s: %s", stats->run->processes[i].path, strerror(error == -EBADMSG ? EIO : -error));
		return STATUS_PARTIAL;
	}
	bool *streams = calloc(file.trace.n_streams + 1, sizeof(*streams));
	for (uint32_t s = 1; streams && s < file.trace.n_streams; s++)
		streams[s] = file.devices[file.trace.streams[s].device];
	window->stream_ids = &file.trace.stream_ids;
	window->streams = streams;
	if (streams)
		status = dump_window(stats, i, window, json);
	else
		diag("%s", strerror(ENOMEM));
	free(streams);
	stats_file_close(&file);
	return status;
}

/* The rows of a part of a run. The operands are its directories. */
static int dump_processes(struct stats_run *stats, const void *context)
{
	const struct stats_part *part = &stats->part;
	const bool json = *(const bool *)context;
	int status = STATUS_OK;
	for (size_t i = 0; i < stats->run->n_processes && !ferror(stdout); i++) {
		struct dump_window window = {INT64_MIN, INT64_MAX, NULL, NULL};
		if (part->from_ns)
			window = (struct dump_window){part->from_ns[i], part->to_ns[i], NULL, NULL};
		if (!stats_process_counts(stats, i))
			continue;
		status = status_worse(status, part->devices ? dump_devices(stats, i, &window, json)
													: dump_window(stats, i, &window, json));
	}
	return status;
}

/* What options choose no part of: said. */
static int refuse_parts(const struct invocation *call, const struct rows_ask *ask)
{
	if (!option_given(call, "stacks") || !rows_ask_is_part(ask))
		return STATUS_OK;
	diag("--stacks counts whole files: without --rank, --device, --step and --time");
	return STATUS_USAGE;
}

static int run(const struct invocation *call)
{
	bool json = option_given(call, "json"), stacks = option_given(call, "stacks");
	struct rows_ask ask;
	if (rows_ask_read(call, &ask) != STATUS_OK || refuse_parts(call, &ask) != STATUS_OK)
		return STATUS_USAGE;
	if (isatty(STDOUT_FILENO))
		progress_silence(); /* rows are printed while files are read */
	pager_begin();
	if (option_given(call, "idle") || option_given(call, "step-list"))
		return dump_reduced(call);
	if (rows_ask_is_part(&ask))
		return rows_part_view(&ask, dump_processes, &json);
	struct paths paths = {0};
	int status = STATUS_OK, usable = 0;
	for (int i = 0; i < call->operands; i++) {
		int error = paths_add(&paths, call->operand[i], !stacks);
		if (error) {
			diag("%s: %s", call->operand[i], strerror(-error));
			status = STATUS_INPUT;
		}
	}
	if (status == STATUS_OK && paths.n == 0) {
		diag("%s: no trace files (*.baton) here", call->operand[0]);
		status = STATUS_INPUT;
	}
	if (paths.n) {
		int read = stacks ? dump_stacks(&paths, json) : dump_files(&paths, json);
		usable = read != STATUS_INPUT;
		status = status_worse(status, read);
	}
	paths_free(&paths);
	return status == STATUS_INPUT && usable ? STATUS_PARTIAL : status;
}

static const struct named_text examples[] = {
	{"baton dump --json runs/4gpu | less", "Every record of every file, one JSON object a line."},
	{"baton dump --idle runs/4gpu", "Every piece of idle time with its leaf."},
	{"baton dump --step-list runs/4gpu", "From when to when each counted step is."},
	{"baton dump --json --rank 3 --time 1.5..1.6 runs/4gpu",
	 "The rows of rank 3 that begin in this tenth of a second."},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton", "the traces of the run, one for each process that was recorded"},
	{0},
};
static const struct named_text choices[] = {
	{"steps", "period none"},
	{0},
};

const struct command command_dump = {
	.name = "dump",
	.operands = "FILE|DIR...",
	.least_operands = 1,
	.summary = "print what a trace holds, record by record",
	.details =
		"Prints every record that can be read, in file order, with damage where it was "
		"met, and a verdict. With --idle the directories are one run, and each piece of "
		"its idle time is printed: the pieces of a leaf add up to what `baton report "
		"--json` says of it; with --step-list its counted steps. With --rank, --device, --step "
		"and --time the directories are one run too, and rows that begin elsewhere are left "
		"out; records of names stay. With --stacks a frame "
		"reads \"file:line function\". The name "
		"of a native frame needs libdw and the file that was loaded, with the same build "
		"id; otherwise the frame is \"file+0xoffset\".",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.run = run,
};
