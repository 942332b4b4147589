/* Time stamps. */
#include "doubles/cupti/clock.h"
#include "doubles/cupti/cupti.h"
#include "doubles/cupti/gate.h"

enum result cuptiActivityRegisterTimestampCallback(timestamp_fn callback)
{
	enum result result = gate();

	if (result)
		return result;
	if (!callback)
		return INVALID_PARAMETER;
	clock_use(callback);
	return OK;
}

enum result cuptiGetTimestamp(uint64_t *timestamp)
{
	enum result result = gate_open();

	if (result)
		return result;
	if (!timestamp)
		return INVALID_PARAMETER;
	*timestamp = clock_stamp();
	return OK;
}
