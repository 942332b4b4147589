#include "record/job.h"

#include "base/diag.h"
#include "base/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child;

/* The terminal sends SIGINT and SIGQUIT to the whole foreground group: the job has them already. */
static const int from_terminal[] = {SIGINT, SIGQUIT};
static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGALRM, SIGWINCH};
enum { PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

static void pass_on(int signal)
{
	int saved_errno = errno;
	if (child > 0)
		kill((pid_t)child, signal);
	errno = saved_errno;
}

static void listen_for_signals(struct sigaction before[PASSED_ON])
{
	struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigemptyset(&pass.sa_mask);
	for (int i = 0; i < PASSED_ON; i++) {
		sigaction(passed_on[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN) /* nohup stays nohup */
			sigaction(passed_on[i], &pass, NULL);
	}
	for (int i = 0; i < 2; i++)
		sigaction(from_terminal[i], &ignore, NULL);
}

/* execvp's failure comes back through a pipe that a successful exec closes. */
static void become(char *const *argv, int report)
{
	inherited_restore();
	execvp(argv[0], argv);
	int error = errno;
	ssize_t written = write(report, &error, sizeof(error));
	(void)written;
	_exit(error == ENOENT ? 127 : 126);
}

static bool failed_to_start(int report, const char *program)
{
	int error = 0;
	ssize_t n;
	while ((n = read(report, &error, sizeof(error))) < 0 && errno == EINTR)
		;
	close(report);
	if (n != sizeof(error))
		return false;
	diag("%s: %s", program, error == ENOENT ? "command not found" : strerror(error));
	return true;
}

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Waits for the child; sends it `kill_signal` when its time is over. */
static int wait_for(pid_t pid, long long kill_after_ns, int kill_signal)
{
	long long deadline = now_ns() + kill_after_ns;
	int status = 0;
	while (kill_after_ns > 0 && now_ns() < deadline) {
		struct timespec nap = {0, 20000000};
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nanosleep(&nap, NULL);
	}
	if (kill_after_ns > 0)
		kill(pid, kill_signal);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int job_run(char *const *argv, long long kill_after_ns, int kill_signal, struct job_end *end)
{
	struct sigaction before[PASSED_ON], terminal[2];
	int report[2];
	sigset_t all, mask;
	*end = (struct job_end){0};
	if (pipe2(report, O_CLOEXEC) != 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		sigaction(from_terminal[i], NULL, &terminal[i]);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask); /* no signal is lost between fork and the handlers */
	pid_t pid = fork();
	if (pid < 0) {
		int error = -errno;
		sigprocmask(SIG_SETMASK, &mask, NULL);
		close(report[0]);
		close(report[1]);
		return error;
	}
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		become(argv, report[1]);
	}
	child = pid;
	listen_for_signals(before);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	end->started = !failed_to_start(report[0], argv[0]);
	int status = wait_for(pid, kill_after_ns, kill_signal);
	child = 0;
	for (int i = 0; i < PASSED_ON; i++)
		sigaction(passed_on[i], &before[i], NULL);
	for (int i = 0; i < 2; i++)
		sigaction(from_terminal[i], &terminal[i], NULL);
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + end->signal;
	return 0;
}

int job_end_like(const struct job_end *end)
{
	struct rlimit none = {0, 0};
	sigset_t set;
	if (!end->signal)
		return end->status;
	setrlimit(RLIMIT_CORE, &none); /* the job's core is the one of interest */
	signal(end->signal, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, end->signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(end->signal);
	return end->status;
}
