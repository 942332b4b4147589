/* The version, the words for results, and time stamps. */
#include "doubles/cupti/clock.h"
#include "doubles/cupti/gate.h"
#include "doubles/cupti/names.h"
#include "doubles/cupti/release.h"

enum result cuptiGetVersion(uint32_t *version)
{
	enum result result = gate_open();

	if (result)
		return result;
	if (!version)
		return INVALID_PARAMETER;
	*version = release_here()->version;
	return OK;
}

enum result cuptiGetResultString(enum result which, const char **text)
{
	enum result result = gate_open();

	if (result)
		return result;
	if (!text || !names_result((int)which))
		return INVALID_PARAMETER;
	*text = names_result((int)which);
	return OK;
}

enum result cuptiGetErrorMessage(enum result which, const char **text)
{
	return cuptiGetResultString(which, text);
}

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
