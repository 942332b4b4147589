/* The kernels of the model: registered as nvcc's code does, launched with CPU time between. */
#ifndef SIMTRAIN_KERNELS_H
#define SIMTRAIN_KERNELS_H

#include "interfaces.h"

struct options;

enum kernel {
	K_EMBEDDING,
	K_LAYERNORM,
	K_GEMM_QKV,
	K_GEMM_PROJ,
	K_GEMM_MLP,
	K_GEMM_GRAD,
	K_ATTENTION,
	K_ATTENTION_BACKWARD,
	K_SOFTMAX,
	K_SOFTMAX_BACKWARD,
	K_GELU,
	K_GELU_BACKWARD,
	K_ADD,
	K_DROPOUT,
	K_COPY,
	K_REDUCE,
	K_LAYERNORM_BACKWARD,
	K_LAYERNORM_GAMMA,
	K_LOSS,
	K_ADAM,
	KERNELS
};

struct launcher {
	cudaStream_t stream;
	long host_ns;
	int percent; /* blocks, of the usual number */
};

/* How long they take on simulated devices: by blocks, unless SIMGPU_DURATIONS is set; and that they
 * leave memory as it is. */
void kernel_durations(void);
/* One launch, after the host's time for it. */
void kernel_launch(const struct launcher *launcher, enum kernel which, unsigned blocks);

/* Nothing but launches, --launches of them on each of --threads: what a recorder must count. */
void kernels_storm(const struct options *options);

#endif
