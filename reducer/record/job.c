#include "record/job.h"

#include "base/diag.h"
#include "cli/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS 10000000000
#define RETRY_NS 50000000

/* Signals that mean this process alone: they stop it together with the job, say that something is
 * wrong with it, or are ignored by inherited.c. */
static const int our_own[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGSEGV, SIGBUS,
							  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS,  SIGABRT, SIGPIPE, SIGXFSZ};

/* All that may be sent to us for the job, and SIGCHLD: even what is ignored here (nohup), the job
 * decides. They stay blocked and are taken one by one: no handler, none is lost around the fork. */
static void choose_signals(sigset_t *taken)
{
	sigfillset(taken);
	for (size_t i = 0; i < sizeof(our_own) / sizeof(our_own[0]); i++)
		sigdelset(taken, our_own[i]);
}

/* What the terminal sends (si_code SI_KERNEL) goes to the whole foreground group: the job has it
 * already. An alarm that was set before we were executed is the job's. What the job itself sent to
 * its group it has too. */
static bool is_for_job(const siginfo_t *info, pid_t job)
{
	if (info->si_code == SI_KERNEL)
		return info->si_signo == SIGALRM;
	return info->si_pid != job;
}

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The next signal; 0 when the deadline (0: none) has passed. */
static int next_signal(const sigset_t *taken, long long deadline_ns, siginfo_t *info)
{
	for (;;) {
		long long left = deadline_ns ? deadline_ns - now_ns() : 0;
		if (deadline_ns && left <= 0)
			return 0;
		struct timespec t = {left / 1000000000, left % 1000000000};
		int signal = sigtimedwait(taken, info, deadline_ns ? &t : NULL);
		if (signal > 0)
			return signal;
	}
}

/* When to ask again whether it may be ended; 0: it has been. */
static long long end_job(pid_t job, const struct job_kill *plan, long long since_ns)
{
	long long now = now_ns();
	if (now - since_ns < plan->after_ns + PATIENCE_NS && !plan->is_ready(plan->of))
		return now + RETRY_NS;
	kill(job, plan->signal);
	return 0;
}

/* Waits for the job; ends it when its time is over. */
static int attend(pid_t job, const sigset_t *taken, const struct job_kill *plan,
				  const struct job_beside *beside)
{
	long long since_ns = now_ns(), deadline_ns = plan->signal ? since_ns + plan->after_ns : 0;
	int status = 0;
	for (pid_t over = 0; over == 0; over = waitpid(job, &status, WNOHANG)) {
		siginfo_t info;
		int signal = next_signal(taken, deadline_ns, &info);
		if (signal == 0)
			deadline_ns = end_job(job, plan, since_ns);
		else if (signal == SIGCHLD)
			beside->child_ended(beside->of);
		else if (is_for_job(&info, job))
			kill(job, signal);
	}
	return status;
}

/* execvp's failure comes back through a pipe that a successful exec closes. */
static void become(char *const *argv, int report)
{
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
	if (n != sizeof(error))
		return false;
	if (error != ENOENT)
		diag("%s: %s", program, strerror(error));
	else if (access(program, F_OK) == 0)
		diag("%s: its interpreter, named in its first line, does not exist", program);
	else
		diag("%s: command not found", program);
	return true;
}

/* What the job gets of ours. */
struct handed {
	sigset_t mask;
	struct sigaction on_child;
	const int *streams;
};

static pid_t start(char *const *argv, const struct handed *handed, const int report[2])
{
	pid_t job = fork();
	if (job != 0)
		return job < 0 ? -errno : job;
	inherited_restore();
	for (int i = 0; i < 3; i++)
		if (handed->streams[i] >= 0)
			dup2(handed->streams[i], i);
	sigaction(SIGCHLD, &handed->on_child, NULL);
	sigprocmask(SIG_SETMASK, &handed->mask, NULL);
	become(argv, report[1]);
	return 0;
}

int job_run(char *const *argv, const struct job_kill *plan, const struct job_beside *beside,
			struct job_end *end)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};
	struct handed handed = {.streams = beside->streams};
	struct timespec at_once = {0, 0};
	sigset_t taken;
	int report[2];
	*end = (struct job_end){0};
	if (pipe2(report, O_CLOEXEC) != 0)
		return -errno;
	choose_signals(&taken);
	sigaction(SIGCHLD, &usual, &handed.on_child); /* ignored, the job's status would be lost */
	sigprocmask(SIG_BLOCK, &taken, &handed.mask);
	pid_t job = start(argv, &handed, report);
	close(report[1]);
	if (job > 0) {
		end->started = !failed_to_start(report[0], argv[0]);
		if (end->started)
			beside->begin(beside->of);
		int status = attend(job, &taken, plan, beside);
		end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		end->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + end->signal;
	}
	close(report[0]);
	while (sigtimedwait(&taken, NULL, &at_once) > 0)
		; /* they were for a job that is over */
	sigprocmask(SIG_SETMASK, &handed.mask, NULL);
	return job < 0 ? job : 0;
}

int job_end_like(const struct job_end *end)
{
	sigset_t set;
	if (!end->signal)
		return end->status;
	prctl(PR_SET_DUMPABLE, 0); /* the job's core is the one of interest */
	signal(end->signal, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, end->signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(end->signal);
	return end->status;
}
