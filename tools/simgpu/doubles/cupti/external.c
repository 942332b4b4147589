#include "doubles/cupti/external.h"
#include "doubles/cupti/cupti.h"
#include "doubles/cupti/errors.h"

enum { EXTERNAL_DEPTH = 256 };

static __thread uint64_t ids[EXTERNAL_KINDS][EXTERNAL_DEPTH];
static __thread unsigned depths[EXTERNAL_KINDS];

bool external_top(uint32_t kind, uint64_t *id)
{
	if (!depths[kind])
		return false;
	*id = ids[kind][depths[kind] - 1];
	return true;
}

enum result cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id)
{
	enum result result = errors_gate();

	if (result)
		return result;
	if (!kind || kind >= EXTERNAL_KINDS)
		return INVALID_PARAMETER;
	if (depths[kind] == EXTERNAL_DEPTH)
		return OUT_OF_MEMORY;
	ids[kind][depths[kind]++] = id;
	return OK;
}

enum result cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *last)
{
	enum result result = errors_gate();

	if (result)
		return result;
	if (!kind || kind >= EXTERNAL_KINDS)
		return INVALID_PARAMETER;
	if (!depths[kind])
		return QUEUE_EMPTY;
	depths[kind]--;
	if (last)
		*last = ids[kind][depths[kind]];
	return OK;
}
