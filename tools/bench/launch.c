/* What recording a launch adds, against the floor measured in the same run: an empty wrapper, two
 * timestamps and a 32-byte store, the shim's callback pair (enter, exit) as CUPTI makes it. Rounds
 * of all of them alternate; a round is PUTS launches, then the rings are drained. A shared library,
 * so that a Python program can call it 30 frames deep. launch_bench(rounds) prints the table.
 * Environment as for a recorded job, with BATON_CUPTI=replay_cupti.so (tests/shim): it calls
 * nothing by itself and gives away the callback that the shim subscribed. */
#include "base/clock.h"
#include "base/guard.h"
#include "ring/lane.h"
#include "sources/cupti/cupti_layout.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PUTS = 4096, WAYS = 3 };

typedef void (*callback)(void *user, int domain, uint32_t id, const void *data);

SHIM_EXPORT int launch_bench(int rounds);
SHIM_EXPORT int InitializeInjection(void);

static struct baton_slot ring[16384];
static uint64_t ring_head;
static double ns_per_tick;

static __attribute__((noinline)) void work(void)
{
	__asm__ volatile("" ::: "memory");
}

/* The floor of a launch that is timed by callbacks: a timestamp at the enter, another and a 32-byte
 * store at the exit. */
static void floor_callback(void *user, int domain, uint32_t id, const void *data)
{
	const struct cupti_call *call = data;
	(void)user;
	(void)domain;
	(void)id;
	if (call->site == CUPTI_ENTER) {
		*call->data = clock_ticks();
		return;
	}
	struct baton_slot *slot = &ring[ring_head++ & 16383];
	slot->begin = *call->data;
	slot->correlation = call->correlation;
	slot->end = clock_ticks();
}

static void empty_callback(void *user, int domain, uint32_t id, const void *data)
{
	(void)user;
	(void)domain;
	(void)id;
	(void)data;
}

static callback ways[WAYS] = {empty_callback, floor_callback, NULL /* the shim's */};
static const char *const way_names[WAYS] = {"empty callbacks", "two timestamps + 32-byte store",
											"recorded"};

/* A launch as CUPTI shows it. */
static __attribute__((noinline)) void launch(callback on_event, uint32_t i)
{
	static int result;
	unsigned long long data = 0;
	struct cupti_call call = {.site = CUPTI_ENTER,
							  .function = "cudaLaunchKernel",
							  .result = &result,
							  .symbol = "kernel",
							  .data = &data,
							  .correlation = i + 1};
	on_event(NULL, CUPTI_DOMAIN_RUNTIME, CUPTI_CBID_cudaLaunchKernel_v7000, &call);
	work();
	call.site = CUPTI_EXIT;
	on_event(NULL, CUPTI_DOMAIN_RUNTIME, CUPTI_CBID_cudaLaunchKernel_v7000, &call);
}

static int ascending(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static double tick_ns(void)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	uint64_t from = clock_ticks();
	usleep(50000);
	uint64_t to = clock_ticks();
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
		   (double)(to - from);
}

/* Each launch timed alone for the tail; the clock's own cost is in every row alike. */
static void one_round(int way, float *times, double *mean)
{
	uint64_t begin = clock_ticks();
	for (uint32_t i = 0; i < PUTS; i++)
		launch(ways[way], i);
	*mean = (double)(clock_ticks() - begin) * ns_per_tick / PUTS;
	usleep(30000); /* the writer thread empties the ring; for all, so that all begin as cold */
	for (uint32_t i = 0; i < PUTS; i++) {
		uint64_t t = clock_ticks();
		launch(ways[way], i);
		times[i] = (float)((double)(clock_ticks() - t) * ns_per_tick);
	}
	usleep(30000);
}

static int double_ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print_row(const char *name, double *means, float *times, int rounds, double floor_ns)
{
	size_t n = (size_t)rounds * PUTS;
	qsort(means, (size_t)rounds, sizeof(*means), double_ascending);
	qsort(times, n, sizeof(*times), ascending);
	double median = means[rounds / 2];
	printf("  %-34s %8.1f %8.1f %9.1f %10.1f", name, median, (double)times[n * 99 / 100],
		   (double)times[n * 999 / 1000], (double)times[n * 9999 / 10000]);
	if (floor_ns > 0)
		printf("   %5.2f x", median / floor_ns);
	printf("\n");
}

static bool attach(void)
{
	InitializeInjection();
	void *replay = dlopen(getenv("BATON_CUPTI"), RTLD_NOLOAD | RTLD_LAZY);
	callback *held = replay ? dlsym(replay, "subscriber") : NULL;
	ways[WAYS - 1] = held ? *held : NULL;
	if (!ways[WAYS - 1])
		fprintf(stderr, "launch bench: BATON_CUPTI is not replay_cupti.so, or BATON_OUT is not set\n");
	return ways[WAYS - 1] != NULL;
}

int launch_bench(int rounds)
{
	float *times[WAYS];
	double *means[WAYS];
	if (!attach())
		return 1;
	launch(ways[WAYS - 1], 0); /* begins the recording */
	ns_per_tick = tick_ns();
	for (int way = 0; way < WAYS; way++) {
		times[way] = malloc((size_t)rounds * PUTS * sizeof(float));
		means[way] = malloc((size_t)rounds * sizeof(double));
	}
	for (int r = 0; r < rounds; r++)
		for (int way = 0; way < WAYS; way++)
			one_round(way, times[way] + (size_t)r * PUTS, &means[way][r]);
	printf("  %-34s %8s %8s %9s %10s   ns per launch; tails are of single launches\n", "", "median",
		   "p99", "p99.9", "p99.99");
	double floor_ns = 0;
	for (int way = 0; way < WAYS; way++) {
		print_row(way_names[way], means[way], times[way], rounds, floor_ns);
		floor_ns = way == 1 ? means[1][rounds / 2] : floor_ns;
		free(times[way]);
		free(means[way]);
	}
	return 0;
}
