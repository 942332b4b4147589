/* The numbers that records give to handles and threads, and external correlation ids. */
#include "doubles/cupti/cupti.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/gate.h"
#include "doubles/cupti/identity.h"

enum result cuptiGetContextId(void *context, uint32_t *id)
{
	enum result result = gate();
	uint32_t device;

	if (result)
		return result;
	if (!id)
		return INVALID_PARAMETER;
	return identity_context(context, id, &device) ? OK : INVALID_CONTEXT;
}

enum result cuptiGetDeviceId(void *context, uint32_t *device)
{
	enum result result = gate();
	uint32_t id;

	if (result)
		return result;
	if (!device)
		return INVALID_PARAMETER;
	return identity_context(context, &id, device) ? OK : INVALID_CONTEXT;
}

enum result cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread, uint32_t *id)
{
	enum result result = gate();
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
	enum result result = gate();
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
	enum result result = gate();

	if (result)
		return result;
	if (type > 1)
		return NOT_SUPPORTED;
	identity_number_threads(type);
	return OK;
}

enum result cuptiGetThreadIdType(uint32_t *type)
{
	enum result result = gate();

	if (result)
		return result;
	if (!type)
		return INVALID_PARAMETER;
	*type = identity_threads_numbered();
	return OK;
}

enum result cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id)
{
	enum result result = gate();

	if (result)
		return result;
	if (!kind || kind >= EXTERNAL_KINDS)
		return INVALID_PARAMETER;
	return external_push(kind, id) ? OK : OUT_OF_MEMORY;
}

enum result cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *last)
{
	enum result result = gate();
	uint64_t id;

	if (result)
		return result;
	if (!kind || kind >= EXTERNAL_KINDS)
		return INVALID_PARAMETER;
	if (!external_pop(kind, &id))
		return QUEUE_EMPTY;
	if (last)
		*last = id;
	return OK;
}
