/* Traces of random rows: what they draw from, and how a call and an op get into them. */
#ifndef MADE_ROWS_H
#define MADE_ROWS_H

#include "check.h"
#include "import/trace_out.h"

#include <stdbool.h>

static const char *dir;
static uint64_t seed;

static inline unsigned draw(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

enum { KERNELS = 3, CALLS = 4 };
enum made_call { MADE_LAUNCH, MADE_SYNC, MADE_FREE, MADE_GRAPH };

struct making {
	struct trace_out *out;
	uint32_t threads[2], streams[3], kernels[KERNELS], calls[CALLS], comm;
};

struct made_row {
	int64_t start, dur, id;
	uint32_t of, name; /* thread or stream, call or kernel, each from 0 */
};

static inline void put_call(const struct making *m, struct made_row call)
{
	const int64_t row[BATON_MAX_COLUMNS] = {[CALL_START] = call.start,
											[CALL_DUR] = call.dur,
											[CALL_THREAD] = m->threads[call.of],
											[CALL_NAME] = m->calls[call.name],
											[CALL_CORRELATION] = call.id};
	trace_out_row(m->out, BATON_CALL, row, 0);
}

static inline void put_op(const struct making *m, struct made_row op, bool is_graph)
{
	const int64_t row[BATON_MAX_COLUMNS] = {[OP_START] = op.start,
											[OP_DUR] = op.dur,
											[OP_KIND] = is_graph ? BATON_GRAPH : BATON_KERNEL,
											[OP_STREAM] = m->streams[op.of],
											[OP_CORRELATION] = op.id,
											[OP_NAME] = m->kernels[op.name]};
	trace_out_row(m->out, BATON_OP, row, 0);
}

/* A trace of `rank`, with its threads, its device, its streams and the names. */
static inline void make_begin(struct making *m, int rank)
{
	static const char *const kernels[KERNELS] = {"gemm_kernel", "add_kernel",
												 "ncclDevKernel_AllReduce_Sum_f32_RING_LL"};
	static const char *const calls[CALLS] = {"cudaLaunchKernel", "cudaStreamSynchronize",
											 "cudaFree", "cudaGraphLaunch"};
	CHECK(trace_out_open(dir, true, &m->out) == 0, "cannot write in %s", dir);
	for (int i = 0; i < 2; i++)
		m->threads[i] = trace_out_thread(m->out, 7 + rank, 70 + i, 0);
	const uint32_t device = trace_out_device(m->out, &(struct baton_r_device){.ordinal = rank});
	for (int i = 0; i < 3; i++)
		m->streams[i] = trace_out_stream(m->out, device, 1, 9 - i);
	for (int i = 0; i < KERNELS; i++)
		m->kernels[i] = trace_out_text(m->out, kernels[i]);
	for (int i = 0; i < CALLS; i++)
		m->calls[i] = trace_out_text(m->out, calls[i]);
	m->comm = trace_out_comm(m->out, 2, "dp", "0,1");
}

static inline void make_end(struct making *m, int rank, int world_size)
{
	const struct trace_identity identity = {.pid = 7 + rank,
											.rank = rank,
											.world_size = world_size,
											.local_rank = rank,
											.host = "h",
											.source = "kineto"};
	CHECK(trace_out_close(m->out, &identity) == 0, "cannot close a trace");
}

#endif
