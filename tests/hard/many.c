/* Threads that launch: many THREADS LAUNCHES [ROUNDS [SECONDS [EACH]]]. In each round THREADS new
 * threads make LAUNCHES launches each, all beside each other; up to ROUNDS rounds (1), or as many
 * as SECONDS give time for; a round begins EACH seconds after the one before it, or later. After
 * each round a line: "round N kib M data D", M what of this process is resident, D what of its own
 * it has asked for (VmData). The last line: "launched N". Status: of the last synchronisation.
 * MANY_LEAK=BYTES: so many are lost a round. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *),
	cuCtxSynchronize(void);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				   void *, void **, void **);

static void *context, *function, *module;
static int launches;

static void *launch(void *unused)
{
	cuCtxSetCurrent(context);
	for (int i = 0; i < launches; i++)
		cuLaunchKernel(function, 8, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
	return unused;
}

/* What a file of /proc/self says; `form`: of its line. */
static long kib_of(const char *path, const char *form)
{
	FILE *file = fopen(path, "r");
	long kib = 0;
	char line[256];
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, form, &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A planted leak: so many bytes a round, a page as soon as there is one of them. */
static void leak(double bytes)
{
	static double owed;
	owed += bytes;
	for (; owed >= 4096; owed -= 4096) {
		char *lost = malloc(4096);
		if (lost)
			memset(lost, 1, 4096);
	}
}

static void sleep_until(double when)
{
	const double left = when - now_s();
	const struct timespec rest = {.tv_sec = (time_t)left,
								  .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
	if (left > 0)
		nanosleep(&rest, NULL);
}

int main(int argc, char **argv)
{
	const char *lost = getenv("MANY_LEAK");
	const double each = argc > 5 ? atof(argv[5]) : 0, begin = now_s();
	int threads = argc > 1 ? atoi(argv[1]) : 1, rounds = argc > 3 ? atoi(argv[3]) : 1, round = 0;
	double end = argc > 4 ? now_s() + atof(argv[4]) : 1e18;
	launches = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t *thread = calloc((size_t)threads, sizeof(*thread));
	int status = cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuModuleLoadData(&module, "");
	cuModuleGetFunction(&function, module, "a_kernel");
	while (thread && status == 0 && round < rounds && now_s() < end) {
		sleep_until(begin + each * round);
		for (int i = 0; i < threads; i++)
			if (pthread_create(&thread[i], NULL, launch, NULL) != 0)
				return 9;
		for (int i = 0; i < threads; i++)
			pthread_join(thread[i], NULL);
		status = cuCtxSynchronize();
		leak(lost ? atof(lost) : 0);
		printf("round %d kib %ld data %ld\n", ++round,
			   kib_of("/proc/self/smaps_rollup", "Rss: %ld"),
			   kib_of("/proc/self/status", "VmData: %ld"));
		fflush(stdout);
	}
	printf("launched %lld\n", (long long)round * threads * launches);
	free(thread);
	return status;
}
