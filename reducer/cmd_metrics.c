/* baton metrics: a run, also one that is being recorded, as metrics for Prometheus. */
#include "base/amount.h"
#include "base/diag.h"
#include "commands.h"
#include "read/paths.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/metrics.h"

#include <baton/reader.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
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
	{"last", 0, OPTION_TEXT, "TIME",
	 "only the last TIME (30s, 5m) of what is recorded; a turn takes no longer as the job goes on"},
	{"run", 0, OPTION_TEXT, "NAME", "the label 'run' of all metrics (default: DIR)"},
	REDUCE_OPTION_ROWS,
	{0},
};

static const int64_t NS_PER_S = 1000000000;
enum { IDLE_TIMES = 9 }; /* a pause is so many times what a turn took */

static double clock_seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0: the option was not given, or is no such time. */
static long seconds_of(const struct invocation *call, const char *option)
{
	const char *text = option_text(call, option, NULL);
	return text ? amount_seconds(text) : 0;
}

static void note_age(const char *path, struct metrics *m)
{
	struct baton_reader reader;
	struct stat st;
	if (baton_reader_open(&reader, AT_FDCWD, path) != 0)
		return;
	if (fstat(reader.fd, &st) == 0)
		m->modified_s =
			fmax(m->modified_s, (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9);
	for (size_t i = 0; i < reader.n_entries; i++)
		if (reader.entries[i].kind == BATON_OP && reader.entries[i].rows > 0)
			m->worked_s = fmax(m->worked_s, (double)reader.entries[i].t_max_ns * 1e-9);
	baton_reader_close(&reader);
}

/* When the traces were written to last, and when a GPU worked last: a process that hangs still
 * writes. */
static void note_ages(char *const *dirs, size_t n, struct metrics *m)
{
	for (size_t d = 0; d < n; d++) {
		struct paths paths = {0};
		const int error = paths_add(&paths, dirs[d], false);
		for (size_t i = 0; !error && i < paths.n; i++)
			note_age(paths.at[i], m);
		paths_free(&paths);
	}
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
	struct reduce_options how;
	struct reduction reduction;
	struct metrics m = {.run = option_text(call, "run", call->operand[0])};
	const double begin_s = clock_seconds(CLOCK_MONOTONIC);
	int status = reduce_options_read(call, false, &how);
	if (status != STATUS_OK)
		return status;
	how.no_replay = true;
	how.store = false;
	how.last_ns = seconds_of(call, "last") * NS_PER_S;
	note_ages(call->operand, (size_t)call->operands, &m);
	diag_once(true); /* the next turn of this process has the same to say of the run */
	status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	diag_once(false);
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

/* The file that is written; what a process of the same number left there goes. */
static char *aside;

/* node_exporter reads the file at any moment: it is always a whole one. */
static int write_file(const struct invocation *call, const char *path, double *took_s)
{
	unlink(aside);
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
	return error ? STATUS_OUTPUT : status;
}

/* A turn may take long: it is left as it is. */
static void end(int signal)
{
	(void)signal;
	unlink(aside);
	_exit(STATUS_OK);
}

/* A signal that is ignored (nohup) stays so. */
static void end_by(int signal)
{
	const struct sigaction ends = {.sa_handler = end};
	struct sigaction before;
	if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(signal, &ends, NULL);
}

/* What works once may fail for a while later: a disk is full, a mount is away. */
static int repeat(const struct invocation *call, const char *path, long every_s)
{
	end_by(SIGINT);
	end_by(SIGTERM);
	end_by(SIGHUP);
	for (bool first = true;; first = false) {
		double took_s = 0;
		const int status = write_file(call, path, &took_s);
		if (status == STATUS_USAGE || (first && status == STATUS_OUTPUT))
			return status;
		const long rest = (long)(IDLE_TIMES * took_s);
		const struct timespec pause = {.tv_sec = rest > every_s ? rest : every_s};
		nanosleep(&pause, NULL);
	}
}

static bool is_time(const struct invocation *call, const char *option)
{
	const char *text = option_text(call, option, NULL);
	if (!text || amount_seconds(text))
		return true;
	diag("--%s wants a time of a second to a year, such as 15s or 1m, not '%s'", option, text);
	return false;
}

static int run(const struct invocation *call)
{
	const char *path = option_output(call);
	const char *every = option_text(call, "every", NULL);
	const long every_s = seconds_of(call, "every");
	double took_s;
	if (!is_time(call, "every") || !is_time(call, "last"))
		return STATUS_USAGE;
	if (every && !path) {
		diag("--every needs -o FILE");
		return STATUS_USAGE;
	}
	if (!path)
		return print_once(call, stdout, &took_s);
	if (asprintf(&aside, "%s.%d.new", path, (int)getpid()) < 0) {
		diag("%s: no memory", path);
		return STATUS_OUTPUT;
	}
	const int status = every_s ? repeat(call, path, every_s) : write_file(call, path, &took_s);
	free(aside);
	return status;
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
	.prints_output = true,
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
