/* Numbers behind handles, as the driver says them; and how threads are numbered. */
#include "doubles/cupti/identity.h"
#include "doubles/cupti/cupti.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/errors.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic uint32_t thread_id_type; /* 0 the low half of pthread_self, 1 gettid */

uint32_t identity_thread(void)
{
	return atomic_load(&thread_id_type) ? (uint32_t)gettid() : (uint32_t)pthread_self();
}

bool identity_context(void *context, uint32_t *id, uint32_t *device)
{
	const struct driver *driver = driver_ready();

	return driver && driver->context_id && driver->context_id(context, id, device);
}

enum result cuptiGetContextId(void *context, uint32_t *id)
{
	enum result result = errors_gate();
	uint32_t device;

	if (result)
		return result;
	if (!id)
		return INVALID_PARAMETER;
	return identity_context(context, id, &device) ? OK : INVALID_CONTEXT;
}

enum result cuptiGetDeviceId(void *context, uint32_t *device)
{
	enum result result = errors_gate();
	uint32_t id;

	if (result)
		return result;
	if (!device)
		return INVALID_PARAMETER;
	return identity_context(context, &id, device) ? OK : INVALID_CONTEXT;
}

enum result cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id)
{
	enum result result = errors_gate();
	const struct driver *driver;

	if (result)
		return result;
	if (!id)
		return INVALID_PARAMETER;
	if (!stream && per_thread)
		stream = (void *)2; /* the handle of the per-thread default stream */
	driver = driver_ready();
	if (!driver || !driver->stream_id)
		return NOT_SUPPORTED;
	return driver->stream_id(context, stream, id) ? OK : INVALID_PARAMETER;
}

enum result cuptiGetStreamId(void *context, void *stream, uint32_t *id)
{
	return cuptiGetStreamIdEx(context, stream, 0, id);
}

enum result cuptiGetGraphNodeId(void *node, uint64_t *id)
{
	enum result result = errors_gate();
	const struct driver *driver;

	if (result)
		return result;
	if (!node || !id)
		return INVALID_PARAMETER;
	driver = driver_ready();
	if (!driver || !driver->graph_node_id)
		return NOT_SUPPORTED;
	return driver->graph_node_id(node, id) ? OK : INVALID_PARAMETER;
}

enum result cuptiSetThreadIdType(uint32_t type)
{
	enum result result = errors_gate();

	if (result)
		return result;
	if (type > 1)
		return NOT_SUPPORTED;
	atomic_store(&thread_id_type, type);
	return OK;
}

enum result cuptiGetThreadIdType(uint32_t *type)
{
	enum result result = errors_gate();

	if (result)
		return result;
	if (!type)
		return INVALID_PARAMETER;
	*type = atomic_load(&thread_id_type);
	return OK;
}
