/* The scripts that workloads build: exact numbers of kernels, members that agree, nobody waits for
 * a signal that never comes, nothing is out of range, a seed decides everything, a fault changes
 * something. */
#include "check.h"
#include "virtual/faults/faults.h"
#include "virtual/workloads/workloads.h"

#include <stdlib.h>
#include <string.h>

static struct workload_options options_of(uint64_t seed, uint32_t ranks, uint32_t kernels)
{
	return (struct workload_options){
		.seed = seed, .ranks = ranks, .per_host = 8, .steps = 4, .kernels = kernels};
}

static struct script *script_of(const struct workload *w, uint64_t seed, uint32_t ranks,
								uint32_t kernels)
{
	struct workload_options o = options_of(seed, ranks, kernels);
	return w->build(&o);
}

/* ---- walking over the instructions ---- */

struct place {
	const struct script *s;
	const struct process_def *p;
	const struct thread_def *t;
	const struct program *program;
};

typedef void visit_fn(void *to, const struct place *place, const struct insn *insn);

static void walk_thread(struct place *place, const bool *kinds, visit_fn *visit, void *to)
{
	for (int k = 0; k < STEP_KINDS; k++) {
		place->program = &place->t->programs[k];
		for (uint32_t i = 0; kinds[k] && i < place->program->n; i++)
			visit(to, place, &place->program->at[i]);
	}
}

static void walk(const struct script *s, bool all, visit_fn *visit, void *to)
{
	bool kinds[STEP_KINDS] = {[STEP_TRAIN] = true, [STEP_EVAL] = all, [STEP_SETUP] = all};
	for (uint32_t p = 0; p < s->n_processes; p++)
		for (uint32_t t = 0; t < s->processes[p].n_threads; t++) {
			struct place place = {s, &s->processes[p], &s->processes[p].threads[t], NULL};
			walk_thread(&place, kinds, visit, to);
		}
}

static uint32_t device_of(const struct place *place, const struct insn *i)
{
	return place->p->first_device + place->p->streams[i->a].device;
}

static bool is_collective(const struct insn *i)
{
	return i->kind == INSN_COLLECTIVE || i->kind == INSN_SENDRECV;
}

/* ---- kernels of one step on one device: the collectives of a group are one ---- */

struct counts {
	uint32_t *kernels;
	bool group;
	uint32_t grouped;
};

static void count(void *to, const struct place *place, const struct insn *i)
{
	struct counts *c = to;
	if (i->kind == INSN_KERNEL)
		c->kernels[device_of(place, i)]++;
	if (i->kind == INSN_GRAPH)
		c->kernels[device_of(place, i)] += place->s->graphs[i->b].n_nodes;
	if (is_collective(i))
		c->kernels[device_of(place, i)] += !c->group || !c->grouped++;
	if (i->kind == INSN_GROUP_BEGIN || i->kind == INSN_GROUP_END) {
		c->group = i->kind == INSN_GROUP_BEGIN;
		c->grouped = 0;
	}
}

static void check_exact(const struct workload *w, uint32_t ranks, uint32_t wanted, uint32_t devices)
{
	struct script *s = script_of(w, 7, ranks, wanted);
	CHECK(s != NULL, "%s cannot be built with %u kernels", w->name, wanted);
	if (!s)
		return;
	struct counts c = {calloc(s->n_devices, sizeof *c.kernels), false, 0};
	walk(s, false, count, &c);
	CHECK(s->n_devices == ranks, "%s: %u devices, not %u", w->name, s->n_devices, ranks);
	for (uint32_t d = 0; d < s->n_devices && d < devices; d++)
		CHECK(c.kernels[d] == wanted, "%s x %u, device %u: %u kernels, not %u", w->name, ranks, d,
			  c.kernels[d], wanted);
	free(c.kernels);
	script_free(s);
}

static void check_counts(const struct workload *w)
{
	static const uint32_t RANKS[] = {1, 2, 4, 12, 16}, KERNELS[] = {903, 300, 1024, 3001};
	bool first_only = w == &workload_dataparallel;
	for (size_t r = 0; r < sizeof RANKS / sizeof *RANKS; r++) {
		if (RANKS[r] < w->least_ranks || (first_only && RANKS[r] > 8))
			continue;
		for (size_t k = 0; k < sizeof KERNELS / sizeof *KERNELS; k++)
			check_exact(w, RANKS[r], KERNELS[k], first_only ? 1 : RANKS[r]);
	}
	CHECK(script_of(w, 7, w->least_ranks, 1) == NULL, "%s: a step of one kernel was built",
		  w->name);
}

/* ---- members of a communicator: the same calls in the same order ---- */

#define DEVICES 16

struct calls { /* per communicator and device: a digest of its collectives, in order */
	uint64_t *digest;
	int64_t *balance; /* SENDRECV from -> to: sends minus receives, and bytes */
	uint32_t strangers;
};

static bool is_member(const struct comm_def *comm, uint32_t device)
{
	for (uint32_t m = 0; m < comm->size; m++)
		if (comm->ranks[m] == device)
			return true;
	return false;
}

static void follow(void *to, const struct place *place, const struct insn *i)
{
	struct calls *c = to;
	if (!is_collective(i))
		return;
	const struct comm_def *comm = &place->s->comms[i->b];
	uint32_t device = device_of(place, i);
	c->strangers += !is_member(comm, device);
	if (i->kind == INSN_COLLECTIVE) {
		uint64_t *d = &c->digest[i->b * DEVICES + device];
		*d = (*d + (uint64_t)i->c * 31 + (uint64_t)i->d + 1) * 0x100000001b3u;
		return;
	}
	uint32_t peer = comm->ranks[i->d & 0xffff];
	if (i->d & SENDRECV_SEND)
		c->balance[device * DEVICES + peer] += i->c + 1;
	else
		c->balance[peer * DEVICES + device] -= i->c + 1;
}

static void check_members(const struct workload *w, uint32_t ranks)
{
	struct script *s = script_of(w, 7, ranks, 0);
	struct calls c = {calloc((s->n_comms + 1) * DEVICES, sizeof *c.digest),
					  calloc(DEVICES * DEVICES, sizeof *c.balance), 0};
	walk(s, false, follow, &c);
	uint32_t used = 0;
	CHECK(c.strangers == 0, "%s x %u: %u calls of devices that are no members", w->name, ranks,
		  c.strangers);
	for (uint32_t i = 0; i < s->n_comms; i++)
		for (uint32_t m = 0; m < s->comms[i].size; m++) {
			uint64_t first = c.digest[i * DEVICES + s->comms[i].ranks[0]];
			used += first != 0;
			CHECK(c.digest[i * DEVICES + s->comms[i].ranks[m]] == first,
				  "%s x %u: members of communicator %u do not call the same", w->name, ranks, i);
		}
	for (uint32_t i = 0; i < DEVICES * DEVICES; i++)
		CHECK(c.balance[i] == 0, "%s x %u: device %u sends what %u does not receive", w->name,
			  ranks, i / DEVICES, i % DEVICES);
	CHECK(used || w == &workload_inference || w == &workload_pipeline,
		  "%s x %u: communicates in no step", w->name, ranks);
	free(c.digest);
	free(c.balance);
	script_free(s);
}

/* ---- indices, signals ---- */

static bool stream_ok(const struct place *p, const struct insn *i)
{
	uint32_t stream = i->kind == INSN_RECORD ? i->b : i->a;
	return stream < p->p->n_streams;
}

static bool operands_ok(const struct place *p, const struct insn *i)
{
	switch (i->kind) {
	case INSN_KERNEL:
		return stream_ok(p, i) && i->b < p->s->n_kernels;
	case INSN_GRAPH:
		return stream_ok(p, i) && i->b < p->s->n_graphs;
	case INSN_COPY:
		return stream_ok(p, i) && i->b <= COPY_PEER && (uint32_t)i->d < p->p->n_devices;
	case INSN_MEMSET:
	case INSN_HOST_FUNC:
	case INSN_SYNC_STREAM:
		return stream_ok(p, i);
	case INSN_COLLECTIVE:
	case INSN_SENDRECV:
		return stream_ok(p, i) && i->b < p->s->n_comms;
	case INSN_RECORD:
		return stream_ok(p, i) && i->a < p->p->n_events;
	case INSN_WAIT:
		return stream_ok(p, i) && i->b < p->p->n_events;
	case INSN_SYNC_EVENT:
		return i->a < p->p->n_events;
	case INSN_SYNC_DEVICE:
	case INSN_MALLOC:
	case INSN_FREE:
		return i->a < p->p->n_devices;
	case INSN_PUT:
	case INSN_GET:
		return i->a < p->p->n_queues;
	case INSN_SIGNAL:
	case INSN_AWAIT:
		return i->a < p->p->n_semaphores;
	case INSN_PUSH:
		return i->b < p->s->n_strings && *p->s->strings[i->b];
	case INSN_POINT:
		return i->a < POINT_COUNT;
	case INSN_WORK:
	case INSN_WORK_NATIVE:
		return i->a <= TABLE_COUNT && i->b > 0;
	default:
		return i->kind < INSN_KINDS && i->c >= 0;
	}
}

struct waits { /* of one process */
	const struct process_def *p;
	int64_t signals[64], puts[8], ranges;
	uint32_t points[POINT_COUNT];
	uint32_t bad;
};

static void collect(void *to, const struct place *place, const struct insn *i)
{
	struct waits *all = to, *w = &all[place->p - place->s->processes];
	if (!operands_ok(place, i)) {
		w->bad++;
		return;
	}
	if (i->kind == INSN_SIGNAL || i->kind == INSN_AWAIT)
		w->signals[i->a] += i->kind == INSN_SIGNAL ? 1 : -1;
	if (i->kind == INSN_PUT || (i->kind == INSN_GET && w->puts[i->a] == 0))
		w->puts[i->a] = i->kind == INSN_PUT ? 1 : -1;
	if (i->kind == INSN_PUSH || i->kind == INSN_POP)
		w->ranges += i->kind == INSN_PUSH ? 1 : -1;
	if (i->kind == INSN_POINT)
		w->points[i->a]++;
}

/* What faults put in fills queues too. */
static void collect_injected(struct waits *w, const struct process_def *p)
{
	for (int point = 0; point < POINT_COUNT; point++)
		for (uint32_t i = 0; i < p->injected[point].n; i++)
			if (p->injected[point].at[i].kind == INSN_PUT)
				w->puts[p->injected[point].at[i].a] = 1;
}

static void check_process(const char *name, const struct waits *w, uint32_t process)
{
	CHECK(w->bad == 0, "%s, process %u: %u operands out of range", name, process, w->bad);
	for (int i = 0; i < 64; i++)
		CHECK(w->signals[i] == 0, "%s, process %u: semaphore %d is signalled %+lld times too often",
			  name, process, i, (long long)w->signals[i]);
	for (int i = 0; i < 8; i++)
		CHECK(w->puts[i] >= 0, "%s, process %u: nobody fills queue %d", name, process, i);
	CHECK(w->ranges == 0, "%s, process %u: a range stays open", name, process);
	CHECK(w->points[POINT_STEP_BEGIN] == 1 && w->points[POINT_STEP_END] == 1 &&
			  w->points[POINT_FORWARD] > 0,
		  "%s, process %u: points are missing", name, process);
}

static void check_operands(const struct workload *w, uint32_t ranks)
{
	struct script *s = script_of(w, 7, ranks, 0);
	struct waits *waits = calloc(s->n_processes, sizeof *waits);
	walk(s, true, collect, waits);
	for (uint32_t p = 0; p < s->n_processes; p++)
		check_process(w->name, &waits[p], p);
	for (uint32_t i = 0; i < s->n_graphs; i++)
		for (uint32_t n = 0; n < s->graphs[i].n_nodes; n++)
			CHECK(s->graphs[i].nodes[n].kernel < s->n_kernels &&
					  s->graphs[i].nodes[n].after < (int32_t)n,
				  "%s: graph node %u follows a later one", w->name, n);
	for (uint32_t i = 0; i < s->n_kernels; i++)
		CHECK(s->kernels[i].dur_ns > 0 && s->kernels[i].share <= SCALE_ONE - SHARE_COLLECTIVE,
			  "%s: kernel %u leaves a collective no room", w->name, i);
	free(waits);
	script_free(s);
}

/* ---- seeds ---- */

static void check_seeds(const struct workload *w, uint32_t ranks)
{
	struct script *a = script_of(w, 1, ranks, 0), *b = script_of(w, 1, ranks, 0),
				  *c = script_of(w, 2, ranks, 0);
	CHECK(script_hash(a) == script_hash(b), "%s: one seed, two scripts", w->name);
	CHECK(script_hash(a) != script_hash(c), "%s: two seeds, one script", w->name);
	b->processes[0].threads[0].programs[STEP_TRAIN].at[5].c++;
	CHECK(script_hash(a) != script_hash(b), "%s: an instruction changed, the hash did not",
		  w->name);
	script_free(a);
	script_free(b);
	script_free(c);
}

/* ---- calls taken out ---- */

static uint32_t calls_of(const struct script *s, enum insn_kind kind)
{
	uint32_t n = 0;
	for (uint32_t p = 0; p < s->n_processes; p++) {
		for (uint32_t t = 0; t < s->processes[p].n_threads; t++)
			for (uint32_t i = 0; i < s->processes[p].threads[t].programs[STEP_TRAIN].n; i++)
				n += s->processes[p].threads[t].programs[STEP_TRAIN].at[i].kind == kind;
		for (int point = 0; point < POINT_COUNT; point++)
			for (uint32_t i = 0; i < s->processes[p].injected[point].n; i++)
				n += s->processes[p].injected[point].at[i].kind == kind;
	}
	return n;
}

/* Keeps out: a call that stays, one that goes with others, and instructions that move. */
static void check_without(void)
{
	struct script *s = script_of(workload_find("ddp"), 1, 2, 0);
	struct planted sync, alloc;
	CHECK(fault_parse("sync_device=2", 2, &sync) == 0 && fault_parse("alloc", 2, &alloc) == 0, "%s",
		  fault_why());
	sync.fault->plant(s, sync.strength, sync.rank);
	alloc.fault->plant(s, alloc.strength, alloc.rank);
	uint32_t kernels = calls_of(s, INSN_KERNEL), n = s->processes[0].threads[0].programs[0].n;
	CHECK(calls_of(s, INSN_SYNC_DEVICE) > 0 && calls_of(s, INSN_FREE) > 0, "nothing is planted");
	script_without(s, CALLS_SYNC);
	CHECK(calls_of(s, INSN_SYNC_DEVICE) == 0 && calls_of(s, INSN_FREE) > 0, "without waits");
	script_without(s, CALLS_ALLOC);
	CHECK(calls_of(s, INSN_MALLOC) == 0 && calls_of(s, INSN_FREE) == 0, "without allocations");
	CHECK(calls_of(s, INSN_KERNEL) == kernels && s->processes[0].threads[0].programs[0].n == n,
		  "other instructions stay where they are");
	script_free(s);
}

/* ---- ways to train ---- */

static struct script *trained(const struct workload *w, uint32_t accumulate, bool recompute)
{
	struct workload_options o = options_of(5, 2, 0);
	o.accumulate = accumulate;
	o.recompute = recompute;
	return w->build(&o);
}

/* Keeps out: gradients reduced with every micro-batch where no_sync() is usual, an optimizer that
 * runs more than once, and a forward that is not computed again. */
static void check_ways(const struct workload *w)
{
	struct script *plain = trained(w, 0, false), *four = trained(w, 4, false),
				  *again = trained(w, 1, true);
	uint32_t kernels = calls_of(plain, INSN_KERNEL), batches = calls_of(plain, INSN_GET);
	uint32_t reduced = calls_of(plain, INSN_COLLECTIVE);
	CHECK(calls_of(four, INSN_GET) == 4 * batches, "%s: %u batches for %u", w->name,
		  calls_of(four, INSN_GET), batches);
	CHECK(calls_of(four, INSN_COLLECTIVE) == (w == &workload_fsdp ? 4 : 1) * reduced,
		  "%s: %u collectives for %u", w->name, calls_of(four, INSN_COLLECTIVE), reduced);
	CHECK(calls_of(four, INSN_KERNEL) < 4 * kernels && calls_of(four, INSN_KERNEL) > 3 * kernels,
		  "%s: %u kernels for %u", w->name, calls_of(four, INSN_KERNEL), kernels);
	CHECK(calls_of(again, INSN_KERNEL) > kernels * 5 / 4 &&
			  calls_of(again, INSN_KERNEL) < kernels * 3 / 2,
		  "%s: %u kernels for %u", w->name, calls_of(again, INSN_KERNEL), kernels);
	CHECK(calls_of(again, INSN_COLLECTIVE) == reduced, "%s: collectives", w->name);
	script_free(plain);
	script_free(four);
	script_free(again);
}

/* ---- faults ---- */

/* Whether it could be planted; the script must be another then, and still make sense. */
static bool plant(const struct fault *fault, const struct workload *w)
{
	struct script *s = script_of(w, 3, 16, 0);
	struct planted planted;
	CHECK(fault_parse(fault->name, 16, &planted) == 0, "%s: %s", fault->name, fault_why());
	CHECK(planted.rank == (fault->one_rank ? 15 : FAULT_EVERYWHERE), "%s: rank %d", fault->name,
		  planted.rank);
	if (!s)
		return false;
	uint64_t before = script_hash(s);
	bool done = fault->plant(s, planted.strength, planted.rank) == 0;
	CHECK(!done || script_hash(s) != before, "%s changes nothing in %s", fault->name, w->name);
	CHECK(done || *fault_why(), "%s refuses %s and does not say why", fault->name, w->name);
	struct waits *waits = calloc(s->n_processes, sizeof *waits);
	walk(s, true, collect, waits);
	collect_injected(waits, &s->processes[0]);
	check_process(w->name, waits, 0);
	free(waits);
	script_free(s);
	return done;
}

static void check_injected(void)
{
	struct script *s = script_of(&workload_ddp, 3, 4, 0);
	struct planted sync, alloc;
	CHECK(fault_parse("page_fault=5@2", 4, &sync) == 0 && sync.strength == 5 && sync.rank == 2,
		  "page_fault=5@2: %lld at %d", (long long)sync.strength, sync.rank);
	CHECK(fault_parse("alloc@all", 4, &alloc) == 0, "alloc@all: %s", fault_why());
	sync.fault->plant(s, sync.strength, sync.rank);
	alloc.fault->plant(s, alloc.strength, alloc.rank);
	for (uint32_t p = 0; p < 4; p++) {
		uint32_t wanted = p == 2 ? 3 : 2;
		const struct program *forward = &s->processes[p].injected[POINT_FORWARD];
		CHECK(forward->n == wanted, "process %u: %u injected", p, forward->n);
		for (uint32_t i = 0; i < forward->n; i++) { /* each as often as without the other */
			const uint32_t every = forward->at[i].kind == INSN_STALL ? 2 : 1;
			CHECK(forward->at[i].every == every, "process %u, %u: every %u", p, i,
				  forward->at[i].every);
		}
	}
	script_free(s);
}

static void check_arguments(void)
{
	static const char *const WRONG[] = {
		"",      "nothing", "sync=",       "sync=0",  "sync=-1",    "sync@4",
		"sync@", "sync@-1", "sync=1@all ", "sync=1x", "sync@all@1", "sync=99999999999999999999",
		"syn"};
	struct planted out;
	for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
		CHECK(fault_parse(WRONG[i], 4, &out) != 0, "'%s' was understood", WRONG[i]);
	CHECK(fault_parse("sync=3@0", 4, &out) == 0 && out.strength == 3 && out.rank == 0, "sync=3@0");
	CHECK(fault_parse("slow_gpu", 4, &out) == 0 && out.rank == 3, "slow_gpu is not on rank 3");
}

static void check_faults(void)
{
	const struct fault *fault;
	const struct workload *w;
	for (size_t f = 0; (fault = fault_at(f)); f++) {
		uint32_t planted = 0;
		for (size_t i = 0; (w = workload_at(i)); i++)
			planted += plant(fault, w);
		struct script *two = script_of(&workload_dataparallel, 3, 2, 0);
		planted += fault->plant(two, fault->usual, fault->one_rank ? 1 : FAULT_EVERYWHERE) == 0;
		script_free(two);
		CHECK(planted > 0, "%s finds no place in any workload", fault->name);
	}
}

int main(void)
{
	const struct workload *w;
	for (size_t i = 0; (w = workload_at(i)); i++) {
		CHECK(workload_find(w->name) == w, "%s is not found", w->name);
		check_counts(w);
		for (uint32_t ranks = w->least_ranks < 2 ? 2 : w->least_ranks; ranks <= 8; ranks += 2) {
			check_members(w, ranks);
			check_operands(w, ranks);
		}
		if (w != &workload_dataparallel) /* several groups, two hosts */
			check_members(w, DEVICES);
		check_seeds(w, w->least_ranks);
		if (w->trains_plainly)
			check_ways(w);
	}
	for (uint32_t kernels = 20; kernels < 420; kernels += 33)
		check_exact(&workload_ddp, 2, kernels, 2);
	CHECK(workload_find("none") == NULL, "'none' is found");
	check_faults();
	check_injected();
	check_arguments();
	check_without();
	return finish();
}
