/* One number for everything a script holds. Field by field: padding and addresses never enter. */
#include "virtual/draw/rng.h"
#include "virtual/script/script.h"

struct hash {
	uint64_t value, n;
};

static void add(struct hash *h, uint64_t a, uint64_t b)
{
	h->value = rng_hash(h->value, h->n++, a, b);
}

static void add_program(struct hash *h, const struct program *p)
{
	add(h, p->n, 0);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct insn *at = &p->at[i];
		add(h, (uint64_t)at->kind << 48 | (uint64_t)at->a << 32 | at->b, (uint64_t)at->c);
		add(h, (uint32_t)at->d, at->every);
	}
}

static void add_thread(struct hash *h, const struct thread_def *t)
{
	add(h, t->name, (uint64_t)t->daemon << 1 | t->marks);
	for (int k = 0; k < STEP_KINDS; k++)
		add_program(h, &t->programs[k]);
}

static void add_process(struct hash *h, const struct process_def *p)
{
	add(h, p->host, (uint32_t)p->rank);
	add(h, (uint32_t)p->world_size, (uint32_t)p->local_rank);
	add(h, (uint64_t)p->n_devices << 32 | p->first_device, p->first_ordinal);
	add(h, (uint64_t)p->n_events << 32 | p->n_semaphores, (uint64_t)p->launch_extra_ns);
	add(h, (uint64_t)p->n_threads << 32 | p->n_streams, p->n_queues);
	for (uint32_t i = 0; i < p->n_threads; i++)
		add_thread(h, &p->threads[i]);
	for (uint32_t i = 0; i < p->n_streams; i++)
		add(h, (uint64_t)p->streams[i].device << 1 | p->streams[i].legacy,
			(uint64_t)p->streams[i].number);
	for (uint32_t i = 0; i < p->n_queues; i++)
		add(h, p->queues[i], 0);
	for (int i = 0; i < POINT_COUNT; i++)
		add_program(h, &p->injected[i]);
}

static void add_settings(struct hash *h, const struct script *s)
{
	add(h, s->seed, s->n_steps);
	add(h, s->noise_seed,
		(uint64_t)(s->host_tick_ns - 1) << 36 | (uint64_t)s->noise.shape << 32 | s->gpu_tick_ns);
	add(h, (uint64_t)s->eval_every << 32 | s->eval_batches,
		(uint64_t)s->length_spread << 32 | s->sequence_spread);
	add(h, (uint64_t)s->lost_ppm << 1 | s->nvtx, (uint64_t)s->noise.host << 32 | s->noise.kernel);
	add(h, s->step_name, s->n_strings);
	for (uint32_t i = 0; i < s->n_strings; i++) {
		for (const char *c = s->strings[i]; *c; c++)
			add(h, (unsigned char)*c, 0);
		add(h, 0, i);
	}
}

static void add_machines(struct hash *h, const struct script *s)
{
	add(h, (uint64_t)s->n_hosts << 32 | s->n_devices, s->n_comms);
	for (uint32_t i = 0; i < s->n_hosts; i++)
		add(h, (uint64_t)s->hosts[i].cores << 32 | (uint32_t)s->hosts[i].clock_drift_ppb,
			(uint64_t)s->hosts[i].clock_offset_ns);
	for (uint32_t i = 0; i < s->n_hosts; i++)
		if (s->hosts[i].clock_jump_ns)
			add(h, (uint64_t)s->hosts[i].clock_jump_ns, (uint64_t)s->hosts[i].clock_jump_at_ns);
	for (uint32_t i = 0; i < s->n_devices; i++)
		add(h, s->devices[i].process, s->devices[i].slow);
	for (uint32_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].slow_name)
			add(h, (uint64_t)i << 32 | s->devices[i].slow_name, s->devices[i].slow_named);
	for (uint32_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].slice_ns)
			add(h, i, (uint64_t)s->devices[i].slice_ns);
	for (uint32_t i = 0; i < s->n_comms; i++) {
		const struct comm_def *c = &s->comms[i];
		add(h, (uint64_t)c->size << 32 | c->name, c->hash);
		add(h, (uint64_t)c->bandwidth << 32 | c->latency_ns, c->slow);
		for (uint32_t m = 0; m < c->size; m++)
			add(h, c->ranks[m], m);
	}
}

static void add_kernels(struct hash *h, const struct script *s)
{
	add(h, s->n_kernels, s->n_graphs);
	for (uint32_t i = 0; i < s->n_kernels; i++) {
		const struct kernel_def *k = &s->kernels[i];
		add(h, (uint64_t)k->share << 32 | k->jitter, (uint64_t)k->dur_ns);
		add(h, k->name, k->sequence);
	}
	for (uint32_t i = 0; i < s->n_graphs; i++) {
		add(h, s->graphs[i].n_nodes, i);
		for (uint32_t n = 0; n < s->graphs[i].n_nodes; n++)
			add(h, s->graphs[i].nodes[n].kernel, (uint32_t)s->graphs[i].nodes[n].after);
	}
}

uint64_t script_hash(const struct script *s)
{
	struct hash h = {0, 0};
	add_settings(&h, s);
	add_machines(&h, s);
	add_kernels(&h, s);
	add(&h, s->n_processes, 0);
	for (uint32_t i = 0; i < s->n_processes; i++)
		add_process(&h, &s->processes[i]);
	return h.value;
}
