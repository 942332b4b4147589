/* baton stats: the tables of nsys stats, from a run. */
#include "base/diag.h"
#include "base/progress.h"
#include "cli/pager.h"
#include "imported.h"
#include "commands.h"
#include "render/out_file.h"
#include "stats/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
	{"report", 'r', OPTION_TEXT, "NAME[,NAME]",
	 "which tables (default: nvtx_sum, cuda_api_sum, cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, "
	 "cuda_gpu_mem_size_sum)"},
	{"format", 'f', OPTION_TEXT, "FORMAT", "table (default), csv, tsv, json or markdown"},
	{"output", 'o', OPTION_TEXT, "BASE",
	 "write each table to a file, BASE_NAME.csv (.txt, .tsv, .json, .md), instead of standard "
	 "output"},
	{"list", 0, OPTION_FLAG, NULL, "list the tables, and end"},
	{0},
};

enum { REPORTS_MOST = 64 };

struct wanted {
	const struct stats_report *at[REPORTS_MOST];
	size_t n;
	enum sheet_format format;
};

static int add_report(struct wanted *wanted, const char *name, size_t bytes)
{
	char text[64];
	snprintf(text, sizeof(text), "%.*s", (int)bytes, name);
	const struct stats_report *report = bytes < sizeof(text) ? stats_report_find(text) : NULL;
	if (!report || wanted->n == REPORTS_MOST) {
		diag(report ? "too many tables (%s)"
					: "there is no table '%s'; baton stats --list lists them",
			 text);
		return STATUS_USAGE;
	}
	wanted->at[wanted->n++] = report;
	return STATUS_OK;
}

static int read_options(const struct invocation *call, struct wanted *wanted)
{
	const char *names = option_text(call, "report",
									"nvtx_sum,cuda_api_sum,cuda_gpu_kern_sum,"
									"cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum");
	const char *format = option_text(call, "format", "table");
	int status = STATUS_OK;
	*wanted = (struct wanted){.format = sheet_format_of(format)};
	if (wanted->format == SHEET_FORMATS) {
		diag("--format must be table, csv, tsv, json or markdown, not '%s'", format);
		return STATUS_USAGE;
	}
	for (size_t n; status == STATUS_OK; names += n + 1) {
		n = strcspn(names, ",");
		status = add_report(wanted, names, n);
		if (!names[n])
			break;
	}
	return status;
}

/* Writes one table; says what goes wrong. */
static int write_report(const struct stats_report *report, struct stats_run *run, FILE *out,
						enum sheet_format format)
{
	struct sheet sheet;
	sheet_open(&sheet, out, format, &report->spec);
	const int error = report->write(run, &sheet, report->variant);
	sheet_close(&sheet);
	if (error)
		diag("%s: %s", report->spec.name, strerror(-error));
	return error ? STATUS_INPUT : STATUS_OK;
}

static int write_file(const struct stats_report *report, struct stats_run *run, const char *base,
					  enum sheet_format format)
{
	struct out_file file;
	char *path;
	if (asprintf(&path, "%s_%s.%s", base, report->spec.name, sheet_ending(format)) < 0) {
		diag("%s: %s", base, strerror(ENOMEM));
		return STATUS_INPUT;
	}
	int status = STATUS_OK;
	int error = out_file_open_path(&file, path);
	if (!error) {
		status = write_report(report, run, file.out, format);
		error = out_file_close(&file, status == STATUS_OK ? 0 : -ECANCELED);
	}
	if (error && status == STATUS_OK) {
		diag("%s: %s", path, strerror(-error));
		status = STATUS_OUTPUT;
	}
	free(path);
	return status;
}

static int write_all(const struct invocation *call, const struct wanted *wanted, struct run *run)
{
	const char *base = option_text(call, "output", NULL);
	struct stats_run stats;
	int status = STATUS_OK;
	const int error = stats_run_open(&stats, run);
	if (error) {
		diag("%s", strerror(-error));
		return STATUS_INPUT;
	}
	if (!base && isatty(STDOUT_FILENO))
		progress_silence(); /* rows are printed while files are read */
	if (!base)
		pager_begin();
	for (size_t i = 0; i < wanted->n; i++) {
		if (!base && i > 0 && wanted->format != SHEET_TABLE)
			putchar('\n');
		const int told = base ? write_file(wanted->at[i], &stats, base, wanted->format)
							  : write_report(wanted->at[i], &stats, stdout, wanted->format);
		status = (int)status_worse((enum status)status, (enum status)told);
	}
	status = (int)status_worse((enum status)status, (enum status)stats.status);
	stats_run_close(&stats);
	return status;
}

static int list_reports(void)
{
	for (const struct stats_report *r = stats_reports; r->spec.name; r++)
		printf("  %-22s %s\n", r->spec.name, r->help);
	return finish_stdout(STATUS_OK);
}

static int run(const struct invocation *call)
{
	struct wanted wanted;
	struct run run;
	if (option_given(call, "list"))
		return list_reports();
	int status = read_options(call, &wanted);
	if (status != STATUS_OK)
		return status;
	if (call->operands == 0) {
		diag("give the directory of a run");
		return STATUS_USAGE;
	}
	status = run_open(call->operand, (size_t)call->operands, &run);
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		const int told = write_all(call, &wanted, &run);
		status = (int)status_worse((enum status)status, (enum status)told);
		run_close(&run);
	}
	return finish_stdout(status);
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
	.operands = "DIR...",
	.least_operands = 0,
	.summary = "the tables of nsys stats, of recorded and imported runs",
	.details = "Names of tables and columns, their order, units and statistics are those of nsys "
			   "stats, so\n"
			   "that scripts that read its CSV files go on working. The directories are one run. "
			   "Times of\n"
			   "traces count from the first event of the run. A cell that the run does not know is "
			   "empty.\n"
			   "docs/STATS.md tells each table, and what differs from nsys.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.prepare = imported_operands,
	.run = run,
};
