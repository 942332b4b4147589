#include "conclude/finding_kinds.h"

#include <errno.h>
#include <stdlib.h>

/* The words: what it means is a sentence; what to try goes on after "Try: ". */
#define CAPTURE_THE_REST \
	"capture the remaining single launches in CUDA graphs, or use larger batches"

/* clang-format off */
const struct finding_kind finding_kinds[FINDING_KINDS] = {
	[FINDING_INPUT] = {"input", "idle.host.input", LEAF_BIT(LEAF_HOST_INPUT),
		"The GPU waits for the data loader",
		"use more DataLoader workers, prefetch batches, or make the transforms cheaper", NULL},
	[FINDING_SYNC] = {"sync", "idle.host.sync", LEAF_BIT(LEAF_HOST_SYNC),
		"Synchronizing calls in the loop drain the GPU's queue",
		"move .item(), .cpu(), synchronize() and copies from pageable memory out of the loop; pin "
		"host memory", NULL},
	[FINDING_FRAMEWORK] = {"framework", "idle.cpu.framework", LEAF_BIT(LEAF_CPU_FRAMEWORK),
		"The CPU cannot launch kernels fast enough (Python and framework overhead)",
		"use CUDA graphs, torch.compile, fused optimizers or larger batches", CAPTURE_THE_REST},
	[FINDING_API] = {"api", "idle.cpu.api", LEAF_BIT(LEAF_CPU_API),
		"Other CUDA calls and earlier launches take longer than the kernels",
		"make fewer CUDA calls between kernels: use CUDA graphs or fused kernels, avoid event and "
		"stream queries", NULL},
	[FINDING_LAUNCH] = {"launch", "idle.cpu.launch_call",
		LEAF_BIT(LEAF_CPU_LAUNCH_CALL) | LEAF_BIT(LEAF_CPU_LAUNCH_LATENCY),
		"The GPU waits for the launch calls themselves",
		"launch fewer, larger kernels: use CUDA graphs or fusion", CAPTURE_THE_REST},
	[FINDING_HOST_CODE] = {"host_code", "idle.host.code", LEAF_BIT(LEAF_HOST_CODE),
		"The CPU spends 1 ms or more at a time on work that feeds no GPU",
		"move that work to another thread or out of the loop", NULL},
	[FINDING_ALLOC] = {"alloc", "idle.host.alloc", LEAF_BIT(LEAF_HOST_ALLOC),
		"Memory is allocated, freed or pinned in the loop",
		"reuse buffers; set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True so that the caching "
		"allocator does not run out", NULL, "Memory is allocated, freed or pinned, perhaps once "
		"at the start"},
	[FINDING_MODULE_LOAD] = {"module_load", "idle.host.module_load", LEAF_BIT(LEAF_HOST_MODULE_LOAD),
		"Kernels are loaded, compiled or instantiated in the loop",
		"warm up before the measured steps; keep shapes fixed; instantiate graphs once", NULL,
		"Kernels are loaded, compiled or tuned, perhaps once at the start"},
	[FINDING_NCCL_HOST] = {"nccl_host", "idle.host.nccl_host", LEAF_BIT(LEAF_HOST_NCCL_HOST),
		"The launching thread spends its time inside NCCL calls",
		"use larger buckets and fewer, coalesced collectives", NULL},
	[FINDING_NO_CORE] = {"no_core", "idle.host.no_core", LEAF_BIT(LEAF_HOST_NO_CORE),
		"The launching thread is ready to run but waits for a CPU core",
		"give each rank its own cores; use fewer loader workers and OMP threads than cores", NULL},
	[FINDING_BLOCKED] = {"blocked", "idle.host.blocked", LEAF_BIT(LEAF_HOST_BLOCKED),
		"The launching thread sleeps: it waits for a lock, the GIL or I/O",
		"take I/O and other Python threads off the launching process",
		NULL},
	[FINDING_HOST_FUNC] = {"host_func", "idle.host.host_func", LEAF_BIT(LEAF_HOST_HOST_FUNC),
		"The stream waits for a host function (cudaLaunchHostFunc)",
		"shorten the function, or let another stream wait for it", NULL},
	[FINDING_PROFILER] = {"profiler", "idle.tool.profiler", LEAF_BIT(LEAF_TOOL_PROFILER),
		"The profiler's own overhead, which the program alone does not have",
		"record less: fewer activities, no stacks", NULL},
	[FINDING_QUEUE_FULL] = {"queue_full", "idle.gpu.queue_full", LEAF_BIT(LEAF_GPU_QUEUE_FULL),
		"The launch queue is full: the CPU waits for the GPU, not the GPU for the CPU", "", NULL},
	[FINDING_DEPENDENCY] = {"dependency", "idle.gpu.dependency", LEAF_BIT(LEAF_GPU_DEPENDENCY),
		"The GPU waits for work of another device or process",
		"overlap the stages, or balance them", NULL},
	[FINDING_SHARED] = {"shared", "idle.gpu.shared", LEAF_BIT(LEAF_GPU_SHARED),
		"Another process uses the GPU: work that was launched starts in regular slices",
		"find the other process (nvidia-smi) and give the job GPUs of its own; where they have to "
		"share one, use MIG or MPS", NULL},
	[FINDING_DISPATCH] = {"dispatch", "idle.gpu.dispatch", LEAF_BIT(LEAF_GPU_DISPATCH),
		"Short gaps between back-to-back kernels, although their launches are queued",
		"fuse kernels or capture a CUDA graph",
		"fuse kernels: the launches are in CUDA graphs already"},
	[FINDING_WAIT] = {"wait", "nccl.wait", LEAF_BIT(LEAF_NCCL_WAIT),
		"Ranks wait in collectives, but no rank is persistently last",
		"even out what varies from step to step: batch sizes, host threads, other jobs", NULL},
	[FINDING_TRANSFER] = {"transfer", "nccl.transfer", LEAF_BIT(LEAF_NCCL_TRANSFER),
		"Exposed communication: no compute overlaps it",
		"overlap it with the backward pass, use larger buckets; compare busbw with what the links "
		"can do", NULL},
	[FINDING_UNSPLIT] = {"unsplit", "nccl.unsplit", LEAF_BIT(LEAF_NCCL_UNSPLIT),
		"Exposed communication; this trace cannot say how much of it is waiting for other ranks",
		"record with baton, or import all ranks of the run with their NCCL arguments", NULL},
	[FINDING_COPIES] = {"copies", "copy", LEAVES_COPY,
		"The GPU only copies, to or from the host or another GPU: no kernel runs",
		"copy ahead on a stream of its own so that kernels overlap it; pin host memory; keep on the "
		"GPU what is copied in every step", NULL},
	[FINDING_UNKNOWN] = {"unknown", "idle.unknown", LEAVES_UNKNOWN,
		"The trace does not show what the GPU was waiting for", "", NULL},
	[FINDING_WORK] = {"work", "work", LEAVES_WORK, "Kernels run", "", NULL},
	[FINDING_ASYMMETRY] = {"asymmetry", "", 0, "", "", NULL},
	[FINDING_LATE_RANK] = {"late_rank", "", 0, "",
		"compare what that rank did before these collectives with what the others did", NULL},
	[FINDING_LATE_HOST] = {"late_host", "", 0, "",
		"compare this host with the others: CPU clock and load, other jobs, binding of its "
		"processes, storage", NULL},
	[FINDING_LATE_MISSING] = {"late_missing", "", 0, "",
		"record those ranks too; if none of them is late, the network was slow at times", NULL},
	[FINDING_BUBBLE] = {"bubble", "nccl.unsplit", 0, "",
		"use more micro-batches in a step, or stages of several chunks (interleaved schedule)", NULL},
	[FINDING_UNEVEN] = {"uneven", "", 0, "",
		"give each GPU as much of the model and of the batch; share out what one GPU copies for the "
		"others", NULL},
};
/* clang-format on */

const char finding_profile_later[] =
	"profile several steps after a warm-up, marked as steps (profiler.step() or --step-range)";

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"none", "low", "medium", "high"};
	return names[severity];
}

enum severity severity_of(const struct summary *summary, const struct figures *f, int64_t share_ns,
						  int64_t limit_ns)
{
	const __int128 share = share_ns;
	if (share <= 0 || 50 * share < f->step_ns || 100 * (__int128)limit_ns < f->step_ns ||
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
