/* baton metrics: a run, also one that is being recorded, as metrics for Prometheus. */
#include "base/amount.h"
#include "base/diag.h"
#include "commands.h"
#include "read/paths.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/metrics.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "FILE",
	 "where they go (FILE.prom for node_exporter), replaced as a whole; default: stdout"},
	{"every", 0, OPTION_TEXT, "TIME",
	 "with -o: again after TIME (15s, 1m), until a signal ends it; longer where a turn takes long"},
	{"run", 0, OPTION_TEXT, "NAME", "the label 'run' of all metrics (default: DIR)"},
	REDUCE_OPTION_ROWS,
	{0},
};

enum { IDLE_TIMES = 9 }; /* a pause is so many times what a turn took */

static double clock_seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* When a trace was written to last. */
static double last_written(char *const *dirs, size_t n)
{
	double last = 0;
	for (size_t d = 0; d < n; d++) {
		struct paths paths = {0};
		const int error = paths_add(&paths, dirs[d], false);
		for (size_t i = 0; !error && i < paths.n; i++) {
			struct stat st;
			const double at = stat(paths.at[i], &st) == 0
								  ? (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9
								  : 0;
			last = at > last ? at : last;
		}
		paths_free(&paths);
	}
	return last;
}

static int print_summary(struct metrics *m, const struct summary *summary, FILE *out)
{
	struct figures figures;
	struct stragglers stragglers;
	figures_compute(summary, &figures);
	const int error = stragglers_open(&stragglers, summary, &figures);
	m->summary = summary;
	m->figures = &figures;
	m->stragglers = &stragglers;
	if (!error)
		metrics_print(m, out);
	stragglers_close(&stragglers);
	return error ? STATUS_INPUT : STATUS_OK;
}

/* A run that cannot be reduced has metrics too: baton_up is 0. */
static int print_once(const struct invocation *call, FILE *out, double *took_s)
{
	static bool said; /* later turns of one process have the same to say of the run */
	struct reduce_options how;
	struct reduction reduction;
	struct metrics m = {.run = option_text(call, "run", call->operand[0]),
						.modified_s = last_written(call->operand, (size_t)call->operands)};
	const double begin_s = clock_seconds(CLOCK_MONOTONIC);
	int status = reduce_options_read(call, false, &how);
	if (status != STATUS_OK)
		return status;
	how.no_replay = true;
	how.store = false;
	diag_hush(said);
	status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	diag_hush(false);
	said = true;
	m.took_s = *took_s = clock_seconds(CLOCK_MONOTONIC) - begin_s;
	m.reduced_s = clock_seconds(CLOCK_REALTIME);
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		status = status_worse(status, print_summary(&m, &reduction.summary, out));
		reduction_free(&reduction);
	} else if (status == STATUS_INPUT) {
		metrics_print(&m, out);
	}
	return status;
}

/* node_exporter reads the file at any moment: it is always a whole one. */
static int write_file(const struct invocation *call, const char *path, double *took_s)
{
	char *aside = NULL;
	if (asprintf(&aside, "%s.%d.new", path, (int)getpid()) < 0) {
		diag("%s: no memory", path);
		return STATUS_OUTPUT;
	}
	FILE *out = fopen(aside, "wx");
	int error = out ? 0 : -errno, status = STATUS_OUTPUT;
	if (out) {
		status = print_once(call, out, took_s);
		if (fflush(out) != 0 || ferror(out))
			error = errno ? -errno : -EIO;
		if (fclose(out) != 0 && !error)
			error = -errno;
		if (!error && status != STATUS_USAGE && rename(aside, path) != 0)
			error = -errno;
		if (error || status == STATUS_USAGE)
			unlink(aside);
	}
	if (error)
		diag("%s: %s", path, strerror(-error));
	free(aside);
	return error ? STATUS_OUTPUT : status;
}

/* Waits for the signals that end it, so that no file is left half-written. */
static int repeat(const struct invocation *call, const char *path, long every_s)
{
	sigset_t ends;
	int status = STATUS_OK, signal = 0;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	while (!signal) {
		double took_s = 0;
		status = write_file(call, path, &took_s);
		if (status == STATUS_OUTPUT || status == STATUS_USAGE)
			return status;
		const long rest = (long)(IDLE_TIMES * took_s);
		const struct timespec pause = {.tv_sec = rest > every_s ? rest : every_s};
		const int got = sigtimedwait(&ends, NULL, &pause);
		signal = got > 0 ? got : 0;
	}
	return STATUS_OK;
}

static int run(const struct invocation *call)
{
	const char *path = option_text(call, "output", NULL);
	const char *every = option_text(call, "every", NULL);
	const long every_s = every ? amount_seconds(every) : 0;
	double took_s;
	if (every && !every_s) {
		diag("--every wants a time of a second to a year, such as 15s or 1m, not '%s'", every);
		return STATUS_USAGE;
	}
	if (every && !path) {
		diag("--every needs -o FILE");
		return STATUS_USAGE;
	}
	if (!path)
		return print_once(call, stdout, &took_s);
	return every_s ? repeat(call, path, every_s) : write_file(call, path, &took_s);
}

static const struct named_text examples[] = {
	{"baton metrics runs/4gpu", "What a run shows, once, on stdout."},
	{"baton metrics runs/weeks -o /var/lib/node_exporter/baton.prom --every 15s",
	 "Beside a job that is recorded with --keep-last: for node_exporter's textfile collector."},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton", "the traces of the run, one for each process; they may still grow"},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

const struct command command_metrics = {
	.name = "metrics",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "step time, idle shares, late ranks and clocks for Prometheus",
	.details =
		"Reduces a run, also one that is being recorded, and prints metrics in Prometheus' text\n"
		"format: step time, shares of the step by leaf, late ranks, bus bandwidth, clocks, drops.\n"
		"They are of what the traces hold: record with --keep-last to have the last minutes.\n"
		"docs/METRICS.md lists them; docs/grafana.json is a board that shows them.\n"
		"\n"
		"A run with nothing to report yet has baton_up 0; status 3 where that is printed once.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.run = run,
};
