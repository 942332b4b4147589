#include "record/trial.h"

#include "base/diag.h"
#include "import/staging.h"
#include "read/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 60, OUTPUT_BYTES = 16 << 10, PATH_BYTES = 4096 };

static char self[] = "/proc/self/exe";

/* In the child, with its own process group. */
static void become(char *const argv[], int out, int err)
{
	const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setpgid(0, 0);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	execv(self, argv);
	_exit(127);
}

/* What comes from `fd` until it ends, or until SECONDS are over: then false. */
static bool read_all(int fd, char text[OUTPUT_BYTES])
{
	const time_t until = time(NULL) + SECONDS;
	size_t used = 0;
	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		const time_t left = until - time(NULL);
		const int found = left > 0 ? poll(&ready, 1, (int)left * 1000) : 0;
		if (found == 0)
			return false;
		if (found < 0 && errno == EINTR)
			continue;
		char more[512];
		const ssize_t n = read(fd, more, sizeof(more));
		if (n <= 0)
			break;
		const size_t fits =
			OUTPUT_BYTES - 1 - used < (size_t)n ? OUTPUT_BYTES - 1 - used : (size_t)n;
		memcpy(text + used, more, fits);
		used += fits;
	}
	text[used] = 0;
	return true;
}

static void read_output(struct trial *trial, char *text, long long *launch_ns)
{
	char *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "driver ", 7) == 0)
			trial->driver = atoi(line + 7);
		else if (strncmp(line, "gpu ", 4) == 0 && trial->gpus++ == 0)
			snprintf(trial->name, sizeof(trial->name), "%s", line + 4);
		else if (strncmp(line, "fault ", 6) == 0 && !trial->fault[0])
			snprintf(trial->fault, sizeof(trial->fault), "%s", line + 6);
		else if (strncmp(line, "launch ", 7) == 0)
			*launch_ns = atoll(line + 7);
	}
}

/* The lines of `baton record`, without "baton: ", and without the one that says what it recorded. */
static void read_said(struct trial *trial, const char *path)
{
	char line[1024];
	size_t used = 0;
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *text = strncmp(line, "baton: ", 7) == 0 ? line + 7 : line;
		line[strcspn(line, "\n")] = 0;
		if (strstr(text, "next: baton report") || used >= sizeof(trial->said))
			continue;
		used += (size_t)snprintf(trial->said + used, sizeof(trial->said) - used, "%s%s",
								 used ? "; " : "", text);
	}
	if (file)
		fclose(file);
}

static void read_run(struct trial *trial, char *path)
{
	struct run run;
	diag_quiet(true);
	const int status = run_open(&path, 1, &run);
	diag_quiet(false);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return;
	trial->recorded = run.n_processes > 0;
	for (size_t i = 0; i < run.n_processes; i++)
		for (size_t kind = 0; kind < sizeof(run.processes[i].losses) / sizeof(uint64_t); kind++)
			trial->losses += run.processes[i].losses[kind];
	for (size_t i = 0; i < run.n_devices; i++)
		trial->gpus_recorded += run.processes[run.devices[i].processes[0]].worked_ns != 0;
	run_close(&run);
}

static int start(char *const argv[], const char *said, int out[2])
{
	const int err = open(said, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (err < 0 || pipe2(out, O_CLOEXEC) != 0) {
		const int error = -errno;
		if (err >= 0)
			close(err);
		return error;
	}
	const pid_t child = fork();
	if (child == 0)
		become(argv, out[1], err);
	const int error = -errno;
	close(err);
	close(out[1]);
	if (child < 0)
		close(out[0]);
	return child < 0 ? error : (int)child;
}

const char *trial_place(void)
{
	const char *place = getenv("TMPDIR");
	return place && *place ? place : "/tmp";
}

/* Runs `argv` to its end, which prints to `text`; what it says goes to the file `said`. 1 when it
 * ended, 0 when it was killed after SECONDS; else -errno of starting it. */
static int run_to_end(char *const argv[], const char *said, char text[OUTPUT_BYTES])
{
	int out[2], status;
	const int child = start(argv, said, out);
	if (child <= 0)
		return child;
	const bool ended = read_all(out[0], text);
	if (!ended)
		kill(-child, SIGKILL);
	close(out[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return ended;
}

/* The same job as it is without the recorder; what it says of GPUs is known. */
static void run_plain(struct trial *trial, const char *said)
{
	char *const argv[] = {"baton", "doctor", "--trial-job", NULL};
	struct trial again = {0};
	char text[OUTPUT_BYTES] = "";
	if (run_to_end(argv, said, text) > 0)
		read_output(&again, text, &trial->plain_ns);
}

int trial_run(struct trial *trial)
{
	char dir[PATH_BYTES], run[PATH_BYTES + 8], said[PATH_BYTES + 8], text[OUTPUT_BYTES] = "";
	char *const argv[] = {"baton", "record", "-o", run, "--", self, "doctor", "--trial-job", NULL};
	memset(trial, 0, sizeof(*trial));
	snprintf(dir, sizeof(dir), "%s/baton-doctor-XXXXXX", trial_place());
	if (!mkdtemp(dir))
		return -errno;
	snprintf(run, sizeof(run), "%s/run", dir);
	snprintf(said, sizeof(said), "%s/said", dir);
	const int ended = run_to_end(argv, said, text);
	if (ended >= 0) {
		read_output(trial, text, &trial->recorded_ns);
		if (!ended)
			snprintf(trial->fault, sizeof(trial->fault), "the driver did not answer in %d s",
					 SECONDS);
		read_said(trial, said);
		read_run(trial, run);
	}
	snprintf(said, sizeof(said), "%s/plain", dir);
	if (ended > 0 && trial->recorded_ns > 0)
		run_plain(trial, said);
	staging_remove(dir);
	return ended < 0 ? ended : 0;
}
