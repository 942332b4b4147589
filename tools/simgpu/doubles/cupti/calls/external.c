/* External correlation ids. */
#include "doubles/cupti/cupti.h"
#include "doubles/cupti/external.h"
#include "doubles/cupti/gate.h"

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
