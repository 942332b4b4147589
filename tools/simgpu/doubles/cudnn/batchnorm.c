/* Batch normalisation before graphs. */
#include "doubles/cudnn/descriptor.h"
#include "doubles/cudnn/handle.h"
#include "doubles/cudnn/work.h"

static int norm(void *handle, enum work_kind kind, const void *x_descriptor, bool pointers)
{
	const struct dnn_handle *dnn = dnn_handle_of(handle);
	const struct descriptor *x = descriptor_of(x_descriptor, DESCRIPTOR_TENSOR);
	struct work work = {.kind = kind};
	if (!dnn || !x || !pointers)
		return dnn_refuse(DNN_NULL_POINTER, "batch norm: no handle, descriptor or data");
	if (x->n_dims < 4 || x->n_dims > 5)
		return dnn_refuse(DNN_BAD_PARAM, "batch norm: the tensor has neither 4 nor 5 dimensions");
	descriptor_shape(x, &work);
	return work_launch(&work, dnn);
}

DNN_API(int, cudnnBatchNormalizationForwardTrainingEx, void *handle, int mode, int ops,
		const void *alpha, const void *beta, const void *x_descriptor, const void *x,
		const void *z_descriptor, const void *z, const void *y_descriptor, void *y,
		const void *parameters, const void *scale, const void *bias, double factor,
		void *running_mean, void *running_variance, double epsilon, void *mean, void *variance,
		void *activation, void *workspace, size_t workspace_bytes, void *reserve,
		size_t reserve_bytes)
{
	(void)mode, (void)ops, (void)z_descriptor, (void)z, (void)y_descriptor, (void)parameters;
	(void)factor, (void)running_mean, (void)running_variance, (void)epsilon, (void)mean;
	(void)variance, (void)activation, (void)workspace, (void)workspace_bytes, (void)reserve;
	(void)reserve_bytes;
	return norm(handle, WORK_NORM_FORWARD, x_descriptor, alpha && beta && x && y && scale && bias);
}

DNN_API(int, cudnnBatchNormalizationForwardInference, void *handle, int mode, const void *alpha,
		const void *beta, const void *x_descriptor, const void *x, const void *y_descriptor,
		void *y, const void *parameters, const void *scale, const void *bias, const void *mean,
		const void *variance, double epsilon)
{
	(void)mode, (void)y_descriptor, (void)parameters, (void)epsilon;
	return norm(handle, WORK_NORM_INFERENCE, x_descriptor,
				alpha && beta && x && y && scale && bias && mean && variance);
}

DNN_API(int, cudnnBatchNormalizationBackwardEx, void *handle, int mode, int ops,
		const void *alpha_data, const void *beta_data, const void *alpha_parameters,
		const void *beta_parameters, const void *x_descriptor, const void *x,
		const void *y_descriptor, const void *y, const void *dy_descriptor, const void *dy,
		const void *dz_descriptor, void *dz, const void *dx_descriptor, void *dx,
		const void *parameters, const void *scale, const void *bias, void *d_scale, void *d_bias,
		double epsilon, const void *mean, const void *variance, void *activation, void *workspace,
		size_t workspace_bytes, void *reserve, size_t reserve_bytes)
{
	(void)mode, (void)ops, (void)y_descriptor, (void)y, (void)dy_descriptor, (void)dz_descriptor;
	(void)dz, (void)dx_descriptor, (void)parameters, (void)bias, (void)epsilon, (void)mean;
	(void)variance, (void)activation, (void)workspace, (void)workspace_bytes, (void)reserve;
	(void)reserve_bytes;
	return norm(handle, WORK_NORM_BACKWARD, x_descriptor,
				alpha_data && beta_data && alpha_parameters && beta_parameters && x && dy && dx &&
					scale && d_scale && d_bias);
}

/* ---- sizes: its kernels need no memory of their own ---- */

static int no_bytes(void *handle, size_t *bytes)
{
	if (!dnn_handle_of(handle) || !bytes)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, or no place for the size");
	*bytes = 0;
	return DNN_OK;
}

DNN_API(int, cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, void *handle, int mode,
		int ops, const void *x, const void *z, const void *y, const void *parameters,
		const void *activation, size_t *bytes)
{
	(void)mode, (void)ops, (void)x, (void)z, (void)y, (void)parameters, (void)activation;
	return no_bytes(handle, bytes);
}

DNN_API(int, cudnnGetBatchNormalizationBackwardExWorkspaceSize, void *handle, int mode, int ops,
		const void *x, const void *y, const void *dy, const void *dz, const void *dx,
		const void *parameters, const void *activation, size_t *bytes)
{
	(void)mode, (void)ops, (void)x, (void)y, (void)dy, (void)dz, (void)dx, (void)parameters;
	(void)activation;
	return no_bytes(handle, bytes);
}

DNN_API(int, cudnnGetBatchNormalizationTrainingExReserveSpaceSize, void *handle, int mode, int ops,
		const void *activation, const void *x, size_t *bytes)
{
	(void)mode, (void)ops, (void)activation, (void)x;
	return no_bytes(handle, bytes);
}
