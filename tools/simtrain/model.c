#include "model.h"

#include <stdint.h>
#include <stdio.h>

#include "check.h"

struct stage {
	enum kernel kernel;
	unsigned blocks;
};

static const struct stage forward[] = {{K_LAYERNORM, 256}, {K_GEMM_QKV, 1152}, {K_COPY, 384},
									   {K_ATTENTION, 768}, {K_GEMM_PROJ, 384}, {K_DROPOUT, 256},
									   {K_ADD, 256},       {K_LAYERNORM, 256}, {K_GEMM_MLP, 1536},
									   {K_GELU, 1024},     {K_GEMM_MLP, 1536}, {K_ADD, 256}};

static const struct stage backward[] = {{K_ADD, 256},
										{K_GEMM_GRAD, 1536},
										{K_GEMM_GRAD, 1536},
										{K_REDUCE, 96},
										{K_GELU_BACKWARD, 1024},
										{K_GEMM_GRAD, 1536},
										{K_GEMM_GRAD, 1536},
										{K_REDUCE, 96},
										{K_LAYERNORM_BACKWARD, 256},
										{K_LAYERNORM_GAMMA, 48},
										{K_ADD, 256},
										{K_GEMM_GRAD, 384},
										{K_GEMM_GRAD, 384},
										{K_ATTENTION_BACKWARD, 1536},
										{K_COPY, 384},
										{K_GEMM_GRAD, 1152},
										{K_GEMM_GRAD, 1152},
										{K_REDUCE, 72},
										{K_LAYERNORM_BACKWARD, 256},
										{K_LAYERNORM_GAMMA, 48}};

static void run(const struct model *model, const struct stage *stages, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kernel_launch(&model->launcher, stages[i].kernel, stages[i].blocks);
}

/* What people write into their loops: a value looked at, a tensor made anew. */
static void planted(const struct model *model, int layer)
{
	const struct options *options = model->options;
	float value;
	void *tensor;

	if (options->alloc_in_loop) {
		check_cuda(cudaMalloc(&tensor, 1 << 20), "cudaMalloc");
		check_cuda(cudaFree(tensor), "cudaFree");
	}
	for (int i = 0; i < options->tiny; i++)
		kernel_launch(&model->launcher, K_ADD, 1);
	if (!options->sync_in_loop)
		return;
	if (layer % 2)
		check_cuda(cudaMemcpy(&value, model->scratch, sizeof value, cudaMemcpyDeviceToHost),
				   "cudaMemcpy");
	else
		check_cuda(cudaStreamSynchronize(model->launcher.stream), "cudaStreamSynchronize");
}

void model_forward(const struct model *model)
{
	kernel_launch(&model->launcher, K_EMBEDDING, 512);
	for (int layer = 0; layer < model->options->layers; layer++) {
		run(model, forward, sizeof forward / sizeof *forward);
		planted(model, layer);
	}
	kernel_launch(&model->launcher, K_GEMM_MLP, 3072);
	kernel_launch(&model->launcher, K_SOFTMAX, 512);
	kernel_launch(&model->launcher, K_LOSS, 1);
}

void model_backward(const struct model *model, void (*layer_done)(void *who, int layer), void *who)
{
	kernel_launch(&model->launcher, K_SOFTMAX_BACKWARD, 512);
	kernel_launch(&model->launcher, K_GEMM_GRAD, 3072);
	for (int layer = model->options->layers - 1; layer >= 0; layer--) {
		run(model, backward, sizeof backward / sizeof *backward);
		layer_done(who, layer);
	}
}

void model_optimizer(const struct model *model)
{
	for (int layer = 0; layer <= model->options->layers / 2; layer++)
		kernel_launch(&model->launcher, K_ADAM, 1280);
}

void model_print_checksum(int step, const float *values, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (uint64_t)(int64_t)values[i]) * 0x100000001b3u;
	printf("step %d checksum %016llx\n", step, (unsigned long long)hash);
	fflush(stdout);
}
