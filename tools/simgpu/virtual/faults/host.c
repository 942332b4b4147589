/* Faults of the host: its threads get slower, wait, or sleep. A host-bound fault costs nothing
 * until it has used up the lead of the launching threads; the usual strengths do. */
#include "virtual/faults/plant.h"

#include <stdlib.h>

#define US 1000 /* ns */

/* ---- work that takes longer ---- */

static void slow_down(struct program *program, int64_t percent)
{
	for (uint32_t i = 0; i < program->n; i++) {
		struct insn *at = &program->at[i];
		if (at->kind != INSN_WORK && at->kind != INSN_WORK_NATIVE)
			continue;
		if (at->a == TABLE_COUNT)
			at->c = at->c * (100 + percent) / 100;
		else
			at->b = (uint32_t)((int64_t)at->b * (100 + percent) / 100);
	}
}

static int plant_slow_host(struct script *s, int64_t strength, int32_t rank)
{
	struct process_def *p;
	if (strength > 100000)
		return fault_refuse("more than a thousand times slower");
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));)
		for (uint32_t t = 0; t < p->n_threads; t++)
			if (thread_launches(&p->threads[t])) {
				slow_down(&p->threads[t].programs[STEP_TRAIN], strength);
				slow_down(&p->threads[t].programs[STEP_EVAL], strength);
			}
	return 0;
}

static int plant_jitter_host(struct script *s, int64_t strength, int32_t rank)
{
	(void)rank;
	if (strength > 100000)
		return fault_refuse("more than a thousand times the real noise");
	s->noise.host = (uint32_t)(SCALE_ONE * strength / 100);
	return 0;
}

/* ---- threads that want what the launching ones need ---- */

static uint16_t hog_new(struct script *s, uint32_t process, const char *name)
{
	uint16_t thread = script_thread(s, process, name);
	s->processes[process].threads[thread].daemon = true;
	s->processes[process].threads[thread].planted = true;
	return thread;
}

/* Wants the lock five sevenths of the time: `strength` of work, two fifths of it asleep. Others
 * have it when they have waited for the switch interval (5 ms in CPython). */
static int plant_gil_hog(struct script *s, int64_t strength, int32_t rank)
{
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));) {
		uint16_t hog = hog_new(s, next - 1, "metrics");
		struct program *program = &p->threads[hog].programs[STEP_TRAIN];
		program_add(
			program,
			(struct insn){.kind = INSN_WORK, .a = TABLE_COUNT, .b = SCALE_ONE, .c = strength * US});
		program_add(program,
					(struct insn){.kind = INSN_SLEEP, .a = CAUSE_NONE, .c = strength * US * 2 / 5});
	}
	return 0;
}

/* The host keeps two cores for each process, and each process has `strength` threads that never
 * rest. */
static void crowd_host(struct script *s, uint32_t host, int64_t strength)
{
	uint32_t processes = 0;
	for (uint32_t i = 0; i < s->n_processes; i++) {
		if (s->processes[i].host != host)
			continue;
		processes++;
		for (int64_t h = 0; h < strength; h++) {
			uint16_t hog = hog_new(s, i, "busy");
			program_add(
				&s->processes[i].threads[hog].programs[STEP_TRAIN],
				(struct insn){
					.kind = INSN_WORK_NATIVE, .a = TABLE_COUNT, .b = SCALE_ONE, .c = 10000 * US});
		}
	}
	if (s->hosts[host].cores > 2 * processes)
		s->hosts[host].cores = 2 * processes;
}

static int plant_no_core(struct script *s, int64_t strength, int32_t rank)
{
	if (strength > 64)
		return fault_refuse("more than 64 busy threads per process");
	for (uint32_t host = 0; host < s->n_hosts; host++)
		if (rank == FAULT_EVERYWHERE || s->processes[s->devices[rank].process].host == host)
			crowd_host(s, host, strength);
	return 0;
}

/* ---- stalls and sleeps at places of the step ---- */

static int plant_page_fault(struct script *s, int64_t strength, int32_t rank)
{
	struct insn stall = {.kind = INSN_STALL, .a = CAUSE_PAGE_FAULT, .c = strength * US};
	return fault_inject_all(s, rank, POINT_FORWARD, 2, stall);
}

static int plant_io_sleep(struct script *s, int64_t strength, int32_t rank)
{
	struct insn sleep = {.kind = INSN_SLEEP, .a = CAUSE_SLEEP, .c = strength * US};
	return fault_inject_all(s, rank, POINT_STEP_END, 1, sleep);
}

/* Before each item a loader puts into its queue it waits for the disk that much longer. */
static bool slow_loader(struct program *program, int64_t extra_ns)
{
	struct program slower = {0};
	bool loads = false;
	for (uint32_t i = 0; i < program->n; i++) {
		struct insn wait = {.kind = INSN_SLEEP, .a = CAUSE_INPUT, .c = extra_ns};
		if (program->at[i].kind == INSN_PUT)
			program_add(&slower, wait);
		loads |= program->at[i].kind == INSN_PUT;
		program_add(&slower, program->at[i]);
	}
	program->n = 0;
	program_copy(program, &slower);
	free(slower.at);
	return loads;
}

static int plant_input(struct script *s, int64_t strength, int32_t rank)
{
	bool loads = false;
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));)
		for (uint32_t t = 0; t < p->n_threads; t++)
			if (p->threads[t].daemon)
				loads |= slow_loader(&p->threads[t].programs[STEP_TRAIN], strength * US);
	return loads ? 0 : fault_refuse("this workload has no loader");
}

const struct fault faults_host[] = {
	{"slow_host", "percent", "work between calls takes longer", 160, CAUSE_CPU_WORK, true,
	 plant_slow_host},
	{"gil_hog", "us", "a thread wants the GIL most of the time, for so long at once", 8000,
	 CAUSE_GIL, true, plant_gil_hog},
	{"no_core", "threads",
	 "hosts (the rank's) with two cores per process, and so many busy threads in each", 4,
	 CAUSE_NO_CORE, false, plant_no_core},
	{"page_fault", "us", "page faults every second layer of the forward", 1500, CAUSE_PAGE_FAULT,
	 true, plant_page_fault},
	{"io_sleep", "us", "asleep at the end of each step (a log, a checkpoint)", 8000, CAUSE_SLEEP,
	 false, plant_io_sleep},
	{"input", "us", "each loader needs longer for a batch", 130000, CAUSE_INPUT, false,
	 plant_input},
	{"jitter_host", "percent", "work between calls varies more than in real traces (100: as there)",
	 350, CAUSE_CPU_WORK, false, plant_jitter_host},
	{0},
};
