/* The version, and the words for results. */
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
