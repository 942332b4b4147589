/* Convolutions before graphs (a PyTorch with TORCH_CUDNN_V8_API_DISABLED): one algorithm, which
 * always works and needs no memory. */
#include "doubles/cudnn/descriptor.h"
#include "doubles/cudnn/handle.h"
#include "doubles/cudnn/work.h"

#define ALGORITHM 1 /* implicit, precomputed */

struct algorithm { /* cudnnConvolution*AlgoPerf_t: the three are alike */
	int algorithm, status;
	float ms;
	size_t memory;
	int deterministic, math;
	int reserved[3];
};
_Static_assert(sizeof(struct algorithm) == 48, "cudnnConvolutionFwdAlgoPerf_t");

static int convolve(void *handle, enum work_kind kind, const struct descriptor *result,
					bool pointers)
{
	const struct dnn_handle *dnn = dnn_handle_of(handle);
	struct work work = {.kind = kind};
	if (!dnn || !result || !pointers)
		return dnn_refuse(DNN_NULL_POINTER, "convolution: no handle, descriptor or data");
	descriptor_shape(result, &work);
	return work_launch(&work, dnn);
}

DNN_API(int, cudnnConvolutionForward, void *handle, const void *alpha, const void *x_descriptor,
		const void *x, const void *w_descriptor, const void *w, const void *convolution,
		int algorithm, void *workspace, size_t workspace_bytes, const void *beta,
		const void *y_descriptor, void *y)
{
	(void)x_descriptor, (void)w_descriptor, (void)algorithm, (void)workspace;
	(void)workspace_bytes;
	return convolve(handle, WORK_CONV_FORWARD, descriptor_of(y_descriptor, DESCRIPTOR_TENSOR),
					alpha && beta && x && w && y &&
						descriptor_of(convolution, DESCRIPTOR_CONVOLUTION));
}

DNN_API(int, cudnnConvolutionBiasActivationForward, void *handle, const void *alpha,
		const void *x_descriptor, const void *x, const void *w_descriptor, const void *w,
		const void *convolution, int algorithm, void *workspace, size_t workspace_bytes,
		const void *alpha2, const void *z_descriptor, const void *z, const void *bias_descriptor,
		const void *bias, const void *activation, const void *y_descriptor, void *y)
{
	(void)x_descriptor, (void)w_descriptor, (void)algorithm, (void)workspace;
	(void)workspace_bytes, (void)z_descriptor, (void)z, (void)bias_descriptor, (void)activation;
	return convolve(handle, WORK_CONV_FORWARD, descriptor_of(y_descriptor, DESCRIPTOR_TENSOR),
					alpha && alpha2 && x && w && bias && y &&
						descriptor_of(convolution, DESCRIPTOR_CONVOLUTION));
}

DNN_API(int, cudnnConvolutionBackwardData, void *handle, const void *alpha,
		const void *w_descriptor, const void *w, const void *dy_descriptor, const void *dy,
		const void *convolution, int algorithm, void *workspace, size_t workspace_bytes,
		const void *beta, const void *dx_descriptor, void *dx)
{
	(void)w_descriptor, (void)dy_descriptor, (void)algorithm, (void)workspace;
	(void)workspace_bytes;
	return convolve(handle, WORK_CONV_DATA, descriptor_of(dx_descriptor, DESCRIPTOR_TENSOR),
					alpha && beta && w && dy && dx &&
						descriptor_of(convolution, DESCRIPTOR_CONVOLUTION));
}

DNN_API(int, cudnnConvolutionBackwardFilter, void *handle, const void *alpha,
		const void *x_descriptor, const void *x, const void *dy_descriptor, const void *dy,
		const void *convolution, int algorithm, void *workspace, size_t workspace_bytes,
		const void *beta, const void *dw_descriptor, void *dw)
{
	(void)x_descriptor, (void)dy_descriptor, (void)algorithm, (void)workspace;
	(void)workspace_bytes;
	return convolve(handle, WORK_CONV_FILTER, descriptor_of(dw_descriptor, DESCRIPTOR_FILTER),
					alpha && beta && x && dy && dw &&
						descriptor_of(convolution, DESCRIPTOR_CONVOLUTION));
}

/* ---- which algorithm ---- */

static int choose(void *handle, const void *convolution, int wanted, int *found,
				  struct algorithm *results)
{
	const struct descriptor *c = descriptor_of(convolution, DESCRIPTOR_CONVOLUTION);
	if (!dnn_handle_of(handle) || !c || !found || !results)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, convolution or place");
	if (wanted < 1)
		return dnn_refuse(DNN_BAD_PARAM, "no algorithm is asked for");
	results[0] =
		(struct algorithm){.algorithm = ALGORITHM, .ms = 0.1f, .deterministic = 1, .math = c->math};
	*found = 1;
	return DNN_OK;
}

static int no_workspace(void *handle, size_t *bytes)
{
	if (!dnn_handle_of(handle) || !bytes)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, or no place for the size");
	*bytes = 0;
	return DNN_OK;
}

#define ALGORITHM_API(what_)                                                                     \
	DNN_API(int, cudnnGetConvolution##what_##Algorithm_v7, void *handle, const void *a,          \
			const void *b, const void *convolution, const void *c, int wanted, int *found,       \
			struct algorithm *results)                                                           \
	{                                                                                            \
		(void)a, (void)b, (void)c;                                                               \
		return choose(handle, convolution, wanted, found, results);                              \
	}                                                                                            \
	DNN_API(int, cudnnFindConvolution##what_##AlgorithmEx, void *handle, const void *a,          \
			const void *a_data, const void *b, const void *b_data, const void *convolution,      \
			const void *c, void *c_data, int wanted, int *found, struct algorithm *results,      \
			void *workspace, size_t workspace_bytes)                                             \
	{                                                                                            \
		(void)a, (void)a_data, (void)b, (void)b_data, (void)c, (void)c_data, (void)workspace;    \
		(void)workspace_bytes;                                                                   \
		return choose(handle, convolution, wanted, found, results);                              \
	}                                                                                            \
	DNN_API(int, cudnnGetConvolution##what_##WorkspaceSize, void *handle, const void *a,         \
			const void *b, const void *convolution, const void *c, int algorithm, size_t *bytes) \
	{                                                                                            \
		(void)a, (void)b, (void)convolution, (void)c, (void)algorithm;                           \
		return no_workspace(handle, bytes);                                                      \
	}

ALGORITHM_API(Forward)
ALGORITHM_API(BackwardData)
ALGORITHM_API(BackwardFilter)
