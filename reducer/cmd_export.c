/* baton export: a run in the format of another tool. */
#include "base/diag.h"
#include "base/plain.h"
#include "commands.h"
#include "export/job.h"
#include "imported.h"
#include "part_options.h"
#include "part_wanted.h"
#include "reduce.h"
#include "reduce_events.h"
#include "reduce_options.h"
#include "rows_part.h"
#include "conclude/by.h"
#include "export/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
	{"format", 0, OPTION_TEXT, "NAME",
	 "nsys-sqlite: the SQLite file that nsys export makes, which nsys stats and scripts read; "
	 "nvprof-csv: what nvprof --csv prints; "
	 "perfetto or chrome: a timeline of all ranks in one file; kineto: a directory with a file for "
	 "each process, as torch.profiler writes them; parquet, arrow or csv: a directory of tables"},
	{"partition", 0, OPTION_TEXT, "BY",
	 "tables: 'step' (default): in each table a directory for each rank, in it one for each step; "
	 "'rank': for each rank; 'none'"},
	{"print", 0, OPTION_TEXT, "TABLE",
	 "nvprof-csv: gpu-trace (default), api-trace, both with a comma between them, or summary"},
	{"one-per-rank", 0, OPTION_FLAG, NULL,
	 "nsys-sqlite, nvprof-csv: a file for each rank, rank000.sqlite and so on, in the directory "
	 "that "
	 "-o names"},
	{"force", 'f', OPTION_FLAG, NULL,
	 "with --format: replace files that are there already; tables: those of an earlier export, "
	 "if the directory has nothing else"},
	{"folded", 0, OPTION_FLAG, NULL,
	 "folded stacks (\"outermost;...;innermost WEIGHT\"), as flame graph tools read them"},
	{"weight", 0, OPTION_TEXT, "WHAT",
	 "gpu: ns of GPU work (default); launches: their number; starved: ns that the GPU was idle "
	 "before them"},
	{"step", 0, OPTION_TEXT, "A[..B]",
	 "only these steps, by the numbers of their markers, else by their places from 0; nsys-sqlite, "
	 "nvprof-csv: what begins between the launch of step A and the end of the work of step B"},
	{"rank", 0, OPTION_TEXT, "LIST", "only these ranks: '0,4-7'"},
	{"ranks", 0, OPTION_TEXT, "LIST", "the same as --rank"},
	{"device", 0, OPTION_TEXT, "NAME",
	 "only the processes that drive this GPU: its key HOST/ID, its ordinal, or the beginning of "
	 "its "
	 "uuid; or all of HOST; nsys-sqlite, nvprof-csv, folded: of GPU work only its own"},
	{"time", 0, OPTION_TEXT, "A..B",
	 "only what begins in these seconds since the run's first event: '1.5..2', '..0.25'"},
	{"max-slices", 0, OPTION_NUMBER, "N",
	 "timelines: end where there would be more slices (default 1000000; 0: all)"},
	{"output", 'o', OPTION_TEXT, "FILE",
	 "write to this file instead of standard output; --format needs it; kineto and tables: a new "
	 "directory"},
	VIEW_OPTION_ROWS,
	{0},
};

enum weight { WEIGHT_GPU, WEIGHT_LAUNCHES, WEIGHT_STARVED, WEIGHTS };

static int read_weight(const struct invocation *call, enum weight *out)
{
	static const char *const names[WEIGHTS] = {"gpu", "launches", "starved"};
	const char *name = option_text(call, "weight", names[0]);
	for (int i = 0; i < WEIGHTS; i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum weight)i;
			return STATUS_OK;
		}
	diag("--weight must be gpu, launches or starved, not '%s'", name);
	return STATUS_USAGE;
}

static int64_t weight_of(const struct site_sums *sums, enum weight weight)
{
	return weight == WEIGHT_GPU        ? site_gpu_ns(sums)
		   : weight == WEIGHT_LAUNCHES ? (int64_t)sums->launches
									   : sums->cpu_ns + sums->host_ns;
}

static void print_folded(const struct summary *summary, const struct by_table *table,
						 enum weight weight, FILE *out)
{
	for (size_t i = 0; i < table->n; i++) {
		int64_t value = weight_of(&table->rows[i].sums, weight);
		if (value <= 0)
			continue;
		plain_put(summary_text(summary, table->rows[i].what), out);
		fprintf(out, " %" PRId64 "\n", value);
	}
}

static int print_file(const struct summary *summary, const struct by_table *table,
					  enum weight weight, const char *path)
{
	FILE *out = fopen(path, "we");
	bool failed = !out;
	if (out) {
		print_folded(summary, table, weight, out);
		failed = ferror(out) != 0;
		failed = fclose(out) != 0 || failed;
	}
	if (failed)
		diag("%s: %s", path, strerror(errno));
	return failed ? STATUS_OUTPUT : STATUS_OK;
}

static int export(const struct invocation *call, const struct summary *summary, enum weight weight)
{
	const char *path = option_output(call);
	struct by_table table;
	by_open(&table, summary, SITE_STACK);
	if (!table.told) {
		diag("%s: %s", call->operand[0], by_lack(summary, SITE_STACK));
		return STATUS_INPUT;
	}
	if (path)
		return print_file(summary, &table, weight, path);
	print_folded(summary, &table, weight, stdout);
	return STATUS_OK;
}

/* ---- timelines ---- */

enum { MOST_SLICES = 1000000 };

static int refuse_both(const struct invocation *call)
{
	if (!option_given(call, "rank") || !option_given(call, "ranks"))
		return STATUS_OK;
	diag("--rank and --ranks are the same: give one of them");
	return STATUS_USAGE;
}

static int read_filter(const struct invocation *call, struct export_filter *filter)
{
	const long long most = option_number(call, "max-slices", MOST_SLICES);
	struct step_span span;
	struct time_span time;
	*filter = (struct export_filter){.most = (uint64_t)most};
	if (most < 0) {
		diag("--max-slices must be 0 or more, not %lld", most);
		return STATUS_USAGE;
	}
	if (refuse_both(call) != STATUS_OK ||
		part_ranks_read(call, option_given(call, "ranks") ? "ranks" : "rank", &filter->ranks) !=
			STATUS_OK ||
		part_device_read(call, &filter->device) != STATUS_OK ||
		part_steps_read(call, &filter->by_step, &span) != STATUS_OK)
		return STATUS_USAGE;
	if (filter->by_step) {
		filter->from_step = span.from;
		filter->to_step = span.to;
	}
	int status = part_time_read(call, &filter->by_time, &time);
	filter->from_ns = time.from_ns;
	filter->to_ns = time.to_ns;
	return status;
}

/* How many directories the files of a table are under. */
static int read_partition(const struct invocation *call, const struct export_format *format,
						  unsigned *levels)
{
	static const char *const names[] = {"none", "rank", "step"};
	const char *text = option_text(call, "partition", NULL);
	*levels = 2;
	if (text && !format->tables) {
		diag("--partition is for tables");
		return STATUS_USAGE;
	}
	if (!text)
		return STATUS_OK;
	for (*levels = 0; *levels < 3; ++*levels)
		if (strcmp(text, names[*levels]) == 0)
			return STATUS_OK;
	diag("--partition must be none, rank or step, not '%s'", text);
	return STATUS_USAGE;
}

static void refuse_format(const char *name)
{
	char names[256] = "";
	for (const struct export_format *f = export_formats; f->name; f++) {
		const char *between = f == export_formats ? "" : f[1].name ? ", " : " or ";
		const size_t n = strlen(names);
		snprintf(names + n, sizeof(names) - n, "%s%s", between, f->name);
	}
	diag("--format must be %s, not '%s'", names, name);
}

static bool wants_device(const struct run *run, size_t device, const char *name)
{
	return part_wants(run, device, &(struct reduce_options){.only_device = name});
}

static int run_timeline(const struct invocation *call, const struct export_format *format,
						struct export_job *job)
{
	struct reduce_options how;
	if (!job->output || !*job->output) {
		diag("--format %s needs -o: where to write it", format->name);
		return STATUS_USAGE;
	}
	if (format->tables && option_given(call, "max-slices")) {
		diag("--max-slices is for timelines");
		return STATUS_USAGE;
	}
	if (read_filter(call, &job->filter) != STATUS_OK ||
		read_partition(call, format, &job->levels) != STATUS_OK ||
		reduce_options_read(call, true, &how) != STATUS_OK)
		return STATUS_USAGE;
	job->reduce = reduce_events;
	job->wants = wants_device;
	job->how = &how;
	diag_once(true); /* the run is reduced two or three times */
	return format->write(job);
}

struct events {
	const struct export_format *format;
	struct export_job *job;
};

static int write_events(struct stats_run *rows, const void *context)
{
	const struct events *events = context;
	events->job->rows = rows;
	return events->format->write(events->job);
}

/* Rows as they are, of the run or of a part. */
static int run_events(const struct invocation *call, const struct export_format *format,
					  struct export_job *job)
{
	static const char *const others[] = {"max-slices", "partition"};
	const struct events events = {format, job};
	struct reduce_options how;
	struct rows_ask ask;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(call, others[i])) {
			diag("--format %s: --%s is for timelines and tables", format->name, others[i]);
			return STATUS_USAGE;
		}
	if (refuse_both(call) != STATUS_OK || rows_ask_read(call, &ask) != STATUS_OK)
		return STATUS_USAGE;
	if (option_given(call, "ranks") && part_ranks_read(call, "ranks", &ask.ranks) != STATUS_OK)
		return STATUS_USAGE;
	if (reduce_options_read(call, true, &how) != STATUS_OK)
		return STATUS_USAGE;
	ask.how = &how;
	return rows_part_view(&ask, write_events, &events);
}

static int run_format(const struct invocation *call, const char *name)
{
	const struct export_format *format = export_format_find(name);
	struct export_job job = {.dirs = call->operand,
							 .n_dirs = (size_t)call->operands,
							 .output = option_output(call),
							 .print = option_text(call, "print", NULL),
							 .each_rank = option_given(call, "one-per-rank"),
							 .replace = option_given(call, "force")};
	if (!format) {
		refuse_format(name);
		return STATUS_USAGE;
	}
	if (option_given(call, "output") && !job.output) {
		diag("--format %s writes files: -o wants a name, and '-' is not standard output here "
			 "(./- is a file called -)",
			 name);
		return STATUS_USAGE;
	}
	if (job.print && strcmp(name, "nvprof-csv") != 0) {
		diag("--print is for nvprof-csv");
		return STATUS_USAGE;
	}
	if (strcmp(name, "nsys-sqlite") != 0 && strcmp(name, "nvprof-csv") != 0 && job.each_rank) {
		diag("--one-per-rank is for nsys-sqlite and nvprof-csv");
		return STATUS_USAGE;
	}
	return format->timeline ? run_timeline(call, format, &job) : run_events(call, format, &job);
}

/* ---- folded stacks ---- */

/* Of what the stacks are, for a reduction. An enum status. */
static int read_folded(const struct invocation *call, struct reduce_options *how)
{
	static const char *const others[] = {"max-slices", "partition", "print", "one-per-rank"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(call, others[i])) {
			diag("--%s goes with --format, not with --folded", others[i]);
			return STATUS_USAGE;
		}
	if (refuse_both(call) != STATUS_OK || reduce_options_read(call, true, how) != STATUS_OK ||
		part_options_read(call, how) != STATUS_OK)
		return STATUS_USAGE;
	if (!option_given(call, "ranks"))
		return STATUS_OK;
	how->store = false;
	return part_ranks_read(call, "ranks", &how->only_ranks);
}

static int run_folded(const struct invocation *call)
{
	struct reduction reduction;
	struct reduce_options how;
	enum weight weight;
	if (read_weight(call, &weight) != STATUS_OK || read_folded(call, &how) != STATUS_OK)
		return STATUS_USAGE;
	int status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	int written = export(call, &reduction.summary, weight);
	reduction_free(&reduction);
	return (int)status_worse(status, written);
}

static int run(const struct invocation *call)
{
	const char *format = option_text(call, "format", NULL);
	if (format && option_given(call, "folded")) {
		diag("export: --folded is a format of its own: leave out --format");
		return STATUS_USAGE;
	}
	if (format)
		return run_format(call, format);
	if (option_given(call, "folded"))
		return run_folded(call);
	diag("export: no format given: use --folded or --format NAME");
	return STATUS_USAGE;
}

static const struct named_text examples[] = {
	{"baton export --folded -o gpu.folded runs/4gpu",
	 "GPU time by call stack, for flamegraph.pl or speedscope."},
	{"baton export --folded --weight starved runs/4gpu | flamegraph.pl >starved.svg",
	 "Which lines the GPU waited for."},
	{"baton export --format perfetto -o run.pftrace runs/4gpu",
	 "A timeline of all ranks, for ui.perfetto.dev."},
	{"baton export --format chrome --step 7..9 -o run.json.gz runs/4gpu",
	 "Three steps of it as compressed JSON."},
	{"baton export --format kineto -o profile runs/4gpu",
	 "Traces for HolisticTraceAnalysis or TensorBoard's profiler plugin."},
	{"baton export --format parquet -o tables runs/4gpu",
	 "Every kernel, call, gap ... as a row, for DuckDB, pandas, Polars, Dask or Spark."},
	{"baton export --format csv --partition none -o tables runs/4gpu",
	 "The same as text, a file or a few for each table."},
	{"baton export --format nsys-sqlite -o job.sqlite runs/4gpu && nsys stats job.sqlite",
	 "For tools and scripts that read what nsys exports."},
	{"baton export --format nvprof-csv --print gpu-trace -o gpu.csv runs/4gpu",
	 "For scripts that read what nvprof prints."},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{"weight", "gpu launches starved"},
	{"format", "nsys-sqlite nvprof-csv perfetto chrome kineto parquet arrow csv"},
	{"partition", "none rank step"},
	{"print", "gpu-trace api-trace summary"},
	{0},
};

const struct command command_export = {
	.name = "export",
	.prints_output = true,
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "write the run in another tool's format",
	.details =
		"With --folded: one line for each call stack that launched GPU work in the "
		"counted steps, summed over all GPUs of the run, e.g. for flamegraph.pl or "
		"speedscope. In a stack, the frames before \"[backward]\" are the forward call "
		"whose gradient was computed; the frames after it launched the work.\n\n"
		"With --format perfetto, chrome, kineto: a timeline: kernels, copies, CUDA calls, ranges, "
		"steps, idle time by leaf, flows from launches to kernels and between the ranks of a "
		"collective, queue depth, running idle share and what the GPUs showed. docs/TIMELINES.md "
		"describes it.\n\n"
		"With --format parquet, arrow or csv: a directory of tables: kernels, calls, gaps, "
		"collectives, ranges, steps, stacks, gauges. docs/TABLES.md describes them.\n\n"
		"With --format nsys-sqlite: all events of the run in the tables of nsys 2023.4. Times "
		"count from the first event. docs/COMPATIBILITY.md says what the files can and cannot "
		"carry.\n\n"
		"With --format nvprof-csv: a table for each process, as nvprof prints it with --csv "
		"--print-gpu-trace, --print-api-trace or neither. Times are in ms and count from the "
		"first event of the run.",
	.options = options,
	.examples = examples,
	.files = run_files,
	.choices = choices,
	.prepare = imported_operands,
	.run = run,
};
