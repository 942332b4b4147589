/* What a call or a graph of operations comes down to: one kernel. */
#ifndef SIMGPU_DOUBLES_CUDNN_WORK_H
#define SIMGPU_DOUBLES_CUDNN_WORK_H

#include "doubles/cudnn/dnn_abi.h"

enum work_kind {
	WORK_NONE,
	WORK_CONV_FORWARD,
	WORK_CONV_DATA,
	WORK_CONV_FILTER,
	WORK_SDPA_FORWARD,
	WORK_SDPA_BACKWARD,
	WORK_MATMUL,
	WORK_NORM_FORWARD,
	WORK_NORM_BACKWARD,
	WORK_NORM_INFERENCE,
	WORK_OTHER
};

struct work {
	enum work_kind kind;
	int type; /* enum dnn_type */
	int n_dims;
	int64_t dims[DNN_MAX_DIMENSIONS]; /* of the result; of Q in attention, of x in a norm */
	bool channels_last;
};

struct dnn_handle;
/* A status. */
int work_launch(const struct work *work, const struct dnn_handle *handle);

#endif
