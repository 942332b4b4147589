/* Thousands of kernels shorter than their launches: the device waits for the host most of the time.
 */
#include "virtual/workloads/parts.h"

static struct script *build(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_mlp, 4000, 16 << 10, 3000, false, {0}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_tiny = {
	"tiny", "thousands of kernels of 2 to 5 us: bound by launches, never healthy", 1, build};
