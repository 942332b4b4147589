/* A cuDNN handle: the stream that its calls launch on. */
#ifndef SIMGPU_DOUBLES_CUDNN_HANDLE_H
#define SIMGPU_DOUBLES_CUDNN_HANDLE_H

#include "doubles/cudnn/dnn_abi.h"

struct dnn_handle {
	uint64_t magic;
	void *stream;
};

/* NULL: not one of ours. */
struct dnn_handle *dnn_handle_of(void *handle);

/* Returns `status`; what it says of it is the calling thread's last error. */
int dnn_refuse(int status, const char *why);

#endif
