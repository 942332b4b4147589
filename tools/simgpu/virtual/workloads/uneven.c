/* Training loops that never wait for the device, in which one phase has kernels shorter than their
 * launches: the device stays busy there only while the host is ahead, from the phase before. A wait
 * before such a phase costs what the lead would have hidden. */
#include "virtual/workloads/parts.h"

#define SHORT_NS 8000 /* less than any launch with the work before it */

static struct script *build_forward(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_transformer, 900, 64 << 10, 0, true,
											 {PHASE_FORWARD, SHORT_NS}};
	return data_parallel_build(options, &JOB);
}

static struct script *build_backward(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_transformer, 900, 64 << 10, 0, true,
											 {PHASE_BACKWARD, SHORT_NS}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_short_forward = {
	"short_forward", "short kernels in the forward; the loop never reads its loss", 1,
	build_forward};
const struct workload workload_short_backward = {
	"short_backward", "short kernels in the backward; the loop never reads its loss", 1,
	build_backward};
