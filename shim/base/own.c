#include "base/own.h"

#include "base/guard.h"
#include "base/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_BYTES = MEMORY_THREAD_STACK, LARGE_STACK_BYTES = 8 << 20 };

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif

struct start {
	const char *name;
	void (*run)(void);
	bool own_files;
};

static SHIM_TLS bool has_own_files;

/* ---- threads ---- */

/* The job's own priority: on a machine whose cores are all busy threads of a low one have no turn,
 * and the job loses its records and waits for them at its end. No real-time policy, though. */
static void be_ordinary(void)
{
	struct sched_param none = {0};
	int policy = sched_getscheduler(0);
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		sched_setscheduler(0, SCHED_OTHER, &none);
}

static void *enter(void *data)
{
	struct start start = *(struct start *)data;
	cpu_set_t all;
	free(data);
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all); /* the kernel keeps what the job may use */
	be_ordinary();
	pthread_setname_np(pthread_self(), start.name);
	guard_raise(GUARD_SHIM); /* its own calls are not the job's */
	if (start.own_files)
		has_own_files = syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE) == 0;
	start.run();
	return NULL;
}

int own_thread_start(const char *name, void (*run)(void), bool own_files)
{
	pthread_t thread;
	pthread_attr_t attributes;
	sigset_t all, before;
	struct start *start = malloc(sizeof(*start));
	if (!start)
		return -ENOMEM;
	*start = (struct start){name, run, own_files};
	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, &attributes, enter, start);
	if (error == EINVAL) /* the job's static TLS does not fit into so small a stack */
		error = pthread_attr_setstacksize(&attributes, LARGE_STACK_BYTES) == 0
					? pthread_create(&thread, &attributes, enter, start)
					: EINVAL;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		free(start);
	return -error;
}

/* ---- descriptors ---- */

enum { FROM_THE_TOP = 4, LEAST_TABLE = 64 };

/* The size of the process's descriptor table. Beyond it the kernel makes a larger one and waits for
 * all CPUs to have seen it: some 10 ms on the thread that asks. */
static int table_size(void)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *line = strstr(text, "\nFDSize:");
	int size = line ? atoi(line + strlen("\nFDSize:")) : 0;
	return size > LEAST_TABLE ? size : LEAST_TABLE;
}

int own_fd(int fd)
{
	if (fd < 0 || has_own_files)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, table_size() - FROM_THE_TOP);
	if (high < 0)
		high = fcntl(fd, F_DUPFD_CLOEXEC, LEAST_TABLE / 2); /* a low limit */
	if (high < 0)
		return fd;
	close(fd);
	return high;
}
