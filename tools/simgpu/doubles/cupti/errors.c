#include "doubles/cupti/errors.h"
#include "doubles/cupti/buffers.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/release.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {
	[0] = "CUPTI_SUCCESS",
	[1] = "CUPTI_ERROR_INVALID_PARAMETER",
	[2] = "CUPTI_ERROR_INVALID_DEVICE",
	[3] = "CUPTI_ERROR_INVALID_CONTEXT",
	[7] = "CUPTI_ERROR_INVALID_OPERATION",
	[8] = "CUPTI_ERROR_OUT_OF_MEMORY",
	[10] = "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT",
	[11] = "CUPTI_ERROR_API_NOT_IMPLEMENTED",
	[12] = "CUPTI_ERROR_MAX_LIMIT_REACHED",
	[13] = "CUPTI_ERROR_NOT_READY",
	[14] = "CUPTI_ERROR_NOT_COMPATIBLE",
	[15] = "CUPTI_ERROR_NOT_INITIALIZED",
	[18] = "CUPTI_ERROR_QUEUE_EMPTY",
	[20] = "CUPTI_ERROR_INVALID_STREAM",
	[21] = "CUPTI_ERROR_INVALID_KIND",
	[27] = "CUPTI_ERROR_NOT_SUPPORTED",
	[35] = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
	[39] = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
	[999] = "CUPTI_ERROR_UNKNOWN",
};
static __thread int depth;

const char *errors_name(int result)
{
	return result >= 0 && result <= UNKNOWN ? names[result] : NULL;
}

static enum result errors_driverless(enum release_driverless how, enum result open_answer)
{
	switch (how) {
	case DRIVERLESS_CRASHES:
		fprintf(stderr, "simgpu cupti: a CUPTI call before cuInit: CUPTI %s dies of it\n",
				release_here()->name);
		abort();
	case DRIVERLESS_ALL_UNKNOWN:
		return UNKNOWN;
	case DRIVERLESS_UNKNOWN:
		return open_answer == OK ? OK : UNKNOWN;
	case DRIVERLESS_NOT_INITIALIZED:
		break;
	}
	return open_answer;
}

enum result errors_gate(void)
{
	enum release_driverless how = release_here()->driverless;

	/* up to 12.9 the helper thread exists from the first call on, even a failing one */
	if (how == DRIVERLESS_NOT_INITIALIZED)
		buffers_start_worker();
	return driver_ready() ? OK : errors_driverless(how, NOT_INITIALIZED);
}

enum result errors_gate_open(void)
{
	return driver_ready() ? OK : errors_driverless(release_here()->driverless, OK);
}

void errors_callback_begin(void)
{
	depth++;
}

void errors_callback_end(void)
{
	depth--;
}

int errors_inside(void)
{
	return depth;
}

enum result cuptiGetVersion(uint32_t *version)
{
	enum result result = errors_gate_open();

	if (result)
		return result;
	if (!version)
		return INVALID_PARAMETER;
	*version = release_here()->version;
	return OK;
}

enum result cuptiGetResultString(enum result which, const char **text)
{
	enum result result = errors_gate_open();

	if (result)
		return result;
	if (!text || !errors_name((int)which))
		return INVALID_PARAMETER;
	*text = errors_name((int)which);
	return OK;
}

enum result cuptiGetErrorMessage(enum result which, const char **text)
{
	return cuptiGetResultString(which, text);
}
