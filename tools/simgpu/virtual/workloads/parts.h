/* What most workloads share: machines from the options, the usual PyTorch process (main thread,
 * autograd thread, loaders), a pen that writes calls into a thread's program, gradient buckets. */
#ifndef SIMGPU_VIRTUAL_WORKLOADS_PARTS_H
#define SIMGPU_VIRTUAL_WORKLOADS_PARTS_H

#include "virtual/workloads/model.h"
#include "virtual/workloads/workloads.h"

/* Links as nccl-tests measure them (bus bandwidth, bytes per microsecond): within a host, between
 * hosts. */
#define BANDWIDTH_HOST 200000
#define BANDWIDTH_NETWORK 100000

/* Work before a call, of the host gap table. The table comes from profiled runs, in which every
 * operator pays for being recorded: without a profiler Python takes three quarters of it, the
 * autograd thread's C++ half of that. */
#define GAP_PYTHON (3 * SCALE_ONE / 4)
#define GAP_NATIVE (3 * SCALE_ONE / 8)
/* Device time of a step over its launch time: the mean of 1.8 in the forward, 3 in the backward. */
#define RATIO_HEALTHY (5 * SCALE_ONE / 2)

/* Where calls go. Work comes before each: between two launches a thread does something. */
struct pen {
	struct script *script;
	uint32_t process;
	uint16_t thread;
	uint16_t stream; /* kernels go there */
	enum step_kind step;
	uint32_t gap; /* factor of the host gap table */
	bool native;  /* the work needs no GIL */
	bool quiet;   /* no points: of several threads that do the same, one has them */
};

void pen_insn(const struct pen *pen, struct insn insn); /* as it is, no work before it */
void pen_call(const struct pen *pen, struct insn insn); /* work, then the call */
void pen_launch(const struct pen *pen, const struct kernel_list *list);
void pen_point(const struct pen *pen, enum point point);
void pen_push(const struct pen *pen, uint64_t word); /* a range with a random name */
void pen_pop(const struct pen *pen);
/* `later` goes on when `first` has got here: an event, recorded and waited for. */
void pen_order(const struct pen *pen, uint16_t first, uint16_t later);
/* The collective on `side`; kernels of the pen's stream wait for it, and it for those before. */
void pen_collective_inline(const struct pen *pen, uint16_t side, uint32_t comm, int64_t bytes,
						   int32_t coll);
void pen_collective(const struct pen *pen, uint16_t stream, uint32_t comm, int64_t bytes,
					int32_t coll);

/* The usual process: thread 0 marks steps, the autograd thread launches the backward, loaders feed
 * it. */
struct worker {
	struct script *script;
	uint32_t process;
	uint16_t compute, side; /* streams: compute is stream 0 of every process */
	uint16_t go, done;      /* semaphores of the backward */
	uint16_t batches;       /* the loaders' queue */
	uint32_t loaders;
	struct pen setup, main, backward, eval;
};

struct script *parts_script(const struct workload_options *options); /* with hosts */
/* The largest group of up to `most` devices that all `ranks` divide into. */
uint32_t parts_group(uint32_t ranks, uint32_t most);
uint32_t parts_host_of(const struct workload_options *options, uint32_t device);
/* All of them unless stride and count say otherwise: first, first + stride, ... */
uint32_t parts_comm(struct script *s, const struct workload_options *options, const char *name,
					uint32_t first, uint32_t stride, uint32_t count);

struct worker worker_new(struct script *s, const struct workload_options *options, uint32_t rank);
void worker_setup(const struct worker *w);
/* Decoding and waiting for the disk, so that all loaders together are twice as fast as the step. */
void worker_loaders(const struct worker *w, int64_t step_ns);
/* A batch from the loaders' queue to the device. */
void pen_batch(const struct pen *pen, const struct worker *w, int64_t bytes);
/* The loss goes to the host: .item(), the one wait that most loops have in every step. */
void pen_read_loss(const struct pen *pen, uint16_t stream);
void worker_backward_begin(const struct worker *w); /* main hands over to the autograd thread ... */
void worker_backward_end(const struct worker *w);   /* ... and has it back */

void worker_broadcast(const struct worker *w, uint32_t comm); /* of the parameters, in the setup */
void pen_forward(const struct pen *pen, const struct model *m);
void pen_optimizer(const struct pen *pen, const struct model *m);

/* Device time of a healthy step: its launches (and `extra` other calls) times the ratio. */
int64_t parts_step_ns(uint32_t kernels, uint32_t extra, uint32_t ratio);
/* Bytes that take `part` of 1024 of dur_ns on a host's links as an all-reduce. */
int64_t parts_bytes(int64_t dur_ns, uint32_t part);

/* Data parallel gradients: buckets reduced on a side stream while the backward goes on. */
struct reducer {
	uint32_t comm, n_buckets; /* 0: alone, nothing to reduce */
};

struct reducer reducer_for(struct script *s, const struct workload_options *options,
						   uint32_t kernels);
/* The whole backward, with the reducer's buckets on the stream `side`. */
void pen_backward(const struct pen *pen, uint16_t side, const struct model *m,
				  const struct reducer *r);

#endif
