#include "stats_tables.h"

#include "base/diag.h"
#include "base/progress.h"
#include "render/out_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add_report(struct stats_tables *tables, const char *name, size_t bytes)
{
	char text[64];
	snprintf(text, sizeof(text), "%.*s", (int)bytes, name);
	const struct stats_report *report = bytes < sizeof(text) ? stats_report_find(text) : NULL;
	if (!report || tables->n == STATS_TABLES_MOST) {
		diag(report ? "too many tables (%s)"
					: "there is no table '%s'; baton stats --list lists them",
			 text);
		return STATUS_USAGE;
	}
	tables->at[tables->n++] = report;
	return STATUS_OK;
}

int stats_tables_choose(struct stats_tables *tables, const char *names)
{
	int status = STATUS_OK;
	for (size_t n; status == STATUS_OK; names += n + 1) {
		n = strcspn(names, ",");
		status = add_report(tables, names, n);
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

static int write_each(struct stats_run *stats, const void *context)
{
	const struct stats_tables *tables = context;
	const char *base = tables->base;
	int status = STATUS_OK;
	if (!base && isatty(STDOUT_FILENO))
		progress_silence(); /* rows are printed while files are read */
	for (size_t i = 0; i < tables->n; i++) {
		if (!base && i > 0 && tables->format != SHEET_TABLE)
			putchar('\n');
		const int told = base ? write_file(tables->at[i], stats, base, tables->format)
							  : write_report(tables->at[i], stats, stdout, tables->format);
		status = (int)status_worse((enum status)status, (enum status)told);
	}
	return (int)status_worse((enum status)status, (enum status)stats->status);
}

int stats_tables_write(const struct stats_tables *tables)
{
	return rows_part_view(&tables->ask, write_each, tables);
}
