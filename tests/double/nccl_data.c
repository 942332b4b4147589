/* What comes out: sums of all types, collectives, messages, groups, operators. */
#include "nccl_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void case_types(void)
{
	init();
	for (int type = ncclInt8; type <= ncclBfloat16; type++)
		for (int op = ncclSum; op <= ncclAvg; op++)
			one_type((ncclDataType_t)type, (ncclRedOp_t)op);
	CHECK(!ncclCommDestroy(comm));
}

void case_collectives(void)
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

void case_pieces(void)
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

void case_messages(void)
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

void case_groups(void)
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

void case_operators(void)
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
