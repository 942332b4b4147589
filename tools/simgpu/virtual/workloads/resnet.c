/* Data-parallel training on images: convolutions, larger batches to copy. */
#include "virtual/workloads/parts.h"

static struct script *build(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_resnet, 700, 4 << 20, 0, false, {0}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_resnet = {
	"resnet", "data-parallel image training: convolutions, loaders, pinned copies", 1, build};
