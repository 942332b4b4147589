/* The list of workloads. */
#include "virtual/workloads/workloads.h"

#include <string.h>

#define WORKLOAD_LISTED(name_) &workload_##name_,
static const struct workload *const all[] = {WORKLOADS(WORKLOAD_LISTED)};

const struct workload *workload_at(size_t i)
{
	return i < sizeof all / sizeof *all ? all[i] : NULL;
}

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workload_at(i); i++)
		if (!strcmp(workload_at(i)->name, name))
			return workload_at(i);
	return NULL;
}
