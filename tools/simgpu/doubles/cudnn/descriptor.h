/* Descriptors of the interface before graphs: what a tensor, a filter, a convolution is. */
#ifndef SIMGPU_DOUBLES_CUDNN_DESCRIPTOR_H
#define SIMGPU_DOUBLES_CUDNN_DESCRIPTOR_H

#include "doubles/cudnn/dnn_abi.h"

struct work;

enum descriptor_kind {
	DESCRIPTOR_TENSOR = 1,
	DESCRIPTOR_FILTER,
	DESCRIPTOR_CONVOLUTION,
	DESCRIPTOR_ACTIVATION,
	DESCRIPTOR_POOLING,
	DESCRIPTOR_SAMPLER,
	DESCRIPTOR_DROPOUT,
	DESCRIPTOR_CTC,
	DESCRIPTOR_RNN,
	DESCRIPTOR_RNN_DATA
};

struct rnn { /* of DESCRIPTOR_RNN; `type` stands in the descriptor */
	int algorithm, cell, biases, directions, layers;
	int input, hidden, projection; /* projection: of an output, `hidden` when there is none */
};

struct descriptor {
	uint32_t magic;
	enum descriptor_kind kind;
	int type, format, n_dims;
	int dims[DNN_MAX_DIMENSIONS], strides[DNN_MAX_DIMENSIONS];
	int groups, math;
	struct rnn rnn;
	int steps, batch,
		positions; /* DESCRIPTOR_RNN_DATA: the longest sequence, how many, all of them */
};

/* NULL: not one of ours, or of another kind. */
struct descriptor *descriptor_of(const void *handle, enum descriptor_kind kind);
/* The shape of a tensor or a filter as a work's. */
void descriptor_shape(const struct descriptor *descriptor, struct work *work);

#endif
