/* The list of workloads. */
#include "virtual/workloads/workloads.h"

#include <string.h>

static const struct workload *const WORKLOADS[] = {
	&workload_ddp,
	&workload_resnet,
	&workload_fsdp,
	&workload_tensor,
	&workload_pipeline,
	&workload_dataparallel,
	&workload_moe,
	&workload_graph,
	&workload_tiny,
	&workload_inference,
	&workload_jax,
	&workload_short_forward,
	&workload_short_backward,
};

const struct workload *workload_at(size_t i)
{
	return i < sizeof WORKLOADS / sizeof *WORKLOADS ? WORKLOADS[i] : NULL;
}

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workload_at(i); i++)
		if (!strcmp(workload_at(i)->name, name))
			return workload_at(i);
	return NULL;
}
