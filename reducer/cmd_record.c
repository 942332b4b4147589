/* baton record: runs a job with libbaton.so preloaded, ends as the job ends, and says where the
 * trace is. */
#include "base/diag.h"
#include "cli/command.h"
#include "record/environment.h"
#include "record/job.h"
#include "record/output_name.h"
#include "record/program.h"
#include "read/salvage.h"
#include "record/totals.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "DIR",
	 "where the trace goes: %q{ENV} %h host %p pid %n new number %% (default: baton-%n)"},
	{"force", 'f', OPTION_FLAG, NULL, "replace the trace that is in DIR"},
	{"trace", 't', OPTION_TEXT, "LIST", "what to record, of cuda,nvtx,nccl (default: all)"},
	{"stacks", 's', OPTION_TEXT, "KIND",
	 "where launches come from: off, python (default), native, both"},
	{"graphs", 0, OPTION_TEXT, "HOW", "CUDA graphs by node (default) or whole: node, graph"},
	{"kill", 0, OPTION_TEXT, "SIGNAL",
	 "with --duration: end the job then, by TERM, KILL, INT ... (default: none)"},
	{"duration", 0, OPTION_TEXT, "S", "with --kill: seconds until the job is ended"},
	{"any-program", 0, OPTION_FLAG, NULL,
	 "take a launcher (srun, mpirun ...) behind -- as the job"},
	{"verbose", 'v', OPTION_FLAG, NULL, "say more on stderr"},
	{0}};

static int one_of(const char *option, const char *value, const char *const *choices)
{
	for (const char *const *c = choices; value && *c; c++)
		if (strcmp(value, *c) == 0)
			return STATUS_OK;
	if (!value)
		return STATUS_OK;
	diag("--%s: '%s' is not one of", option, value);
	for (; *choices; choices++)
		diag("  %s", *choices);
	return STATUS_USAGE;
}

static int check_list(const char *list)
{
	static const char *const known[] = {"cuda", "nvtx", "nccl", "osrt", "none"};
	char word[32];
	for (; list && *list; list += *list == ',') {
		size_t n = strcspn(list, ","), i = 0;
		snprintf(word, sizeof(word), "%.*s", (int)n, list);
		while (i < sizeof(known) / sizeof(known[0]) && strcmp(word, known[i]) != 0)
			i++;
		if (i == sizeof(known) / sizeof(known[0])) {
			diag("--trace: '%s' is unknown; there are cuda, nvtx, nccl", word);
			return STATUS_USAGE;
		}
		list += n;
	}
	return STATUS_OK;
}

static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"TERM", SIGTERM}, {"KILL", SIGKILL}, {"INT", SIGINT},
				   {"HUP", SIGHUP},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strcasecmp(name, signals[i].name) == 0)
			return signals[i].number;
	long number = strtol(name, NULL, 10);
	return number > 0 && number < 65 ? (int)number : 0;
}

struct plan {
	struct recording recording;
	char directory[PATH_MAX], library[PATH_MAX];
	const char *shown; /* the directory as the user named it */
	char expanded[PATH_MAX];
	long long kill_after_ns;
	int kill_signal;
};

static int plan_ending(const struct invocation *call, struct plan *plan)
{
	const char *seconds = option_text(call, "duration", NULL);
	const char *signal = option_text(call, "kill", NULL);
	char *end;
	if (signal && strcmp(signal, "none") != 0) {
		plan->kill_signal = signal_number(signal);
		if (!plan->kill_signal) {
			diag("--kill: '%s' is no signal", signal);
			return STATUS_USAGE;
		}
	}
	double s = seconds ? strtod(seconds, &end) : 0;
	if (seconds && (*end || end == seconds || s <= 0 || s > 1e9)) {
		diag("--duration wants a number of seconds, not '%s'", seconds);
		return STATUS_USAGE;
	}
	if (!seconds != !plan->kill_signal) {
		diag("--duration and --kill go together: a recording cannot end before its job yet");
		return STATUS_USAGE;
	}
	plan->kill_after_ns = (long long)(s * 1e9);
	return STATUS_OK;
}

static int plan_options(const struct invocation *call, struct plan *plan)
{
	static const char *const stacks[] = {"off", "python", "native", "both", NULL};
	static const char *const graphs[] = {"node", "graph", NULL};
	struct recording *r = &plan->recording;
	r->trace = option_text(call, "trace", NULL);
	r->stacks = option_text(call, "stacks", NULL);
	r->graphs = option_text(call, "graphs", NULL);
	r->verbose = option_given(call, "verbose");
	int status = one_of("stacks", r->stacks, stacks);
	if (!status)
		status = one_of("graphs", r->graphs, graphs);
	if (!status)
		status = check_list(r->trace);
	return status ? status : plan_ending(call, plan);
}

static int refuse_launcher(const struct invocation *call)
{
	const char *launcher = program_launcher(call->operand[0]);
	if (!launcher || option_given(call, "any-program"))
		return STATUS_OK;
	diag("%s starts the job in other processes, which would not be recorded as one run; put baton "
		 "behind it:",
		 launcher);
	diag("  %s ... baton record -o DIR -- PROGRAM ...    (a DIR that all of them see)", launcher);
	diag("  (--any-program records %s itself)", launcher);
	return STATUS_USAGE;
}

static int plan_output(const struct invocation *call, struct plan *plan)
{
	const char *pattern = option_text(call, "output", "baton-%n");
	int error = output_name(pattern, plan->expanded, sizeof(plan->expanded));
	if (error == -EINVAL)
		return STATUS_USAGE;
	if (!error)
		error = output_create(plan->expanded, option_given(call, "force"));
	if (error == -EEXIST) {
		diag("%s: not empty (-f replaces the trace in it, %%n in the name makes a new one)",
			 plan->expanded);
		return STATUS_USAGE;
	}
	if (!error && !realpath(plan->expanded, plan->directory))
		error = -errno;
	if (error) {
		diag("%s: %s; the job was not started", plan->expanded, strerror(-error));
		return STATUS_OUTPUT;
	}
	plan->recording.directory = plan->directory;
	return STATUS_OK;
}

static int plan_library(struct plan *plan)
{
	if (environment_library(plan->library, sizeof(plan->library)) != 0) {
		diag("libbaton.so is not beside this program, nor in ../lib/baton, and BATON_LIB does not "
			 "name it; the job was not started");
		return STATUS_INPUT;
	}
	if (strpbrk(plan->library, " :")) {
		diag("%s: LD_PRELOAD cannot take a path with a blank or a colon; the job was not started",
			 plan->library);
		return STATUS_INPUT;
	}
	plan->recording.library = plan->library;
	return STATUS_OK;
}

static void with_commas(uint64_t n, char text[32])
{
	char plain[32];
	int digits = snprintf(plain, sizeof(plain), "%" PRIu64, n), at = 0;
	for (int i = 0; i < digits; i++) {
		if (i && (digits - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = plain[i];
	}
	text[at] = 0;
}

static void say_result(const struct plan *plan, const struct salvage_result *salvaged)
{
	struct totals totals;
	char launches[32], dropped[32];
	int error = totals_count(plan->directory, &totals);
	if (error) {
		diag("%s: %s: what was recorded is lost", plan->expanded, strerror(-error));
		return;
	}
	if (totals.processes == 0) {
		diag("nothing recorded: the job made no CUDA call");
		return;
	}
	if (salvaged->files)
		diag("%u %s: %" PRIu64 " records were taken from shared memory, %" PRIu64
			 " kernels were still in flight",
			 salvaged->files,
			 salvaged->files == 1 ? "process ended without closing its trace"
								  : "processes ended without closing their traces",
			 salvaged->slots, salvaged->in_flight);
	if (salvaged->running)
		diag("%u of its processes still run; what they record from now on is added to their files",
			 salvaged->running);
	with_commas(totals.launches, launches);
	with_commas(totals.dropped, dropped);
	diag("%" PRIu64 " %s, %s launches, %s dropped, %.1f MB in %s        next: baton report %s",
		 totals.processes, totals.processes == 1 ? "process" : "processes", launches, dropped,
		 (double)totals.bytes / 1e6, plan->expanded, plan->expanded);
}

static int run_job(const struct invocation *call, struct plan *plan)
{
	struct job_end end;
	struct salvage_result salvaged;
	const char *objection = program_objection(call->operand[0]);
	if (objection)
		diag("%s %s: nothing will be recorded of it", call->operand[0], objection);
	int error = environment_set(&plan->recording);
	if (!error)
		error = job_run(call->operand, plan->kill_after_ns, plan->kill_signal, &end);
	if (error) {
		diag("the job cannot be started: %s", strerror(-error));
		return STATUS_OUTPUT;
	}
	if (end.started) {
		salvage_directory(plan->directory, &salvaged);
		say_result(plan, &salvaged);
	}
	return job_end_like(&end);
}

static int run(const struct invocation *call)
{
	static struct plan plan;
	int status = refuse_launcher(call);
	if (!status)
		status = plan_options(call, &plan);
	if (!status)
		status = plan_library(&plan);
	if (!status)
		status = plan_output(call, &plan);
	return status ? status : run_job(call, &plan);
}

const struct command command_record = {
	.name = "record",
	.operands = "-- PROGRAM [ARGUMENT...]",
	.least_operands = 1,
	.summary = "run a job with the recorder preloaded",
	.details =
		"Runs PROGRAM unchanged, with libbaton.so preloaded into it and all that it starts. Each\n"
		"process that uses CUDA writes one trace file into DIR; the others cost nothing. The job\n"
		"keeps its stdin, stdout and stderr, gets the signals that are sent to baton, and baton\n"
		"ends with its exit status, or by its signal. What a killed process had recorded is kept.\n"
		"Example: baton record -o runs/4gpu -- torchrun --nproc_per_node=4 train.py",
	.options = options,
	.run = run};
