#include "doubles/cupti/gate.h"
#include "doubles/cupti/buffers.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/release.h"
#include <stdio.h>
#include <stdlib.h>

static enum result driverless(enum release_driverless how, enum result open_answer)
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

enum result gate(void)
{
	enum release_driverless how = release_here()->driverless;

	/* up to 12.9 the helper thread exists from the first call on, even a failing one */
	if (how == DRIVERLESS_NOT_INITIALIZED)
		buffers_start_worker();
	return driver_ready() ? OK : driverless(how, NOT_INITIALIZED);
}

enum result gate_open(void)
{
	return driver_ready() ? OK : driverless(release_here()->driverless, OK);
}
