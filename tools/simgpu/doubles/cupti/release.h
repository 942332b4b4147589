/* Which release of CUPTI this process sees: SIMGPU_CUPTI, a list like "12.4,13.2", of which the
 * entry with the major number of this library's soname counts. */
#ifndef SIMGPU_DOUBLES_CUPTI_RELEASE_H
#define SIMGPU_DOUBLES_CUPTI_RELEASE_H

#include "doubles/cupti/cupti.h"
#include "doubles/cupti/layouts.h"
#include <stdbool.h>

enum release_driverless { /* what calls do before cuInit has succeeded */
						  DRIVERLESS_NOT_INITIALIZED, /* 15; version, time stamps and registration
														 answer */
						  DRIVERLESS_UNKNOWN,         /* 999, likewise */
						  DRIVERLESS_CRASHES,         /* any call ends in a stack overflow */
						  DRIVERLESS_ALL_UNKNOWN      /* 999 from everything */
};

struct release {
	const char *name;
	uint32_t version; /* cuptiGetVersion's */
	enum release_driverless driverless;
	uint32_t runtime_cbids, driver_cbids; /* numbers below these are known */
	struct layout_struct layouts[LAYOUTS];
};

extern const struct release releases[];
const struct release *release_find(const char *name, size_t length);
/* This process's; chosen once. */
const struct release *release_here(void);

#endif
