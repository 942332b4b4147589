/* The libnccl double, from outside: every rank is a process of its own, results are compared with
 * what they must be, kernels are counted by an observer of the driver. Keeps out: wrong sums,
 * chunks mixed up at slot borders, groups that launch one kernel too many, peers that hang when a
 * rank dies, ends that differ between ranks, files left in /dev/shm. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nccl.h"
#include "observe.h"

int cudaSetDevice(int device);
int cudaMalloc(void **ptr, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaStreamCreate(ncclStream_t *stream);
int cudaStreamSynchronize(ncclStream_t stream);

enum { TO_DEVICE = 1, TO_HOST = 2, MOST_RANKS = 4, MOST_KERNELS = 64, BIG = 700001 };

#define CHECK(condition)                                                                        \
	do {                                                                                        \
		if (!(condition)) {                                                                     \
			fprintf(stderr, "%s:%d: rank %d of %d: %s (%s)\n", __FILE__, __LINE__, rank, ranks, \
					#condition, ncclGetLastError(comm));                                        \
			_exit(1);                                                                           \
		}                                                                                       \
	} while (0)

static int rank = -1, ranks;
static ncclComm_t comm;
static ncclStream_t stream;

/* What the parent and all ranks see. */
static struct shared {
	ncclUniqueId id;
	int64_t start_ns[MOST_RANKS][MOST_KERNELS], end_ns[MOST_RANKS][MOST_KERNELS];
	_Atomic int arrived;
} * shared;

/* ---- the kernels that ran ---- */

static struct kernel {
	char name[128];
	int64_t start_ns, end_ns;
	uint32_t stream;
} kernels[MOST_KERNELS];
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

static void watch(void)
{
	simgpu_observe(&observer);
	simgpu_settle(5000);
	atomic_store(&kernel_count, 0);
}

static unsigned watched(void)
{
	CHECK(simgpu_settle(5000));
	return atomic_load(&kernel_count);
}

/* ---- buffers ---- */

static void *to_device(const void *data, size_t bytes)
{
	void *at;

	CHECK(!cudaMalloc(&at, bytes ? bytes : 1));
	CHECK(!cudaMemcpy(at, data, bytes, TO_DEVICE));
	return at;
}

static void *zeros(size_t bytes)
{
	void *empty = calloc(1, bytes ? bytes : 1), *at = to_device(empty, bytes);

	free(empty);
	return at;
}

static void *to_host(const void *at, size_t bytes)
{
	void *data = malloc(bytes ? bytes : 1);

	CHECK(!cudaStreamSynchronize(stream));
	CHECK(!cudaMemcpy(data, at, bytes, TO_HOST));
	return data;
}

static float *floats(size_t n, float base)
{
	float *data = malloc((n ? n : 1) * sizeof *data);

	for (size_t i = 0; i < n; i++)
		data[i] = base + (float)(i % 1000);
	return data;
}

static void expect(const void *at, size_t n, float base, float slope)
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

static void init(void)
{
	CHECK(!cudaSetDevice(rank));
	CHECK(!cudaStreamCreate(&stream));
	CHECK(!ncclCommInitRank(&comm, ranks, shared->id, rank));
}

static float rank_sum(void)
{
	return (float)(ranks * (ranks - 1) / 2);
}

/* ---- cases; each in every rank ---- */

/* Rank r gives 1 + r + i % 3: small enough for every type, exact in all of them. */
static double given(int r, size_t i)
{
	return 1 + r + (double)(i % 3);
}

static double reduced(ncclRedOp_t op, size_t i)
{
	double value = given(0, i);

	for (int r = 1; r < ranks; r++) {
		double one = given(r, i);

		value = op == ncclProd  ? value * one
				: op == ncclMax ? fmax(value, one)
				: op == ncclMin ? fmin(value, one)
								: value + one;
	}
	return op == ncclAvg ? value / ranks : value;
}

static uint16_t half_of(double value) /* positive normal numbers */
{
	int exponent;
	double fraction = frexp(value, &exponent);

	return (uint16_t)((exponent + 14) << 10 | (int)nearbyint((fraction * 2 - 1) * 1024));
}

static uint16_t bfloat_of(double value)
{
	float single = (float)value;
	uint32_t bits;

	memcpy(&bits, &single, sizeof bits);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static size_t put(void *out, size_t i, ncclDataType_t type, double value)
{
	switch (type) {
	case ncclInt8:
	case ncclUint8:
		((uint8_t *)out)[i] = (uint8_t)value;
		return 1;
	case ncclInt32:
	case ncclUint32:
		((uint32_t *)out)[i] = (uint32_t)value;
		return 4;
	case ncclInt64:
	case ncclUint64:
		((uint64_t *)out)[i] = (uint64_t)value;
		return 8;
	case ncclFloat16:
	case ncclBfloat16:
		((uint16_t *)out)[i] = type == ncclFloat16 ? half_of(value) : bfloat_of(value);
		return 2;
	case ncclFloat32:
		((float *)out)[i] = (float)value;
		return 4;
	default:
		((double *)out)[i] = value;
		return 8;
	}
}

static void one_type(ncclDataType_t type, ncclRedOp_t op)
{
	enum { N = 997 };
	uint64_t mine[N], wanted[N], *got;
	size_t bytes = 0;
	void *in, *out;

	for (size_t i = 0; i < N; i++) {
		bytes = put(mine, i, type, given(rank, i)) * N;
		put(wanted, i, type, reduced(op, i));
	}
	in = to_device(mine, bytes);
	out = zeros(bytes);
	CHECK(!ncclAllReduce(in, out, N, type, op, comm, stream));
	got = to_host(out, bytes);
	if (memcmp(got, wanted, bytes)) {
		fprintf(stderr, "type %d op %d\n", (int)type, (int)op);
		CHECK(!"all types reduce");
	}
	free(got);
}

static void case_types(void)
{
	init();
	for (int type = ncclInt8; type <= ncclBfloat16; type++)
		for (int op = ncclSum; op <= ncclAvg; op++)
			one_type((ncclDataType_t)type, (ncclRedOp_t)op);
	CHECK(!ncclCommDestroy(comm));
}

static void case_collectives(void)
{
	size_t n = BIG, each = BIG * sizeof(float);
	float *mine = floats(n, (float)rank);
	void *in, *out, *wide;

	init();
	in = to_device(mine, each);
	out = zeros(each);
	wide = zeros(each * (size_t)ranks);
	CHECK(!ncclAllReduce(in, out, n, ncclFloat32, ncclSum, comm, stream));
	expect(out, n, rank_sum(), (float)ranks);
	CHECK(!ncclBroadcast(in, out, n, ncclFloat32, ranks - 1, comm, stream));
	expect(out, n, (float)(ranks - 1), 1);
	CHECK(!ncclReduce(in, out, n, ncclFloat32, ncclMax, 0, comm, stream));
	expect(out, n, (float)(ranks - 1), 1); /* the root has it, the others keep the broadcast's */
	CHECK(!ncclAllGather(in, wide, n, ncclFloat32, comm, stream));
	for (int r = 0; r < ranks; r++)
		expect((char *)wide + (size_t)r * each, n, (float)r, 1);
	CHECK(!ncclReduceScatter(wide, out, n, ncclFloat32, ncclSum, comm, stream));
	expect(out, n, (float)(rank * ranks), (float)ranks);
	CHECK(!ncclAllReduce(in, in, n, ncclFloat32, ncclSum, comm, stream)); /* in place */
	expect(in, n, rank_sum(), (float)ranks);
	CHECK(!ncclBcast(in, n, ncclFloat32, 0, comm, stream));
	expect(in, n, rank_sum(), (float)ranks);
	CHECK(!ncclCommDestroy(comm));
	free(mine);
}

static void case_pieces(void)
{
	size_t n = 50001, each = n * sizeof(float);
	float *mine = floats(n * (size_t)ranks, (float)(rank * 10));
	void *in, *out;

	for (int r = 0; r < ranks; r++)
		for (size_t i = 0; i < n; i++)
			mine[(size_t)r * n + i] = (float)(rank * 10 + r) + (float)(i % 1000);
	init();
	in = to_device(mine, each * (size_t)ranks);
	out = zeros(each * (size_t)ranks);
	CHECK(!ncclAlltoAll(in, out, n, ncclFloat32, comm, stream));
	for (int r = 0; r < ranks; r++)
		expect((char *)out + (size_t)r * each, n, (float)(r * 10 + rank), 1);
	CHECK(!ncclGather(in, out, n, ncclFloat32, 0, comm, stream));
	for (int r = 0; rank == 0 && r < ranks; r++)
		expect((char *)out + (size_t)r * each, n, (float)(r * 10), 1);
	CHECK(!ncclScatter(in, out, n, ncclFloat32, 0, comm, stream));
	expect(out, n, (float)rank, 1);
	CHECK(!ncclCommDestroy(comm));
	free(mine);
}

static void case_messages(void)
{
	size_t n = BIG, each = n * sizeof(float);
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
	float *mine = floats(n, (float)rank);
	void *in, *out;

	init();
	in = to_device(mine, each);
	out = zeros(each);
	for (int round = 0; round < 3; round++) { /* a ring: everybody sends before it receives */
		CHECK(!ncclGroupStart());
		CHECK(!ncclSend(in, n, ncclFloat32, next, comm, stream));
		CHECK(!ncclRecv(out, n, ncclFloat32, before, comm, stream));
		CHECK(!ncclGroupEnd());
		expect(out, n, (float)before, 1);
	}
	/* a pipeline, outside groups: down and up */
	if (rank > 0)
		CHECK(!ncclRecv(out, n, ncclFloat32, rank - 1, comm, stream));
	if (rank < ranks - 1)
		CHECK(!ncclSend(in, n, ncclFloat32, rank + 1, comm, stream));
	if (rank > 0)
		expect(out, n, (float)(rank - 1), 1);
	CHECK(!ncclCommDestroy(comm));
	free(mine);
}

static void case_groups(void)
{
	enum { N = 1000 };
	void *in, *out[3];
	ncclStream_t second;

	init();
	CHECK(!cudaStreamCreate(&second));
	float *mine = floats(N, (float)rank);
	in = to_device(mine, N * sizeof(float));
	for (int i = 0; i < 3; i++)
		out[i] = zeros(N * sizeof(float));
	watch();
	for (int i = 0; i < 3; i++)
		CHECK(!ncclAllReduce(in, out[i], N, ncclFloat32, ncclSum, comm, stream));
	CHECK(watched() == 3);
	CHECK(!strcmp(kernels[0].name, "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL"
								   "24ncclDevKernelArgsStorageILm4096EE"));
	watch();
	CHECK(!ncclGroupStart());
	CHECK(!ncclGroupStart()); /* nested: only the outermost end launches */
	for (int i = 0; i < 3; i++)
		CHECK(!ncclAllReduce(in, out[i], N, ncclFloat32, ncclMax, comm, stream));
	CHECK(!ncclGroupEnd());
	CHECK(watched() == 0);
	CHECK(!ncclSend(in, N, ncclFloat32, (rank + 1) % ranks, comm, stream));
	CHECK(!ncclRecv(out[2], N, ncclFloat32, (rank + ranks - 1) % ranks, comm, stream));
	CHECK(!ncclGroupEnd());
	CHECK(watched() == 1); /* three collectives, a send and a receive: one kernel */
	expect(out[0], N, (float)(ranks - 1), 1);
	watch();
	CHECK(!ncclGroupStart());
	CHECK(!ncclAllReduce(in, out[0], N, ncclFloat32, ncclSum, comm, stream));
	CHECK(!ncclAllReduce(in, out[1], N, ncclFloat32, ncclSum, comm, second));
	CHECK(!ncclGroupEnd());
	CHECK(watched() == 2 && kernels[0].stream != kernels[1].stream);
	CHECK(!cudaStreamSynchronize(second));
	expect(out[1], N, rank_sum(), (float)ranks);
	watch();
	CHECK(!ncclAlltoAll(zeros(N * 4 * MOST_RANKS), zeros(N * 4 * MOST_RANKS), N, ncclFloat32, comm,
						stream));
	CHECK(watched() == 1 && strstr(kernels[0].name, "ncclDevKernel_SendRecv"));
	watch();
	CHECK(!ncclAllReduce(in, out[0], 0, ncclFloat32, ncclSum, comm, stream));
	CHECK(watched() == 0); /* nothing to do: no kernel */
	CHECK(!ncclCommDestroy(comm));
	free(mine);
}

/* Every rank's kernel ends when the last one's does, not before that one started. */
static void case_ends(void)
{
	enum { ROUNDS = 8, N = 4096 };
	void *in;

	init();
	in = zeros(N * sizeof(float));
	CHECK(!ncclAllReduce(in, in, N, ncclFloat32, ncclSum, comm, stream));
	CHECK(!cudaStreamSynchronize(stream));
	watch();
	for (int i = 0; i < ROUNDS; i++) {
		usleep((useconds_t)(i % ranks == rank ? 20000 : 0)); /* a late rank, by turns */
		CHECK(!ncclAllReduce(in, in, N, ncclFloat32, ncclSum, comm, stream));
		CHECK(!cudaStreamSynchronize(stream));
	}
	CHECK(watched() == ROUNDS);
	for (int i = 0; i < ROUNDS; i++) {
		shared->start_ns[rank][i] = kernels[i].start_ns;
		shared->end_ns[rank][i] = kernels[i].end_ns;
	}
	atomic_fetch_add(&shared->arrived, 1);
	while (atomic_load(&shared->arrived) < ranks)
		usleep(1000);
	for (int i = 0; i < ROUNDS; i++)
		for (int other = 0; other < ranks; other++) {
			int64_t apart = shared->end_ns[other][i] - shared->end_ns[rank][i];

			CHECK(apart <= 1500 && apart >= -1500);
			/* SIMGPU_NCCL_SLOW=2000 in this case: a latency of 20 ms */
			CHECK(shared->end_ns[rank][i] >= shared->start_ns[other][i] + 20000000);
		}
	CHECK(!ncclCommDestroy(comm));
}

static void sum_over(ncclComm_t which, int n, float wanted)
{
	float one = (float)rank;
	void *in = to_device(&one, sizeof one), *out = zeros(sizeof one);

	CHECK(!ncclAllReduce(in, out, 1, ncclFloat32, ncclSum, which, stream));
	expect(out, 1, wanted, 0);
	CHECK(!ncclCommCount(which, &n));
}

static void case_split(void)
{
	ncclComm_t half, reversed, shrunk;
	int n, place, excluded = 0;
	float alike = 0;

	init();
	CHECK(!ncclCommSplit(comm, rank % 2, rank, &half, NULL));
	CHECK(!ncclCommCount(half, &n) && n == (ranks + 1 - rank % 2) / 2);
	CHECK(!ncclCommUserRank(half, &place) && place == rank / 2);
	for (int r = rank % 2; r < ranks; r += 2)
		alike += (float)r;
	sum_over(half, n, alike);
	CHECK(!ncclCommSplit(comm, rank == 0 ? NCCL_SPLIT_NOCOLOR : 7, -rank, &reversed, NULL));
	CHECK((reversed == NULL) == (rank == 0));
	if (reversed) {
		CHECK(!ncclCommUserRank(reversed, &place) && place == ranks - 1 - rank);
		sum_over(reversed, ranks - 1, rank_sum());
		CHECK(!ncclCommDestroy(reversed));
	}
	if (rank != excluded) {
		CHECK(!ncclCommShrink(comm, &excluded, 1, &shrunk, NULL, 0));
		CHECK(!ncclCommUserRank(shrunk, &place) && place == rank - 1);
		sum_over(shrunk, ranks - 1, rank_sum());
		CHECK(!ncclCommDestroy(shrunk));
	}
	sum_over(comm, ranks, rank_sum()); /* the parent is still good */
	CHECK(!ncclCommDestroy(half));
	CHECK(!ncclCommDestroy(comm));
}

static void case_operators(void)
{
	float factor = (float)(rank + 1), wanted = 0;
	int32_t whole = 3;
	ncclRedOp_t op, other;
	float *mine = floats(1000, 2);
	void *in, *out;

	for (int r = 0; r < ranks; r++)
		wanted += (float)(r + 1);
	init();
	in = to_device(mine, 4000);
	out = zeros(4000);
	CHECK(!ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat32, ncclScalarHostImmediate, comm));
	CHECK(!ncclAllReduce(in, out, 1000, ncclFloat32, op, comm, stream));
	expect(out, 1000, 2 * wanted, wanted);
	CHECK(!ncclRedOpCreatePreMulSum(&other, to_device(&factor, 4), ncclFloat32, ncclScalarDevice,
									comm));
	CHECK(other != op && !ncclAllReduce(in, out, 1000, ncclFloat32, other, comm, stream));
	expect(out, 1000, 2 * wanted, wanted);
	CHECK(!ncclRedOpDestroy(op, comm) && ncclRedOpDestroy(op, comm) == ncclInvalidArgument);
	CHECK(ncclAllReduce(in, out, 1000, ncclFloat32, op, comm, stream) == ncclInvalidArgument);
	CHECK(!ncclRedOpCreatePreMulSum(&op, &whole, ncclInt32, ncclScalarHostImmediate, comm));
	CHECK(ncclAllReduce(in, out, 1000, ncclFloat32, op, comm, stream) == ncclInvalidArgument);
	CHECK(!ncclCommDestroy(comm));
	free(mine);
}

static void case_refusals(void)
{
	void *in, *handle;
	ncclComm_t none = NULL;
	ncclUniqueId strange = {"/etc/passwd"};
	ncclWindow_t window;
	int version;

	init();
	in = zeros(4000);
	CHECK(ncclAllReduce(in, in, 1, ncclFloat32, ncclSum, NULL, stream) == ncclInvalidArgument);
	CHECK(ncclAllReduce(NULL, in, 1, ncclFloat32, ncclSum, comm, stream) == ncclInvalidArgument);
	CHECK(ncclAllReduce(in, in, 1, ncclNumTypes, ncclSum, comm, stream) == ncclInvalidArgument);
	CHECK(ncclBroadcast(in, in, 1, ncclFloat32, ranks, comm, stream) == ncclInvalidArgument);
	CHECK(ncclCommInitRank(&none, 2, strange, 0) == ncclInvalidArgument && !none);
	CHECK(ncclGroupEnd() == ncclInvalidUsage);
	CHECK(!ncclGroupStart()); /* one call fails: none is carried out, on any rank */
	CHECK(!ncclAllReduce(in, in, 1, ncclFloat32, ncclSum, comm, stream));
	CHECK(ncclAllReduce(NULL, in, 1, ncclFloat32, ncclSum, comm, stream) == ncclInvalidArgument);
	CHECK(ncclGroupEnd() == ncclInvalidArgument);
	CHECK(!ncclCommRegister(comm, in, 4000, &handle) && !ncclCommDeregister(comm, handle));
	CHECK(!ncclCommWindowRegister(comm, in, 4000, &window, 0));
	CHECK(!ncclCommWindowDeregister(comm, window));
	CHECK(!ncclMemAlloc(&in, 4096) && in && !ncclMemFree(in));
	CHECK(!ncclGetVersion(&version) && version > 22000);
	CHECK(!strcmp(ncclGetErrorString(ncclSuccess), "no error"));
	sum_over(comm, ranks, rank_sum());
	CHECK(!ncclCommDestroy(comm));
}

static void await_error(ncclResult_t wanted)
{
	ncclResult_t error = ncclSuccess;

	CHECK(!cudaStreamSynchronize(stream)); /* the kernel ends all the same */
	for (int i = 0; i < 100 && error == ncclSuccess; i++) {
		CHECK(!ncclCommGetAsyncError(comm, &error));
		usleep(10000);
	}
	CHECK(error == wanted);
}

/* The last rank is killed between two collectives; the others are told. */
static void case_dead(void)
{
	void *in;

	init();
	in = zeros(4000);
	CHECK(!ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream));
	CHECK(!cudaStreamSynchronize(stream));
	if (rank == ranks - 1)
		kill(getpid(), SIGKILL);
	CHECK(!ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream));
	await_error(ncclRemoteError);
	CHECK(ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream) == ncclRemoteError);
	CHECK(!ncclCommAbort(comm));
}

static void case_mismatch(void)
{
	ncclResult_t error;
	void *in;

	init();
	in = zeros(4000);
	CHECK(!ncclAllReduce(in, in, rank == 0 ? 500 : 1000, ncclFloat32, ncclSum, comm, stream));
	CHECK(!cudaStreamSynchronize(stream));
	CHECK(!ncclCommGetAsyncError(comm, &error));
	CHECK(error == ncclInvalidUsage || error == ncclRemoteError);
	CHECK(!ncclCommAbort(comm));
}

/* Rank 0 gives up a collective that the others never join. */
static void case_abort(void)
{
	ncclResult_t error = ncclSuccess;
	void *in;

	init();
	in = zeros(4000);
	if (rank == 0) {
		CHECK(!ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream));
		usleep(100000);
		CHECK(!ncclCommGetAsyncError(comm, &error) && error == ncclSuccess);
		CHECK(!ncclCommAbort(comm));
		CHECK(!cudaStreamSynchronize(stream));
		return;
	}
	usleep(300000);
	CHECK(!ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream));
	await_error(ncclRemoteError);
	CHECK(!ncclCommAbort(comm));
}

static void case_nonblocking(void)
{
	ncclConfig_t config = {.size = sizeof config, .magic = NCCL_API_MAGIC, .blocking = 0};
	ncclResult_t state = ncclInProgress;

	CHECK(!cudaSetDevice(rank));
	CHECK(!cudaStreamCreate(&stream));
	usleep((useconds_t)rank * 50000);
	CHECK(ncclCommInitRankConfig(&comm, ranks, shared->id, rank, &config) == ncclInProgress);
	for (int i = 0; i < 500 && state == ncclInProgress; i++) {
		CHECK(!ncclCommGetAsyncError(comm, &state));
		usleep(10000);
	}
	CHECK(state == ncclSuccess);
	sum_over(comm, ranks, rank_sum());
	CHECK(!ncclCommDestroy(comm));
}

/* One rank never comes: with SIMGPU_NCCL_TIMEOUT_MS=300 the others do not wait for ever. */
static void case_absent(void)
{
	if (rank == ranks - 1)
		return;
	CHECK(!cudaSetDevice(rank));
	CHECK(ncclCommInitRank(&comm, ranks, shared->id, rank) == ncclSystemError);
	CHECK(strstr(ncclGetLastError(comm), "join"));
	CHECK(!ncclCommAbort(comm));
}

/* One process, all devices, one thread. */
static void case_all(void)
{
	ncclComm_t comms[MOST_RANKS], halves[MOST_RANKS];
	ncclStream_t streams[MOST_RANKS];
	void *buffer[MOST_RANKS];
	int device;

	if (rank != 0)
		return;
	for (int i = 0; i < ranks; i++) {
		float *mine = floats(5000, (float)i);

		CHECK(!cudaSetDevice(i) && !cudaStreamCreate(&streams[i]));
		buffer[i] = to_device(mine, 20000);
		free(mine);
	}
	CHECK(!ncclCommInitAll(comms, ranks, NULL));
	watch();
	CHECK(!ncclGroupStart());
	for (int i = 0; i < ranks; i++)
		CHECK(
			!ncclAllReduce(buffer[i], buffer[i], 5000, ncclFloat32, ncclSum, comms[i], streams[i]));
	CHECK(!ncclGroupEnd());
	CHECK(watched() == (ranks == 1 ? 0 : (unsigned)ranks));
	for (int i = 0; i < ranks; i++) {
		CHECK(!ncclCommCuDevice(comms[i], &device) && device == i);
		CHECK(!cudaSetDevice(i));
		stream = streams[i];
		expect(buffer[i], 5000, rank_sum(), (float)ranks);
	}
	CHECK(!ncclGroupStart());
	for (int i = 0; i < ranks; i++)
		CHECK(!ncclCommSplit(comms[i], i % 2, 0, &halves[i], NULL));
	CHECK(!ncclGroupEnd());
	for (int i = 0; i < ranks; i++)
		CHECK(halves[i] && !ncclCommDestroy(halves[i]));
	for (int i = 0; i < ranks; i++)
		CHECK(!ncclCommDestroy(comms[i]));
}

/* Runs when the driver has gone, as the destructors of a library do that was there before it. */
static void destroy_late(void)
{
	CHECK(ncclCommFinalize(comm) == ncclUnhandledCudaError);
	CHECK(ncclCommDestroy(comm) == ncclUnhandledCudaError);
	CHECK(!ncclCommAbort(comm));
	atomic_fetch_add(&shared->arrived, 1);
}

/* Rank 0 ends while its first collective waits for the others and the second has not started. */
static void case_exit(void)
{
	void *in;

	if (rank == 0)
		atexit(destroy_late); /* before the driver's own handler is there, so behind it */
	init();
	in = zeros(4000);
	for (int i = 0; rank == 0 && i < 2; i++)
		CHECK(!ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream));
	while (rank > 0 && !atomic_load(&shared->arrived))
		usleep(1000);
}

/* ---- */

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
