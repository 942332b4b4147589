/* baton stats: the tables of nsys stats, from a run. */
#include "base/diag.h"
#include "cli/pager.h"
#include "imported.h"
#include "commands.h"
#include "part_options.h"
#include "rows_part.h"
#include "stats_tables.h"
#include "table_options.h"

#include <stdio.h>

static const struct option_spec options[] = {
	{"report", 'r', OPTION_TEXT, "NAME[,NAME]",
	 "which tables (default: nvtx_sum, cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, "
	 "cuda_gpu_mem_size_sum)"},
	{"format", 'f', OPTION_TEXT, "FORMAT", "table (default), csv, tsv, json or markdown"},
	{"csv", 0, OPTION_FLAG, NULL, "the same as --format csv"},
	{"markdown", 0, OPTION_FLAG, NULL, "the same as --format markdown"},
	{"json", 0, OPTION_FLAG, NULL, "the same as --format json"},
	{"output", 'o', OPTION_TEXT, "BASE",
	 "write each table to a file, BASE_NAME.csv (.txt, .tsv, .json, .md), instead of standard "
	 "output"},
	PART_RANK_ROW,
	PART_DEVICE_ROW,
	ROWS_STEP_ROW,
	ROWS_TIME_ROW,
	{"list", 0, OPTION_FLAG, NULL, "list the tables, and end"},
	{0},
};

static int list_reports(void)
{
	for (const struct stats_report *r = stats_reports; r->spec.name; r++)
		printf("  %-22s %s\n", r->spec.name, r->help);
	return finish_stdout(STATUS_OK);
}

/* --format as nsys has it, or --csv, --markdown, --json as baton's other commands have them. */
static int read_format(const struct invocation *call, enum sheet_format *format)
{
	const int status = table_options_read(call, format);
	if (status != STATUS_OK)
		return status;
	if (option_given(call, "json"))
		*format = SHEET_JSON;
	const char *name = option_text(call, "format", NULL);
	if (!name)
		return STATUS_OK;
	const enum sheet_format named = sheet_format_of(name);
	if (named == SHEET_FORMATS) {
		diag("--format must be table, csv, tsv, json or markdown, not '%s'", name);
		return STATUS_USAGE;
	}
	if (*format != SHEET_TABLE && *format != named) {
		diag("--format %s and another form: give one of them", name);
		return STATUS_USAGE;
	}
	*format = named;
	return STATUS_OK;
}

static int read_options(const struct invocation *call, struct stats_tables *tables)
{
	*tables = (struct stats_tables){.base = option_output(call)};
	int status = read_format(call, &tables->format);
	if (status != STATUS_OK)
		return status;
	status = stats_tables_choose(tables, option_text(call, "report", STATS_TABLES_USUAL));
	return status == STATUS_OK ? rows_ask_read(call, &tables->ask) : status;
}

static int run(const struct invocation *call)
{
	struct stats_tables tables;
	if (option_given(call, "list"))
		return list_reports();
	const int status = read_options(call, &tables);
	if (status != STATUS_OK)
		return status;
	if (call->operands == 0) {
		diag("give the directory of a run");
		return STATUS_USAGE;
	}
	if (!tables.base)
		pager_begin();
	return finish_stdout(stats_tables_write(&tables));
}

static const struct named_text examples[] = {
	{"baton stats runs/4gpu", "The five tables that people look at first."},
	{"baton stats -r cuda_gpu_kern_sum,cuda_api_sum -f csv -o kernels runs/4gpu",
	 "Two tables as kernels_cuda_gpu_kern_sum.csv and kernels_cuda_api_sum.csv."},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton", "the traces of the run, one for each process that was recorded"},
	{0},
};
static const struct named_text choices[] = {
	{"report", "cuda_gpu_kern_sum cuda_gpu_trace cuda_api_sum cuda_api_trace cuda_kern_exec_sum "
			   "cuda_kern_exec_trace cuda_gpu_mem_time_sum cuda_gpu_mem_size_sum cuda_gpu_sum "
			   "nvtx_sum nvtx_pushpop_sum nvtx_gpu_proj_sum nvtx_kern_sum nccl_sum"},
	{"format", "table csv tsv json markdown"},
	{0},
};

const struct command command_stats = {
	.name = "stats",
	.prints_output = true,
	.operands = "DIR...",
	.least_operands = 0,
	.summary = "the tables of nsys stats, of recorded and imported runs",
	.details = "Names of tables and columns, their order, units and statistics are those of nsys "
			   "stats, so\n"
			   "that scripts that read its CSV files go on working. The directories are one run. "
			   "Times of\n"
			   "traces count from the first event of the run. With --device tables of ops are of "
			   "this GPU,\n"
			   "tables of calls and ranges of the processes that drive it. A cell that the run "
			   "does not know is "
			   "empty.\n"
			   "docs/STATS.md tells each table, and what differs from nsys.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.prepare = imported_operands,
	.run = run,
};
