/* Spatial transformers (grid_sample): one kernel per call. */
#include "doubles/cudnn/descriptor.h"
#include "doubles/cudnn/handle.h"
#include "doubles/cudnn/work.h"

static int sample(void *handle, const void *sampler, bool pointers)
{
	const struct dnn_handle *dnn = dnn_handle_of(handle);
	const struct descriptor *s = descriptor_of(sampler, DESCRIPTOR_SAMPLER);
	struct work work = {.kind = WORK_OTHER};
	if (!dnn || !s || !pointers)
		return dnn_refuse(DNN_NULL_POINTER, "sampler: no handle, descriptor or data");
	descriptor_shape(s, &work);
	return work_launch(&work, dnn);
}

DNN_API(int, cudnnSpatialTfGridGeneratorForward, void *handle, const void *sampler,
		const void *theta, void *grid)
{
	return sample(handle, sampler, theta && grid);
}

DNN_API(int, cudnnSpatialTfGridGeneratorBackward, void *handle, const void *sampler,
		const void *d_grid, void *d_theta)
{
	return sample(handle, sampler, d_grid && d_theta);
}

DNN_API(int, cudnnSpatialTfSamplerForward, void *handle, const void *sampler, const void *alpha,
		const void *x_descriptor, const void *x, const void *grid, const void *beta,
		void *y_descriptor, void *y)
{
	(void)x_descriptor, (void)y_descriptor;
	return sample(handle, sampler, alpha && beta && x && grid && y);
}

DNN_API(int, cudnnSpatialTfSamplerBackward, void *handle, const void *sampler, const void *alpha,
		const void *x_descriptor, const void *x, const void *beta, const void *dx_descriptor,
		void *dx, const void *alpha_grid, const void *dy_descriptor, const void *dy,
		const void *grid, const void *beta_grid, void *d_grid)
{
	(void)x_descriptor, (void)dx_descriptor, (void)dy_descriptor;
	return sample(handle, sampler,
				  alpha && beta && x && dx && alpha_grid && dy && grid && beta_grid && d_grid);
}
