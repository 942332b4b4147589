/* Faults that are calls: synchronising ones, allocations, modules, host functions, full queues, and
 * the tool's own cost. */
#include "virtual/faults/plant.h"

#define US 1000 /* ns */

/* .item(): a scalar to pageable memory, on the compute stream. */
static int plant_item(struct script *s, int64_t strength, int32_t rank, enum point point)
{
	struct insn copy = {.kind = INSN_COPY, .a = 0, .b = COPY_DTOH_PAGEABLE, .c = 4};
	if (strength > 64)
		return fault_refuse("more than 64 synchronisations at one place");
	for (int64_t i = 0; i < strength; i++)
		fault_inject_all(s, rank, point, 1, copy);
	return 0;
}

/* In every layer. */
static int plant_sync(struct script *s, int64_t strength, int32_t rank)
{
	return plant_item(s, strength, rank, POINT_FORWARD);
}

static int plant_sync_device(struct script *s, int64_t strength, int32_t rank)
{
	struct insn sync = {.kind = INSN_SYNC_DEVICE, .a = 0};
	if (strength > 64)
		return fault_refuse("more than 64 synchronisations at one place");
	for (int64_t i = 0; i < strength; i++)
		fault_inject_all(s, rank, POINT_BACKWARD, 1, sync);
	return 0;
}

static int plant_item_end(struct script *s, int64_t strength, int32_t rank)
{
	return plant_item(s, strength, rank, POINT_STEP_END);
}

static bool has_point(const struct script *s, enum point point)
{
	const struct program *main = &s->processes[0].threads[0].programs[STEP_TRAIN];
	for (uint32_t i = 0; i < main->n; i++)
		if (main->at[i].kind == INSN_POINT && main->at[i].a == point)
			return true;
	return false;
}

static int plant_item_loss(struct script *s, int64_t strength, int32_t rank)
{
	if (!has_point(s, POINT_LOSS))
		return fault_refuse("this workload has no place between forward and backward");
	return plant_item(s, strength, rank, POINT_LOSS);
}

static int plant_alloc(struct script *s, int64_t strength, int32_t rank)
{
	struct insn allocate = {.kind = INSN_MALLOC, .a = 0, .c = strength * US};
	struct insn release = {.kind = INSN_FREE, .a = 0, .c = strength * US};
	fault_inject_all(s, rank, POINT_FORWARD, 1, allocate);
	return fault_inject_all(s, rank, POINT_FORWARD, 1, release);
}

static int plant_module_load(struct script *s, int64_t strength, int32_t rank)
{
	struct insn load = {.kind = INSN_MODULE_LOAD, .c = strength * US};
	return fault_inject_all(s, rank, POINT_INPUT, 3, load);
}

/* Passes 0 and n/2 of the step's begin: the first step and the one in the middle. */
static int plant_jit(struct script *s, int64_t strength, int32_t rank)
{
	struct insn load = {.kind = INSN_MODULE_LOAD, .c = strength * US};
	uint32_t every = (s->n_steps + 1) / 2;
	return fault_inject_all(s, rank, POINT_STEP_BEGIN, every ? every : 1, load);
}

static int plant_host_func(struct script *s, int64_t strength, int32_t rank)
{
	struct insn function = {.kind = INSN_HOST_FUNC, .a = 0, .c = strength * US};
	return fault_inject_all(s, rank, POINT_BACKWARD, 1, function);
}

/* A thread of its own that copies batches ahead, from pageable memory, and waits for each copy. */
static int plant_prefetch(struct script *s, int64_t strength, int32_t rank)
{
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));) {
		uint16_t thread = script_thread(s, next - 1, "prefetch");
		uint16_t stream = script_stream(s, next - 1, 0, false);
		struct program *program = &p->threads[thread].programs[STEP_TRAIN];
		p->threads[thread].daemon = true;
		p->threads[thread].planted = true;
		program_add(program,
					(struct insn){.kind = INSN_SLEEP, .a = CAUSE_SLEEP, .c = strength * US});
		program_add(
			program,
			(struct insn){.kind = INSN_COPY, .a = stream, .b = COPY_HTOD_PAGEABLE, .c = 16 << 20});
	}
	return 0;
}

/* Before every fourth optimizer the state is copied to the host on a stream of its own; a thread
 * turns it into bytes, which takes the GIL, and writes them. The one after the next waits for it. */
static int plant_checkpoint(struct script *s, int64_t strength, int32_t rank)
{
	struct process_def *p;
	if (strength > 100000)
		return fault_refuse("more than 100 GB");
	if (!has_point(s, POINT_OPTIMIZER))
		return fault_refuse("this workload has no optimizer");
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));) {
		uint16_t thread = script_thread(s, next - 1, "checkpoint");
		uint16_t stream = script_stream(s, next - 1, 0, false);
		uint16_t trained = script_event(s, next - 1), copied = script_event(s, next - 1);
		uint16_t ready = script_queue(s, next - 1, 1);
		const struct insn save[] = {
			{.kind = INSN_RECORD, .a = trained, .b = 0},
			{.kind = INSN_WAIT, .a = stream, .b = trained},
			{.kind = INSN_COPY, .a = stream, .b = COPY_DTOH_PINNED, .c = strength << 20},
			{.kind = INSN_RECORD, .a = copied, .b = stream},
			{.kind = INSN_PUT, .a = ready},
		};
		const struct insn write[] = {
			{.kind = INSN_GET, .a = ready, .b = CAUSE_SLEEP},
			{.kind = INSN_SYNC_EVENT, .a = copied},
			{.kind = INSN_WORK, .a = TABLE_COUNT, .b = SCALE_ONE, .c = strength * 50 * US},
			{.kind = INSN_SLEEP, .a = CAUSE_SLEEP, .c = strength * 500 * US},
		};
		p->threads[thread].daemon = true;
		p->threads[thread].planted = true;
		for (size_t i = 0; i < sizeof(save) / sizeof(save[0]); i++)
			fault_inject(p, POINT_OPTIMIZER, 4, save[i]);
		for (size_t i = 0; i < sizeof(write) / sizeof(write[0]); i++)
			program_add(&p->threads[thread].programs[STEP_TRAIN], write[i]);
	}
	return 0;
}

/* Whether the other devices only go on when the first one's stream has: then they wait for it, and
 * not for a thread that hangs in a launch. */
static bool peers_follow(const struct process_def *p)
{
	const struct program *main = &p->threads[0].programs[STEP_TRAIN];
	for (uint32_t i = 0; i < main->n; i++)
		if (main->at[i].kind == INSN_COPY && main->at[i].b == COPY_PEER)
			return true;
	return false;
}

static bool any_with_peers(struct script *s, int32_t rank)
{
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));)
		if (p->n_devices > 1 && !peers_follow(p))
			return true;
	return false;
}

/* A long kernel on the first device, then more launches than its queue holds: the thread hangs in
 * a launch and cannot serve the other devices. */
static int plant_queue_full(struct script *s, int64_t strength, int32_t rank)
{
	struct process_def *p;
	if (strength > 16)
		return fault_refuse("more than 16 thousand launches");
	if (!any_with_peers(s, rank))
		return fault_refuse("a full queue idles only the process's other devices, and only if they "
							"do not wait for the first");
	uint32_t tiny = script_kernel_exact(s, "fill", 1500, 16);
	uint32_t slow = script_kernel_exact(s, "long", 8000 * US * strength, 512);
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));) {
		struct insn launch = {.kind = INSN_KERNEL, .a = 0, .b = slow};
		if (p->n_devices < 2 || peers_follow(p))
			continue;
		fault_inject(p, POINT_STEP_BEGIN, 1, launch);
		launch.b = tiny;
		for (int64_t i = 0; i < 1000 * strength + 200; i++)
			fault_inject(p, POINT_STEP_BEGIN, 1, launch);
	}
	return 0;
}

static int plant_profiler(struct script *s, int64_t strength, int32_t rank)
{
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));)
		p->launch_extra_ns += strength;
	return 0;
}

const struct fault faults_calls[] = {
	{"sync", "calls", ".item() in every layer of the forward", 3, CAUSE_SYNC, false, plant_sync},
	{"item_end", "calls", ".item() at the end of each step", 1, CAUSE_SYNC, false, plant_item_end},
	{"item_loss", "calls", ".item() between forward and backward", 1, CAUSE_SYNC, false,
	 plant_item_loss},
	{"sync_device", "calls", "cudaDeviceSynchronize in every layer of the backward", 6, CAUSE_SYNC,
	 false, plant_sync_device},
	{"alloc", "us", "cudaMalloc and cudaFree in every layer of the forward, each this long", 100,
	 CAUSE_ALLOC, false, plant_alloc},
	{"module_load", "us", "a module is loaded before every third step", 30000, CAUSE_MODULE_LOAD,
	 false, plant_module_load},
	{"jit", "us", "kernels are compiled before the first step and in the middle of the run", 100000,
	 CAUSE_MODULE_LOAD, false, plant_jit},
	{"host_func", "us", "a host function on the compute stream in every layer of the backward", 200,
	 CAUSE_HOST_FUNC, false, plant_host_func},
	{"prefetch", "us", "between copies from pageable memory, by a thread of their own", 5000,
	 CAUSE_NONE, false, plant_prefetch},
	{"checkpoint", "MB",
	 "every fourth step saves its state: a copy on its own stream, a thread that writes", 200,
	 CAUSE_NONE, false, plant_checkpoint},
	{"queue_full", "thousands", "launches behind a long kernel: idles the process's other devices",
	 1, CAUSE_QUEUE_FULL, false, plant_queue_full},
	{"profiler", "ns", "the tool's own cost of each launch (a few us are felt in tiny only)", 60000,
	 CAUSE_PROFILER, false, plant_profiler},
	{0},
};
