/* Faults of devices and links, the recorder's flaws, and work that is not the same everywhere. Slow
 * devices, links and imbalance make no idle time of their own: others wait inside their
 * collectives. */
#include "virtual/faults/plant.h"

#include "virtual/draw/rng.h"

#define US 1000 /* ns */

static int plant_slow_gpu(struct script *s, int64_t strength, int32_t rank)
{
	if (strength > 100000)
		return fault_refuse("more than a thousand times slower");
	for (uint32_t i = 0; i < s->n_devices; i++)
		if (rank == FAULT_EVERYWHERE || i == (uint32_t)rank)
			s->devices[i].slow = (uint32_t)(s->devices[i].slow * (100 + strength) / 100);
	return 0;
}

/* The name whose kernels take most of a step. */
static uint32_t costliest_name(const struct script *s)
{
	uint32_t best = 0;
	int64_t most_ns = 0;
	for (uint32_t i = 0; i < s->n_kernels; i++) {
		int64_t ns = 0;
		for (uint32_t k = 0; k < s->n_kernels; k++)
			ns += s->kernels[k].name == s->kernels[i].name ? s->kernels[k].dur_ns : 0;
		if (ns > most_ns) {
			most_ns = ns;
			best = s->kernels[i].name;
		}
	}
	return best;
}

static int plant_slow_kernel(struct script *s, int64_t strength, int32_t rank)
{
	const uint32_t name = costliest_name(s);
	if (strength > 100000)
		return fault_refuse("more than a thousand times slower");
	if (!name)
		return fault_refuse("there are no kernels");
	for (uint32_t i = 0; i < s->n_devices; i++)
		if (rank == FAULT_EVERYWHERE || i == (uint32_t)rank) {
			s->devices[i].slow_name = name;
			s->devices[i].slow_named = (uint32_t)(SCALE_ONE * (100 + strength) / 100);
		}
	return 0;
}

static int plant_shared_gpu(struct script *s, int64_t strength, int32_t rank)
{
	if (strength < 1)
		return fault_refuse("a slice takes time");
	for (uint32_t i = 0; i < s->n_devices; i++)
		if (rank == FAULT_EVERYWHERE || i == (uint32_t)rank)
			s->devices[i].slice_ns = strength * US;
	return 0;
}

static bool comm_has(const struct comm_def *c, int32_t rank)
{
	if (rank == FAULT_EVERYWHERE)
		return true;
	for (uint32_t i = 0; i < c->size; i++)
		if (c->ranks[i] == (uint32_t)rank)
			return true;
	return false;
}

static int plant_slow_link(struct script *s, int64_t strength, int32_t rank)
{
	bool found = false;
	if (strength > 100000)
		return fault_refuse("more than a thousand times slower");
	for (uint32_t i = 0; i < s->n_comms; i++)
		if (comm_has(&s->comms[i], rank)) {
			s->comms[i].slow = (uint32_t)(s->comms[i].slow * (100 + strength) / 100);
			found = true;
		}
	return found ? 0 : fault_refuse("there is no communicator: one device works alone");
}

static int stream_of(const struct process_def *p, uint16_t device)
{
	for (uint32_t i = 0; i < p->n_streams; i++)
		if (p->streams[i].device == device)
			return (int)i;
	return -1;
}

static bool makes(const struct thread_def *thread, enum insn_kind kind, uint16_t stream)
{
	const struct program *program = &thread->programs[STEP_TRAIN];
	for (uint32_t i = 0; i < program->n; i++)
		if (program->at[i].kind == kind && (kind != INSN_KERNEL || program->at[i].a == stream))
			return true;
	return false;
}

/* Whether a thread that does not launch on stream 0 orders the stream with collectives. */
static bool others_meet_on(const struct process_def *p, uint16_t stream)
{
	for (uint32_t t = 0; t < p->n_threads; t++)
		if (makes(&p->threads[t], INSN_KERNEL, stream) && !makes(&p->threads[t], INSN_KERNEL, 0) &&
			makes(&p->threads[t], INSN_COLLECTIVE, 0))
			return true;
	return false;
}

/* The peer's kernel, its event, and the first device's stream that waits for it. Behind a
 * collective that another thread has launched the kernel would wait for this device, which waits
 * for it: there it has a stream of its own. */
static void depend_on_peer(struct script *s, uint32_t process, uint16_t stream, uint32_t kernel)
{
	if (others_meet_on(&s->processes[process], stream))
		stream = script_stream(s, process, 1, false);
	uint16_t event = script_event(s, process);
	struct process_def *p = &s->processes[process];
	fault_inject(p, POINT_FORWARD, 1, (struct insn){.kind = INSN_KERNEL, .a = stream, .b = kernel});
	fault_inject(p, POINT_FORWARD, 1, (struct insn){.kind = INSN_RECORD, .a = event, .b = stream});
	fault_inject(p, POINT_FORWARD, 1, (struct insn){.kind = INSN_WAIT, .a = 0, .b = event});
}

static int plant_dependency(struct script *s, int64_t strength, int32_t rank)
{
	uint32_t kernel = script_kernel_exact(s, "peer", strength * US, SCALE_ONE / 2);
	struct process_def *p;
	bool found = false;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));) {
		int peer = stream_of(p, 1);
		if (peer < 0)
			continue;
		depend_on_peer(s, next - 1, (uint16_t)peer, kernel);
		found = true;
	}
	return found ? 0 : fault_refuse("no process drives a second device to wait for");
}

static int plant_imbalance(struct script *s, int64_t strength, int32_t rank)
{
	(void)rank;
	if (strength > 100)
		return fault_refuse("sequences cannot vary by more than 100 percent");
	s->sequence_spread = (uint32_t)(SCALE_ONE * strength / 100);
	return 0;
}

const struct fault faults_device[] = {
	{"slow_gpu", "percent", "kernels of one device take longer", 10, CAUSE_NONE, true,
	 plant_slow_gpu},
	{"slow_kernel", "percent",
	 "the kernels of one name, the costliest one, take longer on a device", 50, CAUSE_NONE, true,
	 plant_slow_kernel},
	{"slow_link", "percent", "transfers of all communicators (of the rank) take longer", 750,
	 CAUSE_NONE, false, plant_slow_link},
	{"imbalance", "percent", "sequence lengths differ between ranks and steps by up to so much", 20,
	 CAUSE_NONE, false, plant_imbalance},
	{"dependency", "us",
	 "the first device of a process waits for a kernel of the second, per layer", 500,
	 CAUSE_DEPENDENCY, false, plant_dependency},
	{"shared_gpu", "us", "another process has the GPU, for so long, whenever it ran out of work",
	 2400, CAUSE_SHARED, true, plant_shared_gpu},
	{0},
};

/* ---- the recorder ---- */

enum draw { DRAW_CLOCK = 0x636c6b };

/* Up to `strength` early or late, and up to 20 ppm fast or slow, on every host but the first. */
static int plant_clock(struct script *s, int64_t strength, int32_t rank)
{
	(void)rank;
	if (s->n_hosts < 2)
		return fault_refuse("one host has one clock");
	for (uint32_t i = 1; i < s->n_hosts; i++) {
		uint64_t span_ns = 2 * (uint64_t)strength * US + 1;
		uint64_t u = rng_hash(s->seed, DRAW_CLOCK, i, 0), v = rng_hash(s->seed, DRAW_CLOCK, i, 1);
		s->hosts[i].clock_offset_ns = (int64_t)rng_below(u, span_ns) - strength * US;
		s->hosts[i].clock_drift_ppb = (int32_t)rng_below(v, 40001) - 20000;
	}
	return 0;
}

/* Every second host's clock jumps back. The moments are a few steps apart. */
static int plant_clock_jump(struct script *s, int64_t strength, int32_t rank)
{
	(void)rank;
	if (s->n_hosts < 2)
		return fault_refuse("one host has one clock");
	for (uint32_t i = 1; i < s->n_hosts; i++) {
		s->hosts[i].clock_jump_ns = (i % 2 ? strength : -strength) * US;
		s->hosts[i].clock_jump_at_ns = (1200 + 150 * (int64_t)(i % 4)) * 1000 * US;
	}
	return 0;
}

static int plant_lost_records(struct script *s, int64_t strength, int32_t rank)
{
	(void)rank;
	if (strength > 1000000)
		return fault_refuse("more than a million of a million");
	s->lost_ppm = (uint32_t)strength;
	return 0;
}

static int plant_jitter_kernel(struct script *s, int64_t strength, int32_t rank)
{
	(void)rank;
	if (strength > 100000)
		return fault_refuse("more than a thousand times the real noise");
	s->noise.kernel = (uint32_t)(SCALE_ONE * strength / 100);
	return 0;
}

const struct fault faults_record[] = {
	{"clock", "us", "clocks of all hosts but the first are up to so much off, and drift by 20 ppm",
	 5000, CAUSE_NONE, false, plant_clock},
	{"clock_jump", "us",
	 "clocks of all hosts but the first jump, forward and back in turns, after 1.2 to 1.65 s", 1000,
	 CAUSE_NONE, false, plant_clock_jump},
	{"lost_records", "ppm", "records that the recorder loses", 1000, CAUSE_NONE, false,
	 plant_lost_records},
	{"jitter_kernel", "percent", "kernels vary more than in real traces (100: as there)", 300,
	 CAUSE_NONE, false, plant_jitter_kernel},
	{0},
};
