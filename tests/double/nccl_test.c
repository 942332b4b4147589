/* The libnccl double, from outside: every rank is a process of its own, results are compared with
 * what they must be, kernels are counted by an observer of the driver. Keeps out: wrong sums,
 * chunks mixed up at slot borders, groups that launch one kernel too many, peers that hang when a
 * rank dies, ends that differ between ranks, files left in /dev/shm. */
#include "nccl_cases.h"

#include "doubles/observe.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

int rank = -1, ranks;
ncclComm_t comm;
ncclStream_t stream;
struct shared *shared;

/* ---- the kernels that ran ---- */

struct kernel kernels[MOST_KERNELS];
static _Atomic unsigned kernel_count;

static void see_op(const struct sim_record *record)
{
	unsigned at;

	if (record->kind != SIM_KERNEL || !strstr(record->name, "nccl"))
		return;
	at = atomic_fetch_add(&kernel_count, 1);
	if (at >= MOST_KERNELS)
		return;
	snprintf(kernels[at].name, sizeof kernels[at].name, "%s", record->name);
	kernels[at].start_ns = record->start_ns;
	kernels[at].end_ns = record->end_ns;
	kernels[at].stream = record->stream;
}

static const struct sim_observer observer = {.op = see_op};

void watch(void)
{
	simgpu_observe(&observer);
	simgpu_settle(5000);
	atomic_store(&kernel_count, 0);
}

unsigned watched(void)
{
	CHECK(simgpu_settle(5000));
	return atomic_load(&kernel_count);
}

/* ---- buffers ---- */

void *to_device(const void *data, size_t bytes)
{
	void *at;

	CHECK(!cudaMalloc(&at, bytes ? bytes : 1));
	CHECK(!cudaMemcpy(at, data, bytes, TO_DEVICE));
	return at;
}

void *zeros(size_t bytes)
{
	void *empty = calloc(1, bytes ? bytes : 1), *at = to_device(empty, bytes);

	free(empty);
	return at;
}

void *to_host(const void *at, size_t bytes)
{
	void *data = malloc(bytes ? bytes : 1);

	CHECK(!cudaStreamSynchronize(stream));
	CHECK(!cudaMemcpy(data, at, bytes, TO_HOST));
	return data;
}

float *floats(size_t n, float base)
{
	float *data = malloc((n ? n : 1) * sizeof *data);

	for (size_t i = 0; i < n; i++)
		data[i] = base + (float)(i % 1000);
	return data;
}

void expect(const void *at, size_t n, float base, float slope)
{
	float *data = to_host(at, n * sizeof *data);

	for (size_t i = 0; i < n; i++)
		if (data[i] != base + slope * (float)(i % 1000)) {
			fprintf(stderr, "element %zu is %g, not %g\n", i, (double)data[i],
					(double)(base + slope * (float)(i % 1000)));
			CHECK(!"the result");
		}
	free(data);
}

void init(void)
{
	CHECK(!cudaSetDevice(rank));
	CHECK(!cudaStreamCreate(&stream));
	CHECK(!ncclCommInitRank(&comm, ranks, shared->id, rank));
}

float rank_sum(void)
{
	return (float)(ranks * (ranks - 1) / 2);
}

void sum_over(ncclComm_t which, int n, float wanted)
{
	float one = (float)rank;
	void *in = to_device(&one, sizeof one), *out = zeros(sizeof one);

	CHECK(!ncclAllReduce(in, out, 1, ncclFloat32, ncclSum, which, stream));
	expect(out, 1, wanted, 0);
	CHECK(!ncclCommCount(which, &n));
}

/* ---- the cases ---- */

static const struct test_case {
	const char *name;
	void (*run)(void);
	int least; /* ranks */
	const char *variable, *value;
	bool killed; /* the last rank ends by SIGKILL */
} cases[] = {{"types", case_types, 1, NULL, NULL, false},
			 {"collectives", case_collectives, 1, NULL, NULL, false},
			 {"pieces", case_pieces, 1, NULL, NULL, false},
			 {"messages", case_messages, 1, NULL, NULL, false},
			 {"groups", case_groups, 2, NULL, NULL, false},
			 {"ends", case_ends, 2, "SIMGPU_NCCL_SLOW", "2000", false},
			 {"split", case_split, 1, NULL, NULL, false},
			 {"operators", case_operators, 1, NULL, NULL, false},
			 {"refusals", case_refusals, 1, NULL, NULL, false},
			 {"dead", case_dead, 2, NULL, NULL, true},
			 {"mismatch", case_mismatch, 2, NULL, NULL, false},
			 {"abort", case_abort, 2, NULL, NULL, false},
			 {"nonblocking", case_nonblocking, 1, NULL, NULL, false},
			 {"absent", case_absent, 2, "SIMGPU_NCCL_TIMEOUT_MS", "300", false},
			 {"exit", case_exit, 2, NULL, NULL, false},
			 {"orphan", case_orphan, 1, NULL, NULL, false},
			 {"all", case_all, 1, NULL, NULL, false}};

static bool one_ended(const struct test_case *test, int which, int status)
{
	bool killed = test->killed && which == ranks - 1;

	if (killed ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "%s: rank %d of %d ended with %#x\n", test->name, which, ranks, status);
	return false;
}

static void child(const struct test_case *test, int which)
{
	rank = which;
	if (test->variable)
		setenv(test->variable, test->value, 1);
	alarm(60);
	test->run();
	exit(0);
}

static bool run_case(const struct test_case *test, int n)
{
	pid_t pids[MOST_RANKS];
	bool good = true;
	int status;

	ranks = n;
	memset(shared, 0, sizeof *shared);
	CHECK(!ncclGetUniqueId(&shared->id));
	for (int i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			child(test, i);
	}
	for (int i = 0; i < n; i++)
		good &= waitpid(pids[i], &status, 0) == pids[i] && one_ended(test, i, status);
	return good;
}

/* nccl_test CASE RANKS; without arguments: the cases, and from how many ranks on. */
int main(int argc, char **argv)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (argc < 3)
			printf("%s %d\n", cases[i].name, cases[i].least);
		else if (!strcmp(argv[1], cases[i].name))
			return run_case(&cases[i], atoi(argv[2])) ? 0 : 1;
	}
	return argc < 3 ? 0 : 2;
}
