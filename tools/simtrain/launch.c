/* simlaunch -n N -- PROGRAM [ARGUMENT]...: the ranks of a job on this host, with the environment
 * that torchrun gives them. Signals are passed on; when a rank fails the others are told to stop
 * and its status is ours. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 256 };

static pid_t ranks[MOST];
static int count;

static void pass_on(int signal)
{
	int before = errno;

	for (int i = 0; i < count; i++)
		if (ranks[i] > 0)
			kill(ranks[i], signal);
	errno = before;
}

static void set_number(const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof text, "%d", value);
	setenv(name, text, 1);
}

static void become_rank(int rank, char **program)
{
	set_number("RANK", rank);
	set_number("LOCAL_RANK", rank);
	set_number("WORLD_SIZE", count);
	set_number("LOCAL_WORLD_SIZE", count);
	if (!getenv("SIMGPU_DEVICES")) /* a device for each, when the machine is simulated */
		set_number("SIMGPU_DEVICES", count);
	setenv("MASTER_ADDR", "127.0.0.1", 0);
	setenv("MASTER_PORT", "29500", 0);
	execvp(program[0], program);
	fprintf(stderr, "simlaunch: %s: %s\n", program[0], strerror(errno));
	_exit(127);
}

static int code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void forget(pid_t pid)
{
	for (int i = 0; i < count; i++)
		if (ranks[i] == pid)
			ranks[i] = 0;
}

/* Of ranks that failed before we looked: one that was killed, for what the others then met is its
 * doing. */
static int failure(int status)
{
	pid_t pid;
	int other;

	while ((pid = waitpid(-1, &other, WNOHANG)) > 0) {
		forget(pid);
		if (WIFSIGNALED(other) && !WIFSIGNALED(status))
			status = other;
	}
	return code(status);
}

/* The status of the first rank that fails. */
static int await_all(void)
{
	int first = 0, status;
	pid_t pid;

	while ((pid = wait(&status)) > 0 || errno == EINTR) {
		if (pid <= 0)
			continue;
		forget(pid);
		if (first || !code(status))
			continue;
		first = failure(status);
		pass_on(SIGTERM);
	}
	return first;
}

static int run(char **program, const char *folder)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT};
	struct sigaction action = {.sa_handler = pass_on};
	char path[64];
	int status;

	snprintf(path, sizeof path, "%s/id", folder);
	setenv("SIMTRAIN_ID", path, 1);
	for (int rank = 0; rank < count; rank++) {
		ranks[rank] = fork();
		if (ranks[rank] == 0)
			become_rank(rank, program);
	}
	for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
	status = await_all();
	unlink(path);
	rmdir(folder);
	return status;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/simlaunch-XXXXXX";

	count = argc > 4 && !strcmp(argv[1], "-n") && !strcmp(argv[3], "--") ? atoi(argv[2]) : 0;
	if (count < 1 || count > MOST) {
		fprintf(stderr, "usage: simlaunch -n N -- PROGRAM [ARGUMENT]...  (N: 1 to %d)\n", MOST);
		return 2;
	}
	if (!mkdtemp(folder)) {
		perror("simlaunch: mkdtemp");
		return 1;
	}
	return run(argv + 4, folder);
}
