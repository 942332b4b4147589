/* Builds a script: growing arrays, numbered strings, kernels drawn from the tables. One thread;
 * nothing here depends on addresses or on time, so that a seed gives the same script everywhere. */
#include "virtual/script/script.h"

#include "engine/room.h"
#include "virtual/draw/rng.h"

#include <stdlib.h>
#include <string.h>

/* What a random draw is for: the first argument of every hash, so that no two share numbers. */
enum draw { DRAW_WORD = 1, DRAW_COMM, DRAW_KERNEL_NAME, DRAW_KERNEL_TIME };

static void *grown(void *at, size_t count, size_t size)
{
	return must(realloc(at, count * size));
}

/* Arrays that stay short and have no room of their own: exactly one longer. */
static void *array_one_more(void *at, uint32_t n, size_t size)
{
	return grown(at, (size_t)n + 1, size);
}

struct script *script_new(uint64_t seed, uint32_t n_steps)
{
	struct script *s = grown(NULL, 1, sizeof *s);
	*s = (struct script){.seed = seed,
						 .noise_seed = seed,
						 .n_steps = n_steps,
						 .length_spread = SCALE_ONE,
						 .nvtx = true,
						 .noise = {SCALE_ONE, SCALE_ONE, NOISE_EVEN},
						 .gpu_tick_ns = 1,
						 .host_tick_ns = 1};
	script_string(s, "");
	s->step_name = script_word(s, 0);
	return s;
}

static void process_free(struct process_def *p)
{
	for (uint32_t t = 0; t < p->n_threads; t++)
		for (int k = 0; k < STEP_KINDS; k++)
			free(p->threads[t].programs[k].at);
	for (int i = 0; i < POINT_COUNT; i++)
		free(p->injected[i].at);
	free(p->threads);
	free(p->streams);
	free(p->queues);
}

void script_free(struct script *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_processes; i++)
		process_free(&s->processes[i]);
	for (uint32_t i = 0; i < s->n_comms; i++)
		free(s->comms[i].ranks);
	for (uint32_t i = 0; i < s->n_graphs; i++)
		free(s->graphs[i].nodes);
	for (uint32_t i = 0; i < s->n_strings; i++)
		free(s->strings[i]);
	free(s->processes);
	free(s->comms);
	free(s->graphs);
	free(s->strings);
	free(s->string_slots);
	free(s->hosts);
	free(s->devices);
	free(s->kernels);
	free(s);
}

/* ---- strings: open addressing, a slot holds number + 1 ---- */

static uint32_t text_hash(const char *text)
{
	uint32_t h = 2166136261u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

/* The slot of this text, or the free one where it belongs. */
static uint32_t *string_slot(struct script *s, const char *text)
{
	uint32_t mask = s->string_slots_room - 1;
	for (uint32_t i = text_hash(text) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &s->string_slots[i];
		if (!*slot || !strcmp(s->strings[*slot - 1], text))
			return slot;
	}
}

static void strings_rehash(struct script *s)
{
	s->string_slots_room = s->string_slots_room ? s->string_slots_room * 2 : 64;
	s->string_slots = grown(s->string_slots, s->string_slots_room, sizeof *s->string_slots);
	memset(s->string_slots, 0, s->string_slots_room * sizeof *s->string_slots);
	for (uint32_t i = 0; i < s->n_strings; i++)
		*string_slot(s, s->strings[i]) = i + 1;
}

uint32_t script_string(struct script *s, const char *text)
{
	if (2 * (s->n_strings + 1) > s->string_slots_room)
		strings_rehash(s);
	uint32_t *slot = string_slot(s, text);
	if (*slot)
		return *slot - 1;
	size_t size = strlen(text) + 1;
	s->strings = room_for(s->strings, s->n_strings, &s->strings_room, 8, sizeof *s->strings);
	s->strings[s->n_strings] = memcpy(grown(NULL, 1, size), text, size);
	*slot = ++s->n_strings;
	return s->n_strings - 1;
}

/* Syllables of a consonant and a vowel: pronounceable, and never a name that a rule knows. */
uint32_t script_word(struct script *s, uint64_t place)
{
	char word[16];
	uint64_t u = rng_hash(s->seed, DRAW_WORD, place, 0);
	int n = 0, syllables = 2 + (int)(u & 1);
	u >>= 1;
	for (int i = 0; i < syllables; i++, u /= 70) {
		word[n++] = "bdfgklmnprstvz"[u % 14];
		word[n++] = "aeiou"[u / 14 % 5];
	}
	word[n] = 0;
	return script_string(s, word);
}

/* ---- hosts, processes and what they own ---- */

uint32_t script_host(struct script *s, uint32_t cores)
{
	s->hosts = room_for(s->hosts, s->n_hosts, &s->hosts_room, 8, sizeof *s->hosts);
	s->hosts[s->n_hosts] = (struct host_def){.cores = cores};
	return s->n_hosts++;
}

static void add_device(struct script *s, uint32_t process)
{
	s->devices = room_for(s->devices, s->n_devices, &s->devices_room, 8, sizeof *s->devices);
	s->devices[s->n_devices++] = (struct device_def){.process = process, .slow = SCALE_ONE};
}

uint32_t script_process(struct script *s, uint32_t host, int32_t rank, int32_t world_size,
						uint32_t n_devices)
{
	struct process_def p = {.host = host,
							.rank = rank,
							.world_size = world_size,
							.n_devices = n_devices,
							.first_device = s->n_devices};
	for (uint32_t i = s->n_processes; i-- > 0;) { /* the nearest one on the same host counts on */
		const struct process_def *before = &s->processes[i];
		if (before->host != host)
			continue;
		p.local_rank = before->local_rank + 1;
		p.first_ordinal = before->first_ordinal + before->n_devices;
		break;
	}
	s->processes = room_for(s->processes, s->n_processes, &s->processes_room, 8, sizeof p);
	s->processes[s->n_processes] = p;
	for (uint32_t i = 0; i < n_devices; i++)
		add_device(s, s->n_processes);
	return s->n_processes++;
}

uint16_t script_thread(struct script *s, uint32_t process, const char *name)
{
	uint32_t number = script_string(s, name);
	struct process_def *p = &s->processes[process];
	p->threads = array_one_more(p->threads, p->n_threads, sizeof *p->threads);
	p->threads[p->n_threads] = (struct thread_def){.name = number, .marks = p->n_threads == 0};
	return (uint16_t)p->n_threads++;
}

bool script_is_loader(const struct process_def *p, uint32_t thread)
{
	const struct program *loop = &p->threads[thread].programs[STEP_TRAIN];
	bool puts = false, gets = false;
	for (uint32_t i = 0; i < loop->n; i++) {
		puts |= loop->at[i].kind == INSN_PUT;
		gets |= loop->at[i].kind == INSN_GET;
	}
	return p->threads[thread].daemon && puts && !gets;
}

/* Numbers as CUPTI shows them: 7 is the legacy default stream, others count from 13 in each
 * context. */
uint16_t script_stream(struct script *s, uint32_t process, uint16_t device, bool legacy)
{
	struct process_def *p = &s->processes[process];
	int64_t others = 0;
	for (uint32_t i = 0; i < p->n_streams; i++)
		others += p->streams[i].device == device && !p->streams[i].legacy;
	p->streams = array_one_more(p->streams, p->n_streams, sizeof *p->streams);
	p->streams[p->n_streams] = (struct stream_def){
		.device = device, .legacy = legacy, .number = legacy ? 7 : 13 + 4 * others};
	return (uint16_t)p->n_streams++;
}

uint16_t script_event(struct script *s, uint32_t process)
{
	return (uint16_t)s->processes[process].n_events++;
}

uint16_t script_semaphore(struct script *s, uint32_t process)
{
	return (uint16_t)s->processes[process].n_semaphores++;
}

uint16_t script_queue(struct script *s, uint32_t process, uint32_t capacity)
{
	struct process_def *p = &s->processes[process];
	p->queues = array_one_more(p->queues, p->n_queues, sizeof *p->queues);
	p->queues[p->n_queues] = capacity;
	return (uint16_t)p->n_queues++;
}

uint32_t script_comm(struct script *s, const char *name, const uint32_t *devices, uint32_t size,
					 uint32_t bandwidth, uint32_t latency_ns)
{
	struct comm_def c = {.size = size,
						 .hash = rng_hash(s->seed, DRAW_COMM, s->n_comms, 0),
						 .name = script_string(s, name),
						 .bandwidth = bandwidth,
						 .latency_ns = latency_ns,
						 .slow = SCALE_ONE};
	c.ranks = memcpy(grown(NULL, size, sizeof *c.ranks), devices, size * sizeof *c.ranks);
	s->comms = room_for(s->comms, s->n_comms, &s->comms_room, 8, sizeof c);
	s->comms[s->n_comms] = c;
	return s->n_comms++;
}

/* ---- kernels and graphs ---- */

/* How much of the device a kernel of a class fills. None takes all of it: a collective beside it
 * always finds SHARE_COLLECTIVE. */
static uint16_t table_share(enum sim_table table)
{
	switch (table) {
	case TABLE_LOSS:
	case TABLE_SOFTMAX:
	case TABLE_REDUCE:
	case TABLE_EMBEDDING:
		return 600;
	case TABLE_NCCL:
		return SHARE_COLLECTIVE;
	default:
		return SCALE_ONE - SHARE_COLLECTIVE;
	}
}

static uint32_t add_kernel(struct script *s, struct kernel_def kernel)
{
	s->kernels = room_for(s->kernels, s->n_kernels, &s->kernels_room, 8, sizeof kernel);
	s->kernels[s->n_kernels] = kernel;
	return s->n_kernels++;
}

uint32_t script_kernel(struct script *s, enum sim_table table, uint64_t place, uint32_t factor)
{
	uint64_t name = rng_hash(s->seed, DRAW_KERNEL_NAME, (uint64_t)table, place);
	uint64_t time = rng_hash(s->seed, DRAW_KERNEL_TIME, (uint64_t)table, place);
	int64_t dur_ns = table_draw(table, time) * (int64_t)factor / SCALE_ONE;
	return add_kernel(s,
					  (struct kernel_def){.name = script_string(s, table_kernel_name(table, name)),
										  .dur_ns = dur_ns > 0 ? dur_ns : 1,
										  .share = table_share(table),
										  .jitter = SCALE_ONE});
}

uint32_t script_kernel_exact(struct script *s, const char *name, int64_t dur_ns, uint16_t share)
{
	return add_kernel(
		s, (struct kernel_def){.name = script_string(s, name), .dur_ns = dur_ns, .share = share});
}

uint32_t script_graph(struct script *s)
{
	s->graphs = room_for(s->graphs, s->n_graphs, &s->graphs_room, 8, sizeof *s->graphs);
	s->graphs[s->n_graphs] = (struct graph_def){0};
	return s->n_graphs++;
}

void script_graph_node(struct script *s, uint32_t graph, uint32_t kernel, int32_t after)
{
	struct graph_def *g = &s->graphs[graph];
	g->nodes = room_for(g->nodes, g->n_nodes, &g->room, 8, sizeof *g->nodes);
	g->nodes[g->n_nodes++] = (struct graph_node){.kernel = kernel, .after = after};
}

/* ---- programs ---- */

void program_add(struct program *p, struct insn insn)
{
	p->at = room_for(p->at, p->n, &p->room, 8, sizeof *p->at);
	p->at[p->n++] = insn;
}

/* In its place, so that what comes after it draws the same random numbers. */
static void insn_without(struct insn *at, enum removable calls)
{
	bool waits = at->kind == INSN_SYNC_STREAM || at->kind == INSN_SYNC_DEVICE ||
				 at->kind == INSN_SYNC_EVENT ||
				 (at->kind == INSN_COPY && at->b == COPY_DTOH_PAGEABLE);
	bool allocates = at->kind == INSN_MALLOC || at->kind == INSN_FREE;
	if (calls == CALLS_SYNC ? waits : allocates)
		at->kind = INSN_NOTHING;
	else if (calls == CALLS_SYNC && at->kind == INSN_COPY && at->b == COPY_HTOD_PAGEABLE)
		at->b = COPY_HTOD_PINNED;
}

static void program_without(struct program *p, enum removable calls)
{
	for (uint32_t i = 0; i < p->n; i++)
		insn_without(&p->at[i], calls);
}

void script_without(struct script *s, enum removable calls)
{
	for (uint32_t i = 0; i < s->n_processes; i++) {
		struct process_def *p = &s->processes[i];
		for (uint32_t t = 0; t < p->n_threads; t++) {
			program_without(&p->threads[t].programs[STEP_TRAIN], calls);
			program_without(&p->threads[t].programs[STEP_EVAL], calls);
		}
		for (int point = 0; point < POINT_COUNT; point++)
			program_without(&p->injected[point], calls);
	}
}

void program_copy(struct program *to, const struct program *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		program_add(to, from->at[i]);
}
