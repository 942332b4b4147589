/* baton record: runs a job with libbaton.so preloaded, ends as the job ends, and says where the
 * trace is. */
#include "base/diag.h"
#include "base/shell.h"
#include "cli/command.h"
#include "record/environment.h"
#include "record/gauges.h"
#include "node.h"
#include "record/job.h"
#include "record/launch.h"
#include "record/output_dir.h"
#include "record/output_lock.h"
#include "record/output_name.h"
#include "record/program.h"
#include "record_end.h"
#include "record_level.h"
#include "record_slow.h"
#include "record_top.h"
#include "read/salvage.h"
#include "record/capture_window.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "DIR",
	 "where the trace goes; %q{ENV}, %h host, %p pid, %n new number, %% (default: baton-%n)"},
	{"force", 'f', OPTION_FLAG, NULL, "replace the trace that is in DIR"},
	{"trace", 't', OPTION_TEXT, "LIST", "what to record, of cuda,nvtx,nccl (default: all)"},
	{"stacks", 's', OPTION_TEXT, "KIND",
	 "where calls come from: off, python (default), native, both"},
	{"backward", 0, OPTION_TEXT, "WHAT",
	 "with Python stacks, name PyTorch's backward work by its forward lines: on (default), off"},
	{"step-marks", 0, OPTION_TEXT, "WHAT",
	 "mark the steps of PyTorch's optimizers (adds to PYTHONPATH): on (default), off"},
	{"host-clock", 0, OPTION_TEXT, "UNIT",
	 "unit of the times of calls and ranges: 1ns (default); 32ns makes files about a fifth "
	 "smaller"},
	{"graphs", 0, OPTION_TEXT, "HOW", "CUDA graphs by node (default) or whole: node, graph"},
	{"delay", 0, OPTION_TEXT, "S", "start recording S seconds after the job starts"},
	{"duration", 0, OPTION_TEXT, "S", "stop recording after S seconds; the job goes on"},
	{"keep-last", 0, OPTION_TEXT, "TIME",
	 "keep the last TIME of the job (60s, 15m, 2h) to twice as much, and leave out what is older"},
	{"keep-slow", 0, OPTION_TEXT, "TIMES",
	 "copy the traces to DIR/slow-N when a step takes TIMES (such as 1.5) as long as usual; the "
	 "four "
	 "slowest stay. Needs --keep-last (default 2m)"},
	{"level", 0, OPTION_TEXT, "WHAT",
	 "events (default); summary: all of the job in DIR/job.summary, which does not grow with the "
	 "time, and the events of the last minutes (--keep-last, default 2m)"},
	{"kill", 0, OPTION_TEXT, "SIGNAL",
	 "with --duration: then end the job by TERM, KILL, INT ... (default: none)"},
	{"capture-range", 'c', OPTION_TEXT, "RANGE",
	 "cudaProfilerApi: each process records from cudaProfilerStart to -Stop; none (default)"},
	{"capture-range-end", 0, OPTION_TEXT, "HOW",
	 "with -c: stop (default, like stop-shutdown) ends it there; none records to the job's end"},
	{"reduce", 0, OPTION_FLAG, NULL,
	 "when the job has ended, reduce this node's files: a part for baton merge, or the summary"},
	{"report", 0, OPTION_FLAG, NULL, "when the job has ended, print the report on stderr"},
	{"stats", 0, OPTION_SWITCH, NULL,
	 "when the job has ended, print the tables of baton stats on stdout (--stats=true, too)"},
	{"top", 0, OPTION_FLAG, NULL,
	 "the live screen of baton top while the job runs; what the job would print on the terminal "
	 "goes to DIR/job.out"},
	{"any-program", 0, OPTION_FLAG, NULL,
	 "record a launcher (srun, mpirun ...) after -- as the job"},
	{"verbose", 'v', OPTION_FLAG, NULL, "say more on stderr"},
	{0}};

enum { SHIM_PATH_BYTES = 1024, TRACE_NAME_BYTES = 72 }; /* baton/live.h: trace */

static int one_of(const char *option, const char *value, const char *const *choices)
{
	char all[128] = "";
	if (!value)
		return STATUS_OK;
	for (; *choices; choices++) {
		size_t n = strlen(all);
		if (strcmp(value, *choices) == 0)
			return STATUS_OK;
		snprintf(all + n, sizeof(all) - n, "%s%s", n ? ", " : "", *choices);
	}
	diag("--%s must be one of %s, not '%s'", option, all, value);
	return STATUS_USAGE;
}

static int check_list(const char *list)
{
	static const char *const known[] = {"cuda", "nvtx", "nccl", "osrt", "none", NULL};
	char word[32];
	for (; list && *list; list += *list == ',') {
		size_t n = strcspn(list, ",");
		snprintf(word, sizeof(word), "%.*s", (int)n, list);
		if (one_of("trace", word, known) != STATUS_OK)
			return STATUS_USAGE;
		if (strcmp(word, "osrt") == 0)
			diag("--trace: osrt is not supported; baton records what silent threads wait for "
				 "instead");
		list += n;
	}
	return STATUS_OK;
}

struct plan {
	struct recording recording;
	struct launch launch;
	struct output_dir output;
	struct capture_window window;
	struct record_end ended;
	struct gauges gauges;
	struct record_top top;
	struct record_level level;
	struct record_slow slow;
	bool reduce, report, stats;
	char directory[PATH_MAX], library[PATH_MAX], window_text[80], keep_text[24];
};

static int plan_options(const struct invocation *call, struct plan *plan)
{
	static const char *const stacks[] = {"off", "python", "native", "both", NULL};
	static const char *const graphs[] = {"node", "graph", NULL};
	static const char *const on_off[] = {"on", "off", NULL};
	static const char *const clocks[] = {"1ns", "32ns", NULL};
	struct recording *r = &plan->recording;
	r->trace = option_text(call, "trace", NULL);
	r->stacks = option_text(call, "stacks", NULL);
	r->graphs = option_text(call, "graphs", NULL);
	r->backward = option_text(call, "backward", NULL);
	r->step_marks = option_text(call, "step-marks", NULL);
	r->host_clock = option_text(call, "host-clock", NULL);
	r->verbose = option_given(call, "verbose");
	plan->reduce = option_given(call, "reduce");
	plan->stats = option_given(call, "stats") && strcmp(option_text(call, "stats", ""), "false");
	plan->report = option_given(call, "report");
	int status = one_of("stacks", r->stacks, stacks);
	if (!status)
		status = one_of("host-clock", r->host_clock, clocks);
	if (!status)
		status = one_of("graphs", r->graphs, graphs);
	if (!status)
		status = one_of("backward", r->backward, on_off);
	if (!status)
		status = one_of("step-marks", r->step_marks, on_off);
	if (!status)
		status = check_list(r->trace);
	if (!status)
		status = capture_window_plan(call, &plan->window);
	if (!status)
		status = record_level_read(call, &plan->level, &plan->window);
	return status ? status : record_slow_read(call, &plan->slow, &plan->window);
}

/* What users of nsys and of launchers are used to, and what would record something else here. */
static int check_program(const struct invocation *call)
{
	const char *program = call->operand[0], *before = call->operand[-1];
	const char *launcher = program_launcher(program);
	if ((strcmp(program, "true") == 0 || strcmp(program, "false") == 0) &&
		(strcmp(before, "-f") == 0 || strcmp(before, "--force") == 0)) {
		diag("-f takes no value: remove '%s'", program);
		return STATUS_USAGE;
	}
	if ((strcmp(program, "true") == 0 || strcmp(program, "false") == 0) &&
		strcmp(before, "--stats") == 0) {
		diag("write --stats=%s", program);
		return STATUS_USAGE;
	}
	if (!launcher || option_given(call, "any-program"))
		return STATUS_OK;
	diag("%s would start the job in processes that baton cannot see; put baton after %s:", launcher,
		 launcher);
	diag("  %s ... baton record -o %s -- PROGRAM ...        (e.g. -- python train.py)", launcher,
		 option_text(call, "output", "DIR"));
	diag("(--any-program records %s itself)", launcher);
	return STATUS_USAGE;
}

/* Tasks that were started together record into one directory. */
static int check_launch(const struct launch *launch, const char *pattern)
{
	if (launch->size <= 1)
		return STATUS_OK;
	if (output_name_is_numbered(pattern)) {
		diag("-o: with %%n each of the %d tasks of this launch would make its own directory; name "
			 "one that all of them share",
			 launch->size);
		return STATUS_USAGE;
	}
	if (!launch->is_shared && !strchr(pattern, '%')) {
		diag("-o %s: the %d tasks of this launch cannot be recognised as one run; set BATON_RUN_ID "
			 "to one new value for all of them",
			 pattern, launch->size);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int say_output_error(const struct plan *plan, int error)
{
	if (error == -EINVAL) /* told */
		return STATUS_USAGE;
	if (error == -ENOTEMPTY) {
		diag("%s: not empty (-f replaces its trace, %%n in the name makes a new directory)",
			 plan->output.path);
		return STATUS_USAGE;
	}
	if (error == -EBUSY) {
		diag(
			"%s: another baton record writes into it; name another directory (%%n makes a new one)",
			plan->output.path);
		return STATUS_USAGE;
	}
	diag("%s: %s; the job was not started", plan->output.path,
		 plan->output.is_foreign
			 ? "it, or the link to it, is another user's in a place where everybody can write"
			 : strerror(-error));
	return STATUS_OUTPUT;
}

static int plan_output(const struct invocation *call, struct plan *plan)
{
	const char *pattern = option_text(call, "output", "baton-%n");
	int status = check_launch(&plan->launch, pattern);
	if (status)
		return status;
	int error = output_dir_open(pattern, &plan->launch, option_given(call, "force"), &plan->output);
	if (!error && !realpath(plan->output.path, plan->directory))
		error = -errno;
	if (!error && strlen(plan->directory) + TRACE_NAME_BYTES > SHIM_PATH_BYTES)
		error = -ENAMETOOLONG;
	if (error)
		return say_output_error(plan, error);
	if (plan->output.is_others && plan->recording.verbose)
		diag("%s: belongs to another user, who can exchange the traces", plan->output.path);
	plan->recording.directory = plan->directory;
	plan->recording.run_id = plan->launch.id;
	return STATUS_OK;
}

static int plan_library(struct plan *plan)
{
	if (environment_library(plan->library, sizeof(plan->library)) != 0) {
		diag("cannot find libbaton.so beside baton or in ../lib/baton (BATON_LIB names another "
			 "place); the job was not started");
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

/* False: there are processes that record. */
static bool salvage_once(void *of)
{
	struct plan *plan = of;
	struct salvage_result part, *all = &plan->ended.salvaged;
	salvage_directory(plan->directory, &part);
	all->files += part.files;
	all->failed = part.failed;
	all->running = part.running;
	all->slots += part.slots;
	all->in_flight += part.in_flight;
	all->waiting = part.waiting;
	memcpy(all->waiting_in, part.waiting_in, sizeof(part.waiting_in));
	all->lost_launches = part.lost_launches;
	all->lost_others = part.lost_others;
	return part.running == 0;
}

/* Processes that were killed together with the job may take a moment to be gone. */
static void salvage(struct plan *plan)
{
	for (int tries = 0; tries < 10; tries++) {
		if (salvage_once(plan) || plan->launch.size > 1)
			return;
		usleep(50000);
	}
}

static void begin_beside(void *of)
{
	struct plan *plan = of;
	record_top_begin(&plan->top); /* before there is a thread */
	record_level_begin(&plan->level);
	record_slow_begin(&plan->slow);
	gauges_begin(&plan->gauges);
}

static void attend_beside(void *of)
{
	struct plan *plan = of;
	record_level_attend(&plan->level);
	record_slow_attend(&plan->slow);
}

/* The job never ran. */
static void undo(struct plan *plan)
{
	output_lock_release();
	record_top_undo(&plan->top);
	output_dir_undo(&plan->output);
}

/* Of all of the job, if there is a summary of it. */
static void report(const struct plan *plan, enum record_left left)
{
	char *path = plan->level.summary ? record_level_path(&plan->level) : NULL;
	if (path && left == RECORD_WHOLE && access(path, R_OK) == 0)
		node_report(path);
	else
		record_end_report(&plan->ended, left);
	free(path);
}

static int run_job(const struct invocation *call, struct plan *plan)
{
	struct job_kill kill = {plan->window.kill_signal,
							plan->window.delay_ns + plan->window.duration_ns, salvage_once, plan};
	struct job_beside beside = {begin_beside, attend_beside, plan, {-1, -1, -1}};
	struct job_end end;
	const char *objection = program_objection(call->operand[0]);
	if (objection)
		diag("%s %s: it will not be recorded", call->operand[0], objection);
	plan->recording.window =
		capture_window_text(&plan->window, plan->window_text, sizeof(plan->window_text));
	plan->recording.keep_last =
		capture_window_kept(&plan->window, plan->keep_text, sizeof(plan->keep_text));
	plan->gauges.directory = plan->directory;
	plan->gauges.run_id = plan->launch.id;
	plan->ended.directory = plan->directory;
	plan->ended.shown = plan->output.path;
	plan->ended.launch = &plan->launch;
	plan->ended.waits = plan->stats || plan->report || plan->level.summary;
	plan->level.tasks = plan->launch.size;
	plan->level.directory = plan->slow.directory = plan->directory;
	plan->level.shown = plan->slow.shown = plan->output.path;
	plan->ended.by_range = plan->window.range_end != NULL;
	int error = environment_set(&plan->recording);
	if (!error && plan->top.terminal >= 0)
		error = record_top_streams(&plan->top, plan->output.path, beside.streams);
	if (!error)
		error = job_run(call->operand, &kill, &beside, &end);
	if (error) {
		diag("the job cannot be started: %s", strerror(-error));
		undo(plan);
		return STATUS_OUTPUT;
	}
	bool whole = true; /* nothing of ours hangs */
	record_top_end(&plan->top);
	record_level_end(&plan->level);
	record_slow_end(&plan->slow);
	if (end.started) {
		salvage(plan);
		whole = gauges_end(&plan->gauges);
		output_lock_release();
		record_top_say(&plan->top, end.status != 0);
		const enum record_left left = record_end_say(&plan->ended);
		if (plan->reduce && plan->ended.salvaged.running == 0)
			node_reduce(plan->directory, plan->output.path);
		if (plan->stats)
			record_end_stats(&plan->ended, left);
		if (plan->level.summary)
			record_level_finish(&plan->level, left, plan->recording.verbose);
		if (plan->report)
			report(plan, left);
	} else {
		undo(plan);
	}
	int status = job_end_like(&end);
	if (!whole)
		_exit(status);
	return status;
}

static int run(const struct invocation *call)
{
	static struct plan plan;
	int status = check_program(call);
	if (!status)
		status = plan_options(call, &plan);
	plan.top.terminal = plan.top.out = -1;
	launch_read(&plan.launch);
	if (!status && option_given(call, "top"))
		status = record_top_open(&plan.top, &plan.launch);
	if (!status)
		status = plan_library(&plan);
	if (!status)
		status = plan_output(call, &plan);
	return status ? status : run_job(call, &plan);
}

static const struct named_text examples[] = {
	{"baton record -o runs/4gpu -- torchrun --nproc_per_node=4 train.py", "Record a whole job."},
	{"baton record --report -o runs/4gpu -- python train.py",
	 "The same, and the report at the end of the job."},
	{"baton record --delay 600 --duration 30 -o runs/part -- python train.py",
	 "Record half a minute of it, after ten minutes."},
	{"baton record --keep-last 10m -o runs/weeks -- python train.py",
	 "A job of weeks: its last ten to twenty minutes are on disk."},
	{"baton record --keep-last 60s --keep-slow 1.5 -o runs/weeks -- python train.py",
	 "The same, and a copy of what led to each step that takes 1.5 times as long as usual."},
	{"baton record --level summary -o runs/weeks -- python train.py",
	 "Its last minutes, with a summary of all of the job beside them."},
	{"baton record -c cudaProfilerApi -o runs/part -- python train.py",
	 "Record what the program puts between cudaProfilerStart and cudaProfilerStop."},
	{"srun baton record --reduce -o /local/%q{SLURM_JOB_ID} -- python train.py",
	 "Each node reduces its own files; `baton merge` takes the parts."},
	{"srun baton record -o /shared/runs/%q{SLURM_JOB_ID} -- python train.py",
	 "Under a scheduler: each task runs baton, into one directory."},
	{0},
};
static const struct named_text environment[] = {
	{"BATON_LIB", "the libbaton.so to preload (default: beside baton, then ../lib/baton)"},
	{"BATON_RUN_ID", "what makes traces of several nodes one run; taken from the scheduler or "
					 "torchrun when it is not set"},
	{"BATON_RING_DIR", "a local directory for the live files, tried before /dev/shm and TMPDIR"},
	{"BATON_RING_SLOTS", "how many records a thread's ring holds, a power of two (default 16384)"},
	{"BATON_CUPTI",
	 "the path of libcupti, or none: then launches are recorded and GPU work is not"},
	{"BATON_STRETCH", "with --level summary: how long a stretch of time is that is added to "
					  "DIR/job.summary (default: half of --keep-last)"},
	{"BATON_GAUGES", "off: do not sample the GPUs' clocks, power and temperature"},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton",
	 "one trace for each process that used CUDA, and gpus.*.baton: the samples of the GPUs"},
	{"DIR/job.summary", "with --level summary: where the time of all of the job went"},
	{"DIR/slow-N", "with --keep-slow: a copy of the traces, with what led to a slow step"},
	{"DIR/job.out", "with --top: what the job would have printed on the terminal"},
	{"DIR/BOOT.baton.part", "with --reduce: what this node's files were reduced to, where ranks of "
							"other nodes are missing"},
	{"/dev/shm/baton-*.live",
	 "rings and names while a process records, removed when its trace is closed; what a killed "
	 "process left is taken up by the next baton command on the run"},
	{0},
};
static const struct named_text statuses[] = {
	{"N", "that of the job; a job that ended by a signal ends baton by the same one"},
	{"2", "wrong usage"},
	{"3", "libbaton.so was not found"},
	{"5", "DIR could not be written"},
	{"126", "PROGRAM could not be executed"},
	{"127", "PROGRAM was not found"},
	{0},
};
static const struct named_text choices[] = {
	{"trace", "cuda nvtx nccl"},
	{"stacks", "off python native both"},
	{"backward", "on off"},
	{"step-marks", "on off"},
	{"graphs", "node graph"},
	{"level", "events summary"},
	{"host-clock", "1ns 32ns"},
	{"kill", "none TERM KILL INT HUP"},
	{"capture-range", "cudaProfilerApi none"},
	{"capture-range-end", "stop stop-shutdown none"},
	{0},
};

const struct command command_record = {
	.name = "record",
	.operands = "-- PROGRAM [ARGUMENT...]",
	.least_operands = 1,
	.summary = "run a job with the recorder preloaded",
	.details =
		"Runs PROGRAM unchanged, with libbaton.so preloaded into it and all that it starts. Each\n"
		"process that uses CUDA writes one trace file into DIR; the others cost nothing. The job\n"
		"keeps its stdin, stdout and stderr and gets the signals that are sent to baton; baton\n"
		"ends with its exit status, or by its signal. What a killed process had recorded is kept.\n"
		"Once a second baton samples the clocks, power and temperature of the GPUs.\n"
		"Example: baton record -o runs/4gpu -- torchrun --nproc_per_node=4 train.py\n"
		"         baton record --delay 600 --duration 30 -o runs/part -- python train.py\n"
		"\n"
		"Status when the job does not run: 2 usage, 3 libbaton.so is not found, 5 DIR cannot be\n"
		"written, 126 PROGRAM cannot be executed, 127 it is not found.",
	.options = options,
	.examples = examples,
	.environment = environment,
	.files = files,
	.statuses = statuses,
	.choices = choices,
	.run = run};
