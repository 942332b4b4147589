#include "own_thread.h"

#include "guard.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { STACK_BYTES = 256 << 10, UNSHARE_FILES = 2 };

struct start {
	const char *name;
	void (*run)(void);
};

static void *enter(void *data)
{
	struct start start = *(struct start *)data;
	cpu_set_t all;
	free(data);
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all); /* the kernel keeps what the job may use */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	pthread_setname_np(pthread_self(), start.name);
	guard_depth = 1; /* its own calls are nobody's launches */
	start.run();
	return NULL;
}

int own_thread_start(const char *name, void (*run)(void))
{
	pthread_t thread;
	pthread_attr_t attributes;
	sigset_t all, before;
	struct start *start = malloc(sizeof(*start));
	if (!start)
		return -ENOMEM;
	*start = (struct start){name, run};
	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, &attributes, enter, start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		free(start);
	return -error;
}

bool own_thread_private_files(void)
{
	return syscall(SYS_close_range, 0u, ~0u, UNSHARE_FILES) == 0;
}
