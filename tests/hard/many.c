/* Threads that launch: many THREADS LAUNCHES [ROUNDS [SECONDS [EACH]]]. In each round THREADS new
 * threads make LAUNCHES launches each, all beside each other; up to ROUNDS rounds (1), or as many
 * as SECONDS give time for; a round begins EACH seconds after the one before it, or later. After
 * each round a line: "round N kib M held H mapped P files F", M what of this process is resident, H and
 * P the bytes that the recorder has allocated and mapped (held.so; -1 without it), F the open files.
 * The last line: "launched N". Status: of the last synchronisation. MANY_LEAK=BYTES: so many the
 * recorder loses a round. */
#include <dirent.h>
#include <dlfcn.h>
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

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	long kib = 0;
	char line[256];
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Rss: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;
	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A planted leak: so many bytes a round, a fraction of one too. */
static void leak(double bytes)
{
	void (*lose)(size_t) = (void (*)(size_t))dlsym(RTLD_DEFAULT, "recorder_leak");
	static double owed;
	owed += bytes;
	if (lose && owed >= 1)
		lose((size_t)owed);
	owed -= (double)(size_t)owed;
}

static void sleep_ms(int ms)
{
	const struct timespec rest = {.tv_nsec = ms * 1000000l};
	nanosleep(&rest, NULL);
}

static void rest_until(double when)
{
	while (now_s() < when)
		sleep_ms(2);
}

/* What a function of held.so says; -1 without it. */
static long long told(const char *name)
{
	long long (*tells)(void) = (long long (*)(void))dlsym(RTLD_DEFAULT, name);
	return tells ? tells() : -1;
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
		for (int i = 0; i < threads; i++)
			if (pthread_create(&thread[i], NULL, launch, NULL) != 0)
				return 9;
		for (int i = 0; i < threads; i++)
			pthread_join(thread[i], NULL);
		status = cuCtxSynchronize();
		leak(lost ? atof(lost) : 0);
		rest_until(begin + each * ++round);
		printf("round %d kib %ld held %lld mapped %lld files %d\n", round, resident_kib(),
			   told("recorder_holds"), told("recorder_maps"), open_files());
		fflush(stdout);
	}
	printf("launched %lld\n", (long long)round * threads * launches);
	free(thread);
	return status;
}
