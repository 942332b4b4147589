/* Kernels of recurrent networks: families as they stand in public traces. The standard algorithm is
 * one product for all inputs of a pseudo-layer, then a product and a cell for every step; the
 * persistent ones are one kernel for all steps. */
#include "doubles/cudnn/rnn.h"

#include "doubles/cudnn/descriptor.h"
#include "doubles/cudnn/handle.h"

#include "doubles/shared/launch.h"

#include <stdio.h>

#define NAME 256
#define TILE 128
#define STANDARD 0

struct pass {
	const struct descriptor *rnn, *x;
	const struct dnn_handle *handle;
	int failed; /* what the first launch that failed said */
};

static void launch(struct pass *pass, const char *name, uint64_t rows, uint64_t columns)
{
	struct library_kernel kernel = {name, {1, 1, 1}, {TILE, 1, 1}, false};
	kernel.grid[0] = library_tiles(rows, TILE, LIBRARY_GRID_X);
	kernel.grid[1] = library_tiles(columns, TILE, LIBRARY_GRID_YZ);
	if (!pass->failed)
		pass->failed = library_launch(&kernel, pass->handle->stream);
}

/* ---- names ---- */

static const char *product_type(int type)
{
	return type == DNN_HALF       ? "fp16_s16816gemm_fp16"
		   : type == DNN_BFLOAT16 ? "bf16_s16816gemm_bf16"
		   : type == DNN_DOUBLE   ? "dgemm"
								  : "sgemm";
}

static void product(struct pass *pass, const char *operands, uint64_t rows, uint64_t columns)
{
	char name[NAME];
	snprintf(name, sizeof(name), "ampere_%s_128x128_%s", product_type(pass->rnn->type), operands);
	launch(pass, name, rows, columns);
}

/* As a template argument: storage twice, then what sums are of. */
static const char *types(int type)
{
	return type == DNN_HALF       ? "6__halfS0_f"
		   : type == DNN_BFLOAT16 ? "13__nv_bfloat16S0_f"
		   : type == DNN_DOUBLE   ? "ddd"
								  : "fff";
}

static const char *cell_name(const struct rnn *rnn)
{
	return rnn_gates(rnn) == 4 ? "LSTM" : rnn_gates(rnn) == 3 ? "GRU" : "RNN";
}

/* elemWiseRNNcell<T, T, S, mode, biases>(...), LSTM_elementWise_bp1<T, T, S>(...) */
static void cell(struct pass *pass, bool forward)
{
	const struct rnn *rnn = &pass->rnn->rnn;
	char name[NAME], function[32];
	int length = snprintf(function, sizeof(function), "%s_elementWise_bp1", cell_name(rnn));
	if (forward)
		snprintf(name, sizeof(name),
				 "_Z15elemWiseRNNcellI%sL14cudnnRNNMode_t%dEL18cudnnRNNBiasMode_t%dEEviiiiibPKT_"
				 "PKT0_PT1_",
				 types(pass->rnn->type), rnn->cell, rnn->biases);
	else
		snprintf(name, sizeof(name), "_Z%d%sI%sEviiPT_PT0_PT1_ii", length, function,
				 types(pass->rnn->type));
	launch(pass, name, (uint64_t)pass->x->batch * (uint64_t)rnn->hidden, 1);
}

/* RNN_blockPersist_fp_LSTM<T, T, S, 1, hidden>(...) */
static void persistent(struct pass *pass, bool forward)
{
	const struct rnn *rnn = &pass->rnn->rnn;
	char name[NAME], function[48];
	int length =
		snprintf(function, sizeof(function), "RNN_blockPersist_%s_%s%s", forward ? "fp" : "bp",
				 cell_name(rnn), pass->rnn->type == DNN_HALF ? "_HMMA" : "");
	snprintf(name, sizeof(name), "_Z%d%sI%sLi1ELi%dEEvPKT_PKT0_PT1_iiii", length, function,
			 types(pass->rnn->type), rnn->hidden);
	launch(pass, name, (uint64_t)pass->x->batch * TILE, 1);
}

/* ---- passes ---- */

static void steps(struct pass *pass, bool forward)
{
	const struct rnn *rnn = &pass->rnn->rnn;
	uint64_t gates = (uint64_t)rnn_gates(rnn) * (uint64_t)rnn->hidden;
	if (rnn->algorithm != STANDARD) {
		persistent(pass, forward);
		return;
	}
	for (int step = 0; step < pass->x->steps; step++) {
		if (!forward)
			cell(pass, forward);
		product(pass, forward ? "tn" : "nn", forward ? gates : (uint64_t)rnn->projection,
				(uint64_t)pass->x->batch);
		if (forward)
			cell(pass, forward);
		if (rnn->projection != rnn->hidden)
			product(pass, forward ? "tn" : "nn", (uint64_t)rnn->projection,
					(uint64_t)pass->x->batch);
	}
}

static void pseudo_layer(struct pass *pass, enum rnn_pass which, int layer)
{
	const struct rnn *rnn = &pass->rnn->rnn;
	uint64_t gates = (uint64_t)rnn_gates(rnn) * (uint64_t)rnn->hidden;
	uint64_t input = (uint64_t)rnn_input(rnn, layer), positions = (uint64_t)pass->x->positions;
	switch (which) {
	case RNN_BACKWARD_WEIGHTS:
		product(pass, "nt", gates, input);
		product(pass, "nt", gates, (uint64_t)rnn->projection);
		break;
	case RNN_BACKWARD_DATA:
		steps(pass, false);
		product(pass, "nn", input, positions);
		break;
	default:
		product(pass, "tn", gates, positions);
		steps(pass, true);
	}
}

int rnn_launch(const struct descriptor *rnn, const struct descriptor *x, enum rnn_pass which,
			   const struct dnn_handle *handle)
{
	struct pass pass = {rnn, x, handle, 0};
	int layers = rnn->rnn.layers * rnn->rnn.directions;
	bool forward = which == RNN_INFERENCE || which == RNN_TRAINING;
	for (int i = 0; i < layers; i++)
		pseudo_layer(&pass, which, forward ? i : layers - 1 - i);
	if (pass.failed)
		return dnn_refuse(DNN_EXECUTION_FAILED_DRIVER, "RNN: a launch failed");
	return DNN_OK;
}
