#include "doubles/cudnn/descriptor.h"

#include "doubles/cudnn/handle.h"
#include "doubles/cudnn/work.h"

#include <stdlib.h>
#include <string.h>

#define DESCRIPTOR_MAGIC 0x444e4e44u

enum { FORMAT_NCHW, FORMAT_NHWC };

struct descriptor *descriptor_of(const void *handle, enum descriptor_kind kind)
{
	struct descriptor *descriptor = (struct descriptor *)handle;
	return descriptor && descriptor->magic == DESCRIPTOR_MAGIC && descriptor->kind == kind
			   ? descriptor
			   : NULL;
}

static int make(void **handle, enum descriptor_kind kind)
{
	if (!handle)
		return dnn_refuse(DNN_NULL_POINTER, "no place for the descriptor");
	struct descriptor *made = calloc(1, sizeof(*made));
	if (!made)
		return dnn_refuse(DNN_NO_HOST_MEMORY, "no memory");
	made->magic = DESCRIPTOR_MAGIC;
	made->kind = kind;
	made->groups = 1;
	*handle = made;
	return DNN_OK;
}

static int destroy(void *handle, enum descriptor_kind kind)
{
	struct descriptor *descriptor = descriptor_of(handle, kind);
	if (!handle)
		return DNN_OK;
	if (!descriptor)
		return dnn_refuse(DNN_BAD_PARAM, "not a descriptor of this kind");
	descriptor->magic = 0;
	free(descriptor);
	return DNN_OK;
}

#define DESCRIPTOR_API(what_, kind_)                            \
	DNN_API(int, cudnnCreate##what_##Descriptor, void **handle) \
	{                                                           \
		return make(handle, kind_);                             \
	}                                                           \
	DNN_API(int, cudnnDestroy##what_##Descriptor, void *handle) \
	{                                                           \
		return destroy(handle, kind_);                          \
	}

DESCRIPTOR_API(Tensor, DESCRIPTOR_TENSOR)
DESCRIPTOR_API(Filter, DESCRIPTOR_FILTER)
DESCRIPTOR_API(Convolution, DESCRIPTOR_CONVOLUTION)
DESCRIPTOR_API(Activation, DESCRIPTOR_ACTIVATION)
DESCRIPTOR_API(Pooling, DESCRIPTOR_POOLING)
DESCRIPTOR_API(SpatialTransformer, DESCRIPTOR_SAMPLER)
DESCRIPTOR_API(Dropout, DESCRIPTOR_DROPOUT)
DESCRIPTOR_API(CTCLoss, DESCRIPTOR_CTC)
DESCRIPTOR_API(RNN, DESCRIPTOR_RNN)
DESCRIPTOR_API(RNNData, DESCRIPTOR_RNN_DATA)

void descriptor_shape(const struct descriptor *d, struct work *work)
{
	work->type = d->type;
	work->n_dims = d->n_dims;
	for (int i = 0; i < d->n_dims; i++)
		work->dims[i] = d->dims[i];
	work->channels_last = d->kind == DESCRIPTOR_FILTER
							  ? d->format == FORMAT_NHWC
							  : d->n_dims > 2 && d->strides[1] == 1 && d->dims[1] > 1;
}

/* ---- tensors and filters ---- */

static int set_dims(struct descriptor *d, int type, int n, const int *dims)
{
	if (!d || !dims)
		return dnn_refuse(DNN_NULL_POINTER, "no descriptor, or no dimensions");
	if (n < 1 || n > DNN_MAX_DIMENSIONS)
		return dnn_refuse(DNN_BAD_PARAM, "the number of dimensions is not 1 to 8");
	for (int i = 0; i < n; i++)
		if (dims[i] < 1)
			return dnn_refuse(DNN_BAD_PARAM, "a dimension below 1");
	d->type = type;
	d->n_dims = n;
	memcpy(d->dims, dims, (size_t)n * sizeof(*dims));
	return DNN_OK;
}

DNN_API(int, cudnnSetTensorNdDescriptor, void *handle, int type, int n, const int *dims,
		const int *strides)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_TENSOR);
	int failed = strides ? set_dims(d, type, n, dims) : DNN_NULL_POINTER;
	if (failed)
		return failed;
	memcpy(d->strides, strides, (size_t)n * sizeof(*strides));
	return DNN_OK;
}

DNN_API(int, cudnnSetFilterNdDescriptor, void *handle, int type, int format, int n, const int *dims)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_FILTER);
	int failed = set_dims(d, type, n, dims);
	if (!failed)
		d->format = format;
	return failed;
}

/* At most `room` dimensions are written; how many there are is said in any case. */
DNN_API(int, cudnnGetTensorNdDescriptor, const void *handle, int room, int *type, int *n, int *dims,
		int *strides)
{
	const struct descriptor *d = descriptor_of(handle, DESCRIPTOR_TENSOR);
	if (!d || !type || !n || !dims || !strides)
		return dnn_refuse(DNN_NULL_POINTER, "no descriptor, or no place");
	*type = d->type;
	*n = d->n_dims;
	for (int i = 0; i < room && i < d->n_dims; i++) {
		dims[i] = d->dims[i];
		strides[i] = d->strides[i];
	}
	return DNN_OK;
}

DNN_API(int, cudnnGetFilterNdDescriptor, const void *handle, int room, int *type, int *format,
		int *n, int *dims)
{
	const struct descriptor *d = descriptor_of(handle, DESCRIPTOR_FILTER);
	if (!d || !type || !format || !n || !dims)
		return dnn_refuse(DNN_NULL_POINTER, "no descriptor, or no place");
	*type = d->type;
	*format = d->format;
	*n = d->n_dims;
	for (int i = 0; i < room && i < d->n_dims; i++)
		dims[i] = d->dims[i];
	return DNN_OK;
}

/* ---- the others: the double's kernels do not depend on what they say ---- */

DNN_API(int, cudnnSetActivationDescriptor, void *handle, int mode, int nan, double coefficient)
{
	(void)mode, (void)nan, (void)coefficient;
	return descriptor_of(handle, DESCRIPTOR_ACTIVATION)
			   ? DNN_OK
			   : dnn_refuse(DNN_NULL_POINTER, "no activation descriptor");
}

DNN_API(int, cudnnSetConvolutionNdDescriptor, void *handle, int n, const int *padding,
		const int *strides, const int *dilations, int mode, int type)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_CONVOLUTION);
	(void)mode;
	if (!d || !padding || !strides || !dilations)
		return dnn_refuse(DNN_NULL_POINTER, "no convolution descriptor, or nothing to set");
	if (n < 1 || n > DNN_MAX_DIMENSIONS - 2)
		return dnn_refuse(DNN_BAD_PARAM, "the number of dimensions is not 1 to 6");
	d->type = type;
	d->n_dims = n;
	return DNN_OK;
}

DNN_API(int, cudnnSetConvolutionGroupCount, void *handle, int groups)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_CONVOLUTION);
	if (!d)
		return dnn_refuse(DNN_NULL_POINTER, "no convolution descriptor");
	if (groups < 1)
		return dnn_refuse(DNN_BAD_PARAM, "fewer than one group");
	d->groups = groups;
	return DNN_OK;
}

DNN_API(int, cudnnSetConvolutionMathType, void *handle, int math)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_CONVOLUTION);
	if (!d)
		return dnn_refuse(DNN_NULL_POINTER, "no convolution descriptor");
	d->math = math;
	return DNN_OK;
}

DNN_API(int, cudnnSetSpatialTransformerNdDescriptor, void *handle, int sampler, int type, int n,
		const int *dims)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_SAMPLER);
	(void)sampler;
	return set_dims(d, type, n, dims);
}
