#include "conclude/finding_kinds.h"

#include <errno.h>
#include <stdlib.h>

#define LARGER_GRAPHS \
	"capture what is still launched one by one into the CUDA graphs; larger batches"

const struct finding_kind finding_kinds[FINDING_KINDS] = {
	[FINDING_INPUT] = {"input", "idle.host.input", LEAF_BIT(LEAF_HOST_INPUT),
					   "the GPU waits for the data loader",
					   "more DataLoader workers, prefetching, cheaper transforms", NULL},
	[FINDING_SYNC] =
		{"sync", "idle.host.sync", LEAF_BIT(LEAF_HOST_SYNC),
		 "synchronising calls in the loop drain the GPU",
		 "take .item(), .cpu(), synchronize and pageable copies out of the loop; pin host memory",
		 NULL},
	[FINDING_FRAMEWORK] = {"framework", "idle.cpu.framework", LEAF_BIT(LEAF_CPU_FRAMEWORK),
						   "framework code between launches outlasts the kernels",
						   "CUDA graphs, torch.compile, fused optimizers, larger batches",
						   LARGER_GRAPHS},
	[FINDING_API] =
		{"api", "idle.cpu.api", LEAF_BIT(LEAF_CPU_API),
		 "other CUDA calls, earlier launches too, outlast the kernels",
		 "fewer CUDA calls between the kernels: CUDA graphs, fusion, no event or stream queries",
		 NULL},
	[FINDING_LAUNCH] = {"launch", "idle.cpu.launch_call",
						LEAF_BIT(LEAF_CPU_LAUNCH_CALL) | LEAF_BIT(LEAF_CPU_LAUNCH_LATENCY),
						"the launch calls themselves keep the GPU waiting",
						"fewer, larger kernels: CUDA graphs or fusion", LARGER_GRAPHS},
	[FINDING_HOST_CODE] =
		{"host_code", "idle.host.code", LEAF_BIT(LEAF_HOST_CODE),
		 "host code drives no GPU for >= 1 ms at a stretch",
		 "look at the rows behind it; move it to another thread or out of the loop", NULL},
	[FINDING_ALLOC] = {"alloc", "idle.host.alloc", LEAF_BIT(LEAF_HOST_ALLOC),
					   "memory is allocated, freed or pinned in the loop",
					   "reuse buffers; keep the caching allocator from running out "
					   "(PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True)",
					   NULL},
	[FINDING_MODULE_LOAD] =
		{"module_load", "idle.host.module_load", LEAF_BIT(LEAF_HOST_MODULE_LOAD),
		 "kernels are loaded, compiled or instantiated in the loop",
		 "warm up before the measured steps; keep shapes fixed; instantiate graphs once", NULL},
	[FINDING_NCCL_HOST] = {"nccl_host", "idle.host.nccl_host", LEAF_BIT(LEAF_HOST_NCCL_HOST),
						   "the host sits in NCCL calls",
						   "larger buckets; fewer, coalesced collectives", NULL},
	[FINDING_NO_CORE] =
		{"no_core", "idle.host.no_core", LEAF_BIT(LEAF_HOST_NO_CORE),
		 "the launching thread is ready to run but waits for a CPU core",
		 "give each rank its own cores; fewer loader workers and OMP threads than cores", NULL},
	[FINDING_BLOCKED] =
		{"blocked", "idle.host.blocked", LEAF_BIT(LEAF_HOST_BLOCKED),
		 "the launching thread sleeps: a lock, the GIL or I/O",
		 "look at the rows behind it; take I/O and other Python threads off the launching process",
		 NULL},
	[FINDING_HOST_FUNC] = {"host_func", "idle.host.host_func", LEAF_BIT(LEAF_HOST_HOST_FUNC),
						   "the stream waits for a host function (cudaLaunchHostFunc)",
						   "shorten it, or let another stream wait for it", NULL},
	[FINDING_PROFILER] = {"profiler", "idle.tool.profiler", LEAF_BIT(LEAF_TOOL_PROFILER),
						  "the profiler's own overhead: not the program's",
						  "record less: fewer activities, no stacks", NULL},
	[FINDING_QUEUE_FULL] =
		{"queue_full", "idle.gpu.queue_full", LEAF_BIT(LEAF_GPU_QUEUE_FULL),
		 "the launch queue is full: the host is ahead and waits for the GPU, not the GPU for it",
		 "", NULL},
	[FINDING_DEPENDENCY] = {"dependency", "idle.gpu.dependency", LEAF_BIT(LEAF_GPU_DEPENDENCY),
							"the GPU waits for work of another device or process",
							"overlap or rebalance the stages", NULL},
	[FINDING_TURN_AROUND] = {"turn_around", "idle.gpu.dispatch", LEAF_BIT(LEAF_GPU_DISPATCH),
							 "the GPU's turn-around between many short kernels",
							 "fuse kernels or capture a CUDA graph",
							 "fuse kernels: the launches are in CUDA graphs already"},
	[FINDING_WAIT] =
		{"wait", "nccl.wait", LEAF_BIT(LEAF_NCCL_WAIT),
		 "ranks wait in collectives; no rank is persistently last",
		 "even out what varies from step to step: batch sizes, host threads, other jobs", NULL},
	[FINDING_TRANSFER] = {"transfer", "nccl.transfer", LEAF_BIT(LEAF_NCCL_TRANSFER),
						  "communication that no compute hides",
						  "overlap it with the backward pass, larger buckets; compare busbw with "
						  "what the links can do",
						  NULL},
	[FINDING_NCCL] = {"nccl", "nccl.unsplit", LEAF_BIT(LEAF_NCCL_UNSPLIT),
					  "exposed NCCL; wait and transfer cannot be told apart",
					  "import all ranks of the run, with NCCL arguments recorded", NULL},
	[FINDING_UNEXPLAINED] = {"unexplained", "idle.unknown", LEAVES_UNKNOWN,
							 "nobody can explain this time from the trace", "", NULL},
	[FINDING_WORK] = {"work", "work", LEAVES_WORK, "kernels run", "", NULL},
	[FINDING_ASYMMETRY] = {"asymmetry", "", 0, "", "", NULL},
	[FINDING_LATE_RANK] = {"late_rank", "", 0, "", "see which rank is late and what it was doing",
						   NULL},
	[FINDING_LATE_HOST] = {"late_host", "", 0, "",
						   "compare this host with the others: clock and load of its CPU, other "
						   "jobs, where its processes are bound, its storage",
						   NULL},
	[FINDING_LATE_MISSING] = {"late_missing", "", 0, "",
							  "record those ranks too; if none of them is late, the network was "
							  "slow at times",
							  NULL},
};

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"none", "low", "medium", "high"};
	return names[severity];
}

enum severity severity_of(const struct summary *summary, const struct figures *f, int64_t share_ns)
{
	const __int128 share = share_ns;
	if (share <= 0 || 50 * share < f->step_ns || share <= 2 * (__int128)f->noise_ns ||
		share <= f->tool_ns || share <= summary->quality.clock_residual_ns)
		return SEVERITY_NONE;
	if (10 * share >= f->step_ns)
		return SEVERITY_HIGH;
	return 20 * share >= f->step_ns ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

int loss_median_of_others(const struct summary *summary, const struct finding_kind *kind,
						  size_t except, int64_t *ns)
{
	int64_t *values = malloc((summary->n_devices + 1) * sizeof(*values));
	size_t n = 0;
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_devices; i++)
		if (i != except)
			values[n++] = figures_device_time(&summary->devices[i], kind->leaves);
	*ns = figures_median(values, n);
	free(values);
	return 0;
}
