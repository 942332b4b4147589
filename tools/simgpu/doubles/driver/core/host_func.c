#include "doubles/driver/core/host_func.h"

#include "doubles/driver/core/core.h"
#include "engine/room.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct job {
	struct job *next;
	void (*function)(void *data);
	void *data;
	void (*over)(void *who);
	void *who;
};

static struct job *first, **last = &first; /* under the engine's lock */
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static bool running;

__attribute__((noreturn)) static void *run(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "simgpu-host");
	pthread_mutex_lock(&core.lock);
	for (;;) {
		struct job *job = first;
		if (!job) {
			pthread_cond_wait(&more, &core.lock);
			continue;
		}
		first = job->next;
		if (!first)
			last = &first;
		core_unlock();
		job->function(job->data);
		core_lock();
		job->over(job->who);
		core_unlock();
		free(job);
		pthread_mutex_lock(&core.lock);
	}
}

static bool start(void)
{
	sigset_t all, before;
	pthread_t thread;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(&thread, NULL, run, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		pthread_detach(thread);
	else
		fputs("simgpu: no thread for host functions\n", stderr);
	return started;
}

void host_func_run(void (*function)(void *data), void *data, void (*over)(void *who), void *who)
{
	struct job *job = must(malloc(sizeof(*job)));
	*job = (struct job){NULL, function, data, over, who};
	*last = job;
	last = &job->next;
	if (!running)
		running = start();
	pthread_cond_signal(&more);
}
