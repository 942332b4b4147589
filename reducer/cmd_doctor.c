/* baton doctor: what of this machine baton can use. It records a small job of its own. */
#include "base/diag.h"
#include "base/plain.h"
#include "commands.h"
#include "record/environment.h"
#include "record/nvml.h"
#include "record/trial.h"
#include "record/trial_job.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WHAT_BYTES = 4096, PATH_BYTES = 4096 };

enum mark { FINE, NOTE, LACKS, FAILS };

/* Prints a row and returns the status that it asks for. */
static enum status row(enum mark mark, const char *name, const char *what)
{
	static const char *const marks[] = {"ok", "note", "lacks", "FAILS"};
	static const enum status statuses[] = {STATUS_OK, STATUS_OK, STATUS_PARTIAL, STATUS_INPUT};
	char text[WHAT_BYTES];
	snprintf(text, sizeof(text), "%s", what);
	plain_text(text);
	printf("%-6s %-14s %s\n", marks[mark], name, text);
	return statuses[mark];
}

static enum status show_recorder(void)
{
	char path[PATH_BYTES];
	if (environment_library(path, sizeof(path)) != 0)
		return row(
			FAILS, "recorder",
			"libbaton.so is neither beside baton nor in ../lib/baton, nor does BATON_LIB name it");
	return row(FINE, "recorder", path);
}

static enum status show_driver(const struct trial *trial)
{
	char what[WHAT_BYTES];
	if (trial->fault[0])
		return row(FAILS, "driver", trial->fault);
	if (trial->gpus == 0)
		return row(FAILS, "driver", "there is one, but it shows no GPU");
	snprintf(what, sizeof(what), "CUDA %d.%d, %u GPU%s: %s", trial->driver / 1000,
			 trial->driver % 1000 / 10, trial->gpus, trial->gpus == 1 ? "" : "s", trial->name);
	return row(FINE, "driver", what);
}

static enum status show_recording(const struct trial *trial)
{
	char what[WHAT_BYTES] = "a small job was recorded";
	if (!trial->recorded)
		return row(FAILS, "recording", trial->said[0] ? trial->said : "a small job left no trace");
	const bool little = strstr(trial->said, "leaves the recorder little"); /* shim/session.c */
	if (trial->losses)
		snprintf(what, sizeof(what), "%llu records of a small job were dropped%s%s", trial->losses,
				 little ? ": " : "", little ? trial->said : "");
	else if (little)
		snprintf(what, sizeof(what), "%s", trial->said);
	return row(little || trial->losses ? NOTE : FINE, "recording", what);
}

/* A job of PyTorch loads libraries of its wheels, and CUPTI is looked for beside them. */
static const char *where_else(const char *said)
{
	return strstr(said, "no libcupti found")
			   ? " (a job of PyTorch finds the one that its wheels bring)"
			   : "";
}

static enum status show_gpu_work(const struct trial *trial)
{
	char what[WHAT_BYTES];
	snprintf(what, sizeof(what), "of %u of %u GPUs", trial->gpus_recorded, trial->gpus);
	if (trial->gpus_recorded == trial->gpus)
		return row(FINE, "GPU work", what);
	const size_t used = strlen(what);
	if (trial->said[0])
		snprintf(what + used, sizeof(what) - used, ": %s%s", trial->said, where_else(trial->said));
	return row(LACKS, "GPU work", what);
}

/* CUPTI's share and baton's; a job of Python pays for its stacks too. */
static void show_cost(const struct trial *trial)
{
	char what[WHAT_BYTES];
	const long long more_ns = trial->recorded_ns - trial->plain_ns;
	if (trial->recorded_ns == 0 || trial->plain_ns == 0)
		return;
	snprintf(what, sizeof(what),
			 "takes %.2f us, recorded %.2f us: %.2f us more, without stacks of Python",
			 (double)trial->plain_ns / 1e3, (double)trial->recorded_ns / 1e3,
			 (double)(more_ns > 0 ? more_ns : 0) / 1e3);
	row(FINE, "a launch", what);
}

static enum status show_readings(void)
{
	static struct nvml nvml;
	char what[WHAT_BYTES];
	if (nvml_open(&nvml) != 0)
		return row(NOTE, "GPU readings",
				   "no NVML here: no clocks, power and temperatures in reports");
	snprintf(what, sizeof(what), "NVML shows %u GPU%s, driver %s", nvml.n_devices,
			 nvml.n_devices == 1 ? "" : "s", nvml.version[0] ? nvml.version : "not known");
	nvml_close(&nvml);
	return row(FINE, "GPU readings", what);
}

static enum status show_rings(void)
{
	enum { LITTLE_MIB = 32 };
	const char *place = getenv("BATON_RING_DIR");
	char what[WHAT_BYTES];
	struct statvfs fs;
	if (!place || !*place)
		place = "/dev/shm";
	if (statvfs(place, &fs) != 0) {
		snprintf(what, sizeof(what), "%s: %s; TMPDIR or the run's directory is used", place,
				 strerror(errno));
		return row(NOTE, "ring buffers", what);
	}
	const unsigned long long mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	const bool little = mib < LITTLE_MIB || access(place, W_OK) != 0;
	snprintf(what, sizeof(what), "%llu MiB free in %s%s", mib, place,
			 little ? ": little for several ranks (docker run --shm-size=1g, or BATON_RING_DIR)"
					: "");
	return row(little ? NOTE : FINE, "ring buffers", what);
}

static enum status show_waits(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)getpid());
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[8];
	const bool reads = fd >= 0 && read(fd, text, sizeof(text)) > 0;
	if (fd >= 0)
		close(fd);
	return reads ? row(FINE, "waits",
					   "the kernel says how long threads run, sleep and wait for a core")
				 : row(NOTE, "waits", "no schedstat in /proc: a silent thread's time is not split");
}

/* What Python's frames are read with, so that a wrong pointer is an error and no crash. */
static enum status show_frames(void)
{
	char from = 1, to = 0;
	const struct iovec in = {&from, 1}, out = {&to, 1};
	if (process_vm_readv(getpid(), &out, 1, &in, 1, 0) == 1 && to == from)
		return row(FINE, "Python lines", "can be read (CPython 3.8 to 3.13)");
	char what[WHAT_BYTES];
	snprintf(what, sizeof(what), "process_vm_readv: %s: launches have native stacks only",
			 strerror(errno));
	return row(NOTE, "Python lines", what);
}

static enum status show_cores(const struct trial *trial)
{
	cpu_set_t set;
	char what[WHAT_BYTES];
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return row(NOTE, "cores", strerror(errno));
	const int cores = CPU_COUNT(&set);
	const bool few = (unsigned)cores < 2 * trial->gpus;
	snprintf(what, sizeof(what), "%d for this process%s", cores,
			 few ? ": fewer than two for each GPU, so ranks may wait for a core" : "");
	return row(few ? NOTE : FINE, "cores", what);
}

static enum status show_files(void)
{
	enum { FEW = 256 };
	struct rlimit files;
	char what[WHAT_BYTES];
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FEW)
		return STATUS_OK; /* the recorder takes a few dozen */
	snprintf(what, sizeof(what), "%llu may be open: the recorder steps back where none is left",
			 (unsigned long long)files.rlim_cur);
	return row(NOTE, "files", what);
}

/* The rows that the small job fills, as far as it came. */
static enum status show_trial(struct trial *trial)
{
	const int error = trial_run(trial);
	if (error) {
		diag("%s: a small job cannot be recorded there: %s", trial_place(), strerror(-error));
		return STATUS_OUTPUT;
	}
	enum status status = show_driver(trial);
	if (status != STATUS_OK)
		return status;
	status = show_recording(trial);
	if (!trial->recorded)
		return status;
	show_cost(trial);
	return status_worse(status, show_gpu_work(trial));
}

static int run(const struct invocation *call)
{
	struct trial trial = {0};
	if (option_given(call, "trial-job"))
		return trial_job_run();
	enum status status = show_recorder();
	if (status == STATUS_OK)
		status = show_trial(&trial);
	status = status_worse(status, show_readings());
	status = status_worse(status, show_rings());
	status = status_worse(status, show_waits());
	status = status_worse(status, show_frames());
	status = status_worse(status, show_cores(&trial));
	return status_worse(status, show_files());
}

static const struct option_spec options[] = {
	{"trial-job", 0, OPTION_FLAG, NULL,
	 "be the job: use each GPU for a moment, print the driver's version and the GPUs, and end"},
	{0},
};
static const struct named_text examples[] = {
	{"srun --container-image=IMAGE baton doctor",
	 "In the container and on the node where the job will run."},
	{"BATON_CUPTI=none baton doctor", "What a recording would have without CUPTI."},
	{0},
};
static const struct named_text environment[] = {
	{"BATON_*", "the recorder's, as for `baton record`"},
	{"TMPDIR", "where the small job's trace is for a moment (default: /tmp)"},
	{0},
};
static const struct named_text statuses[] = {
	{"0", "a job's launches and GPU work would be recorded; notes say what is missing beside them"},
	{"3", "nothing would be recorded"},
	{"4", "launches would be recorded, but not the work of all GPUs"},
	{"5", "there is no room for the small job's trace"},
	{0},
};

const struct command command_doctor = {
	.name = "doctor",
	.summary = "what of this machine baton can use",
	.details =
		"Run it where the job will run. It records a small job of its own (4 KiB are set on each "
		"GPU, and a kernel that does nothing is launched) and reads the trace, so what it says was "
		"tried. The same job without the recorder tells what a launch takes more when it is "
		"recorded. Then come the GPU readings, the room for ring buffers, what the kernel tells of "
		"threads, and the cores.\n\n"
		"Each line begins with ok; note: something beside the recording is missing; lacks: GPU "
		"work is not recorded; or FAILS. It changes nothing and leaves no file.",
	.options = options,
	.examples = examples,
	.environment = environment,
	.statuses = statuses,
	.run = run,
};
