/* baton export: a run in the format of another tool. */
#include "base/diag.h"
#include "base/plain.h"
#include "commands.h"
#include "export/formats.h"
#include "export/job.h"
#include "read/run.h"
#include "imported.h"
#include "reduce.h"
#include "reduce_options.h"
#include "conclude/by.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct option_spec options[] = {
	{"format", 0, OPTION_TEXT, "NAME",
	 "nsys-sqlite: the SQLite file that nsys export makes, which nsys stats and scripts read"},
	{"one-per-rank", 0, OPTION_FLAG, NULL,
	 "nsys-sqlite: a file for each rank, rank000.sqlite and so on, in the directory that -o names"},
	{"force", 'f', OPTION_FLAG, NULL, "nsys-sqlite: replace files that are there already"},
	{"folded", 0, OPTION_FLAG, NULL,
	 "folded stacks (\"outermost;...;innermost WEIGHT\"), as flame graph tools read them"},
	{"weight", 0, OPTION_TEXT, "WHAT",
	 "gpu: ns of GPU work (default); launches: their number; starved: ns that the GPU was idle "
	 "before them"},
	{"output", 'o', OPTION_TEXT, "FILE", "write to this file instead of standard output"},
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
	const char *path = option_text(call, "output", NULL);
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

/* The run as it is, in the format of this name. */
static int export_events(const struct invocation *call, const char *name)
{
	const struct export_format *format = export_format_find(name);
	struct run run;
	if (!format) {
		diag("export: there is no format '%s'; --help lists them", name);
		return STATUS_USAGE;
	}
	int status = run_open(call->operand, (size_t)call->operands, &run);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	const struct export_job job = {.run = &run,
								   .output = option_text(call, "output", NULL),
								   .each_rank = option_given(call, "one-per-rank"),
								   .replace = option_given(call, "force")};
	const int written = format->write(&job);
	run_close(&run);
	return finish_stdout((int)status_worse((enum status)status, (enum status)written));
}

static int run(const struct invocation *call)
{
	struct reduction reduction;
	struct reduce_options how;
	enum weight weight;
	const char *format = option_text(call, "format", NULL);
	if (!option_given(call, "folded") == !format) {
		diag("export: give one format: --folded or --format NAME");
		return STATUS_USAGE;
	}
	if (format)
		return export_events(call, format);
	if (read_weight(call, &weight) != STATUS_OK ||
		reduce_options_read(call, true, &how) != STATUS_OK)
		return STATUS_USAGE;
	int status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	int written = export(call, &reduction.summary, weight);
	reduction_free(&reduction);
	return (int)status_worse(status, written);
}

static const struct named_text examples[] = {
	{"baton export --folded -o gpu.folded runs/4gpu",
	 "GPU time by call stack, for flamegraph.pl or speedscope."},
	{"baton export --folded --weight starved runs/4gpu | flamegraph.pl >starved.svg",
	 "Which lines the GPU waited for."},
	{"baton export --format nsys-sqlite -o job.sqlite runs/4gpu && nsys stats job.sqlite",
	 "For tools and scripts that read what nsys exports."},
	{0},
};
static const struct named_text files[] = {
	RUN_FILE_ROWS,
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{"weight", "gpu launches starved"},
	{"format", "nsys-sqlite"},
	{0},
};

const struct command command_export = {
	.name = "export",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "write the run in another tool's format",
	.details =
		"With --folded: one line for each call stack that launched GPU work in the "
		"counted steps, summed over all GPUs of the run, e.g. for flamegraph.pl or "
		"speedscope. In a stack, the frames before \"[backward]\" are the forward call "
		"whose gradient was computed; the frames after it launched the work.\n\nWith --format "
		"nsys-sqlite: all events of the run in the tables of nsys 2023.4. Times count from the "
		"first event. docs/COMPATIBILITY.md says what the file can and cannot carry.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.prepare = imported_operands,
	.run = run,
};
