#include "record_beside.h"

#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define S INT64_C(1000000000)
enum { NICER = 10, PROCESSES = 10 };

/* ---- in the process ---- */

int64_t beside_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * S + t.tv_nsec;
}

void beside_sleep_until(int64_t at_ns)
{
	for (int64_t left; (left = at_ns - beside_now_ns()) > 0;) {
		const struct timespec pause = {left / S, left % S};
		nanosleep(&pause, NULL);
	}
}

bool beside_goes_on(pid_t parent)
{
	return getppid() == parent;
}

int beside_turn(int (*work)(void *of), void *of, bool quiet)
{
	const pid_t parent = getpid(), pid = fork();
	int status = 0;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) /* it was ended just now */
			_exit(STATUS_OK);
		const int nowhere = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
		if (nowhere >= 0)
			dup2(nowhere, STDERR_FILENO);
		_exit(work(of));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : (int)STATUS_INPUT;
}

/* Only its parent ends it: what a terminal, a scheduler or another program sends to the job's group
 * (SIGINT, SIGTERM, SIGUSR1 ...) is for the job, which may go on. */
static void block_signals(void)
{
	static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t taken;
	sigfillset(&taken);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		sigdelset(&taken, stops[i]);
	sigprocmask(SIG_SETMASK, &taken, NULL);
}

static void __attribute__((noreturn)) be_beside(const struct beside *beside, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_DFL);
	block_signals();
	setpriority(PRIO_PROCESS, 0, NICER);
	beside->be(beside->of, parent);
	_exit(STATUS_OK);
}

/* ---- in `baton record` ---- */

void beside_begin(struct beside *beside)
{
	const pid_t parent = getpid();
	beside->process = fork();
	if (beside->process == 0)
		be_beside(beside, parent);
	beside->begun++;
	if (beside->process < 0)
		diag("%s: no process beside the job (%s): %s", beside->option, strerror(errno),
			 beside->without);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* With WNOHANG in `how` it may still run. True: it has ended. */
static bool has_ended(struct beside *beside, int how)
{
	struct rusage took = {0};
	pid_t ended;
	while ((ended = wait4(beside->process, NULL, how, &took)) < 0 && errno == EINTR)
		;
	if (ended == 0)
		return false;
	beside->process = 0;
	beside->cpu_s += seconds(&took.ru_utime) + seconds(&took.ru_stime);
	return true;
}

void beside_attend(struct beside *beside)
{
	if (beside->process <= 0 || !has_ended(beside, WNOHANG))
		return;
	if (beside->begun == 1)
		diag("%s: the process beside the job was killed: another one takes its place",
			 beside->option);
	if (beside->begun < PROCESSES)
		beside_begin(beside);
	else
		diag("%s: the process beside the job was killed %d times: no other one is started; %s",
			 beside->option, PROCESSES, beside->without);
}

void beside_end(struct beside *beside)
{
	if (beside->process <= 0)
		return;
	kill(beside->process, SIGKILL);
	has_ended(beside, 0);
}
