/* Dropout descriptors: their states are what a generator would need, and nobody draws from. */
#include "doubles/cudnn/descriptor.h"
#include "doubles/cudnn/handle.h"

#include "doubles/shared/launch.h"

#define STATES_BYTES ((size_t)108 * 2048 * 48) /* one generator for each thread of an A100 */

DNN_API(int, cudnnDropoutGetStatesSize, void *handle, size_t *bytes)
{
	if (!dnn_handle_of(handle) || !bytes)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, or no place for the size");
	*bytes = STATES_BYTES;
	return DNN_OK;
}

static int check(void *handle, void *descriptor, float dropout, const void *states, size_t bytes)
{
	if (!dnn_handle_of(handle) || !descriptor_of(descriptor, DESCRIPTOR_DROPOUT))
		return dnn_refuse(DNN_NULL_POINTER, "no handle, or no dropout descriptor");
	if (!(dropout >= 0 && dropout <= 1))
		return dnn_refuse(DNN_BAD_PARAM, "the dropout is not between 0 and 1");
	if (states && bytes < STATES_BYTES)
		return dnn_refuse(DNN_BAD_PARAM, "the states are too short");
	return DNN_OK;
}

/* Without states there is nothing to begin with. */
DNN_API(int, cudnnSetDropoutDescriptor, void *descriptor, void *handle, float dropout, void *states,
		size_t bytes, unsigned long long seed)
{
	const struct library_kernel begin = {
		"_ZN5cudnn6detail10initstatesEyP17curandStateXORWOWi", {864, 1, 1}, {256, 1, 1}, false};
	int failed = check(handle, descriptor, dropout, states, bytes);
	(void)seed;
	if (failed || !states)
		return failed;
	if (library_launch(&begin, dnn_handle_of(handle)->stream))
		return dnn_refuse(DNN_EXECUTION_FAILED_DRIVER, "the launch failed");
	return DNN_OK;
}

DNN_API(int, cudnnRestoreDropoutDescriptor, void *descriptor, void *handle, float dropout,
		void *states, size_t bytes, unsigned long long seed)
{
	(void)seed;
	return check(handle, descriptor, dropout, states, bytes);
}
