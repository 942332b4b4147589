/* A process that forks while 64 of its threads launch: forks CHILDREN. The children come by turns
 * from fork, vfork, clone and posix_spawn; of those of fork some call the driver, which refuses
 * (CUDA works in no child of a process that has used it), some end at once, some with the exit
 * handlers. A child that has not ended after 30 s, or a fork that does not come back, is a deadlock:
 * status 9. At the end: "launched N children N". */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *),
	cuCtxSynchronize(void);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				   void *, void **, void **);

enum { THREADS = 64, PATIENCE_S = 30 };

static void *context, *function;
static atomic_int over;
static atomic_llong launched;

static void launch_one(void)
{
	cuLaunchKernel(function, 8, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
}

static void *launch(void *unused)
{
	struct timespec pause = {.tv_nsec = 2000000};
	cuCtxSetCurrent(context);
	while (!atomic_load(&over)) {
		for (int i = 0; i < 4; i++)
			launch_one();
		atomic_fetch_add(&launched, 4);
		nanosleep(&pause, NULL);
	}
	return unused;
}

static pid_t child_of(int number)
{
	char *arguments[] = {"true", NULL}, *nothing[] = {NULL};
	pid_t pid = -1;
	switch (number % 6) {
	case 4: /* NOLINT: what vfork is for */
		pid = vfork();
		if (pid == 0)
			_exit(0);
		return pid;
	case 5:
		return posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, nothing) == 0 ? pid : -1;
	case 3:
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		break;
	default:
		pid = fork();
	}
	if (pid != 0)
		return pid;
	alarm(PATIENCE_S);
	if (number % 6 == 1)
		launch_one();
	if (number % 6 == 2)
		exit(0);
	_exit(0);
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 1, wrong = 0;
	pthread_t threads[THREADS];
	void *module;
	cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuModuleLoadData(&module, "");
	cuModuleGetFunction(&function, module, "a_kernel");
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, launch, NULL) != 0)
			return 8;
	for (int i = 0; i < children; i++) {
		int status = -1;
		alarm(PATIENCE_S); /* of the parent: a fork that does not come back */
		pid_t pid = child_of(i);
		wrong += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
		alarm(0);
	}
	atomic_store(&over, 1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cuCtxSynchronize();
	printf("launched %lld children %d\n", (long long)launched, children);
	return wrong ? 9 : 0;
}
