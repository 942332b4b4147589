/* Communicators and their members: ends that are one, splits, refusals, ranks that die, differ,
 * give up or never come. */
#include "nccl_cases.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every rank's kernel ends when the last one's does, not before that one started. */
void case_ends(void)
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

void case_split(void)
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

void case_refusals(void)
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
	for (int i = 0; i < 2000 && error == ncclSuccess; i++) {
		CHECK(!ncclCommGetAsyncError(comm, &error));
		usleep(10000);
	}
	CHECK(error == wanted);
}

/* The last rank is killed between two collectives; the others are told. */
void case_dead(void)
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

void case_mismatch(void)
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
void case_abort(void)
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
		atomic_fetch_add(&shared->arrived, 1);
		CHECK(!cudaStreamSynchronize(stream));
		return;
	}
	while (!atomic_load(&shared->arrived))
		usleep(1000);
	CHECK(!ncclAllReduce(in, in, 1000, ncclFloat32, ncclSum, comm, stream));
	await_error(ncclRemoteError);
	CHECK(!ncclCommAbort(comm));
}

void case_nonblocking(void)
{
	ncclConfig_t config = {.size = sizeof config, .magic = NCCL_API_MAGIC, .blocking = 0};
	ncclResult_t state = ncclInProgress;

	CHECK(!cudaSetDevice(rank));
	CHECK(!cudaStreamCreate(&stream));
	usleep((useconds_t)rank * 50000);
	CHECK(ncclCommInitRankConfig(&comm, ranks, shared->id, rank, &config) == ncclInProgress);
	while (state == ncclInProgress) { /* child()'s alarm ends what does not end */
		CHECK(!ncclCommGetAsyncError(comm, &state));
		usleep(1000);
	}
	CHECK(state == ncclSuccess);
	sum_over(comm, ranks, rank_sum());
	CHECK(!ncclCommDestroy(comm));
}

/* One rank never comes: with SIMGPU_NCCL_TIMEOUT_MS=300 the others do not wait for ever. */
void case_absent(void)
{
	if (rank == ranks - 1)
		return;
	CHECK(!cudaSetDevice(rank));
	CHECK(ncclCommInitRank(&comm, ranks, shared->id, rank) == ncclSystemError);
	CHECK(strstr(ncclGetLastError(comm), "join"));
	CHECK(!ncclCommAbort(comm));
}

/* A job that is killed while its ranks join leaves their board; who makes the next id removes it. */
void case_orphan(void)
{
	char path[sizeof shared->id.internal + 16] = "/dev/shm/";
	ncclUniqueId next;
	pid_t maker;

	if (rank != 0)
		return;
	memset(&shared->id, 0, sizeof shared->id);
	maker = fork();
	if (maker == 0) {
		CHECK(!ncclGetUniqueId(&shared->id));
		atomic_store(&shared->arrived, 1);
		CHECK(!cudaSetDevice(0));
		ncclCommInitRank(&comm, 2, shared->id, 0);
		_exit(1); /* not before it is killed */
	}
	while (!atomic_load(&shared->arrived))
		usleep(1000);
	memcpy(path + 9, shared->id.internal, sizeof shared->id.internal);
	while (access(path, F_OK))
		usleep(1000);
	CHECK(!ncclGetUniqueId(&next) && !access(path, F_OK)); /* while it lives, it is left alone */
	CHECK(!kill(maker, SIGKILL) && waitpid(maker, NULL, 0) == maker);
	CHECK(!access(path, F_OK));
	CHECK(!ncclGetUniqueId(&next) && access(path, F_OK));
}

/* One process, all devices, one thread. */
void case_all(void)
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
void case_exit(void)
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
