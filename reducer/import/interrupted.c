#include "import/interrupted.h"

#include "import/staging.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100 }; /* the import still writes while its files are removed */

static struct {
	const char *staging, *made;
	sigset_t signals, before;
	pthread_t thread;
	bool runs;
} watch;

/* Removes what was written and ends the program by the signal. */
static void end_by(int number)
{
	for (int i = 0; i < TRIES && !staging_remove(watch.staging); i++)
		usleep(1000);
	if (watch.made)
		rmdir(watch.made);
	signal(number, SIG_DFL);
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, number);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
}

static void *wait_for_one(void *nothing)
{
	int number;
	(void)nothing;
	if (sigwait(&watch.signals, &number) != 0)
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	end_by(number);
	return NULL;
}

void interrupted_hold(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigemptyset(&watch.signals);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sigaction how;
		if (sigaction(ends[i], NULL, &how) == 0 && how.sa_handler == SIG_DFL)
			sigaddset(&watch.signals, ends[i]);
	}
	pthread_sigmask(SIG_BLOCK, &watch.signals, &watch.before);
}

int interrupted_watch(const char *staging, const char *made)
{
	watch.staging = staging;
	watch.made = made;
	int error = pthread_create(&watch.thread, NULL, wait_for_one, NULL);
	watch.runs = error == 0;
	return -error;
}

/* The next signal that is held, or 0. */
static int held(void)
{
	const struct timespec now = {0};
	const int number = sigtimedwait(&watch.signals, NULL, &now);
	return number > 0 ? number : 0;
}

void interrupted_stop(void)
{
	if (watch.runs) {
		pthread_cancel(watch.thread);
		pthread_join(watch.thread, NULL);
	}
	watch.runs = false;
	const int number = held();
	if (number)
		end_by(number);
}

void interrupted_end(void)
{
	while (held())
		;
	pthread_sigmask(SIG_SETMASK, &watch.before, NULL);
}
