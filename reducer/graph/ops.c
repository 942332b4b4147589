#include "graph/ops.h"

#include "base/table.h"
#include "classify/class_cache.h"
#include "graph/causes.h"
#include "read/comm_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Work of the GPU's own, not a copy or a memset. */
static bool is_compute(const struct device_op *op)
{
	return op->kind != BATON_MEMCPY && op->kind != BATON_MEMSET;
}

/* By thread of the trace: does it launch kernels? NULL: no memory. */
static bool *find_computing(const struct process *p)
{
	bool *computes = calloc(p->trace.n_threads + 1, sizeof(*computes));
	for (size_t i = 0; computes && i < p->n_ops; i++)
		if (p->ops[i].call != NO_INDEX && is_compute(&p->ops[i]))
			computes[p->calls[p->ops[i].call].thread] = true;
	return computes;
}

/* Copies of a thread that only copies, on a stream that only copies: what waits for them has edges,
 * and in a shorter step there are fewer of them. The step does not end with them. */
static bool is_aside(const struct process *p, const struct process_stream *s, const bool *computes)
{
	bool aside = s->n_launched > 0;
	for (uint32_t i = 0; aside && i < s->n_ops; i++) {
		const struct device_op *op = &p->ops[s->ops[i]];
		aside = !is_compute(op) && (op->call == NO_INDEX || !computes[p->calls[op->call].thread]);
	}
	return aside;
}

static int find_aside(struct process *p)
{
	bool *computes = find_computing(p);
	for (uint32_t s = 1; computes && s < p->n_streams; s++)
		p->streams[s].aside = is_aside(p, &p->streams[s], computes);
	free(computes);
	return computes ? 0 : -ENOMEM;
}

int ops_open(struct process *p, struct model *model)
{
	int error = find_aside(p);
	for (size_t i = 0; !error && i < p->n_ops; i++) {
		struct device_op *op = &p->ops[i];
		const int64_t ns[] = {op->begin, op->end};
		error = graph_add_nodes(&model->graph, ns, 2, &op->begin_node);
		const int64_t work_ns =
			op->last_call == NO_INDEX ? op->end - op->begin : op->bundle.work_ns;
		struct edge edge = {op->begin_node, op->begin_node + 1, work_ns, op->unit, EDGE_OP};
		error = error ? error : graph_add_edge(&model->graph, &edge, &op->edge);
	}
	return error;
}

/* Sends and receives between the launch before this one and it. */
static uint32_t sends_before(const struct process *p, const struct device_op *op)
{
	uint32_t n = 0;
	if (op->call == NO_INDEX)
		return 0;
	for (uint32_t i = op->call; i-- > 0;) {
		const struct host_call *call = &p->calls[i];
		if (call->thread != p->calls[op->call].thread || call->first_op != NO_INDEX)
			break;
		n += call->class == CALL_SENDS;
	}
	return n;
}

/* What the op sends and receives, as far as the peers are recorded. */
static int add_parts(const struct process *p, struct model *model, uint64_t correlation,
					 struct member *m)
{
	size_t low = 0, high = p->n_sents;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (p->sents[middle].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	m->first_part = (uint32_t)model->n_parts;
	for (; low < p->n_sents && p->sents[low].correlation == correlation; low++) {
		struct part *part = MODEL_ADD(model, parts);
		if (!part)
			return -ENOMEM;
		*part = (struct part){p->sents[low].peer, p->sents[low].coll};
		m->n_parts++;
	}
	return 0;
}

struct counter { /* collectives of one kind in a step so far */
	uint64_t comm;
	uint32_t coll;
	int32_t step;
	uint32_t unit, n;
};

struct counting {
	uint32_t ordered; /* members of a collective without arguments; 0: not all are here */
	struct table index;
	struct counter *counters;
	size_t n;
};

static int number_member(struct counting *c, struct member *m)
{
	const struct counter key = {m->comm, m->coll, m->step, m->unit, 0};
	struct counter *counter = table_row(&c->index, TABLE_ROWS(c->counters, c->n, unit), &key);
	if (!counter)
		return -ENOMEM;
	m->sequence = counter->n++;
	return 0;
}

static int add_member(struct process *p, struct model *model, const struct device_op *op,
					  struct counting *counting)
{
	const struct coll_row *coll = &p->colls[op->coll];
	const struct trace_comm *comm = coll->comm ? &p->trace.comms[coll->comm] : NULL;
	struct member *m = comm ? MODEL_ADD(model, members) : NULL;
	if (!comm)
		return 0;
	if (!m)
		return -ENOMEM;
	const uint32_t sends = sends_before(p, op);
	model->before += op->call == NO_INDEX;
	*m = (struct member){.comm = comm->hash,
						 .sequence = coll->sequence,
						 .coll = coll->coll,
						 .step = -1,
						 .begin_ns = op->begin,
						 .end_ns = op->end,
						 .bytes = coll->bytes,
						 .size = comm->size,
						 .calls = sends > coll->rows ? sends : coll->rows,
						 .own_rank = comm_ranks_own(&p->trace, coll->comm),
						 .begin = op->begin_node,
						 .end = op->begin_node + 1,
						 .op = op->edge,
						 .rank = p->run->processes[p->index].rank,
						 .unit = op->unit};
	int error = add_parts(p, model, coll->correlation, m);
	if (error || coll->has_sequence)
		return error;
	m->step = op->step;
	return number_member(counting, m);
}

/* An NCCL kernel without arguments: by its name, its step and its place among those like it. */
static int add_ordered(struct process *p, struct model *model, const struct device_op *op,
					   struct counting *counting)
{
	if (op->step < 0 || op->step >= (int32_t)p->sample->n_steps)
		return 0; /* some of that step are not here */
	struct member *m = MODEL_ADD(model, members);
	if (!m)
		return -ENOMEM;
	*m = (struct member){.comm = process_name_hash(p, op->name),
						 .coll = COLL_ORDERED,
						 .step = op->step,
						 .begin_ns = op->begin,
						 .end_ns = op->end,
						 .bytes = -1,
						 .size = counting->ordered,
						 .begin = op->begin_node,
						 .end = op->begin_node + 1,
						 .op = op->edge,
						 .rank = p->run->processes[p->index].rank,
						 .unit = op->unit};
	return number_member(counting, m);
}

static uint8_t class_of(struct process *p, uint32_t name)
{
	uint8_t *known = &p->kernel_classes[name];
	if (*known)
		return *known;
	const struct text text = strings_get(&p->trace.strings, name);
	struct kernel_class class;
	class_cache_name(p->sample->context->classes, text.at, text.bytes, &class);
	const int id = class_find(class.class_name, strlen(class.class_name));
	*known = (uint8_t)(id >= 0 ? id + 1 : MODEL_GROUP | (int)class.group);
	return *known;
}

bool op_is_nccl(struct process *p, uint32_t name)
{
	return cause_group(class_of(p, name)) == GROUP_NCCL;
}

/* Kernels that differ between devices may be slow ones; collectives wait for each other. */
static int add_position(struct process *p, struct model *model, const struct device_op *op)
{
	const int64_t ns = op->last_call == NO_INDEX ? op->end - op->begin : op->bundle.work_ns;
	struct position *position = op->place == PLACE_NONE ? NULL : MODEL_ADD(model, kernels);
	if (op->place == PLACE_NONE)
		return 0;
	if (!position)
		return -ENOMEM;
	uint64_t key = hash_mix(2, (uint64_t)p->streams[op->stream].number);
	key = hash_mix(key, (uint64_t)(uint32_t)op->step);
	key = hash_mix(key, process_name_hash(p, op->name));
	key = hash_mix(key, op->call != NO_INDEX); /* before the sample hosts run ahead unequally */
	*position = (struct position){
		key, ns, op->edge, op->unit, class_of(p, op->name), op->place != PLACE_SAME, 0};
	return 0;
}

static int add_copy(struct model *model, const struct device_op *op)
{
	if (room_for((void **)&model->copies, model->n_copies, &model->copies_room, 64,
				 sizeof(*model->copies)) != 0)
		return -ENOMEM;
	model->copies[model->n_copies++] = op->edge;
	return 0;
}

/* The op of each stream and step that ended last. */
static int note_ends(struct process *p, struct model *model, const struct process_stream *s)
{
	struct end *last = NULL;
	int64_t last_ns = INT64_MIN;
	for (uint32_t i = 0; i < s->n_ops; i++) {
		const struct device_op *op = &p->ops[s->ops[i]];
		if (op->step < 0 || op->step >= (int32_t)p->sample->n_steps)
			continue;
		if (!last || last->step != op->step) {
			last = MODEL_ADD(model, ends);
			last_ns = INT64_MIN;
			if (!last)
				return -ENOMEM;
		}
		if (op->end >= last_ns) {
			*last = (struct end){op->begin_node + 1, op->step, op->unit};
			last_ns = op->end;
		}
	}
	return 0;
}

/* Which kernels follow each other on a stream, in any order of the streams. */
static void note_sequence(struct process *p, struct model *model, const struct process_stream *s)
{
	uint64_t before = 0;
	for (uint32_t i = 0; s->unit != UNIT_NONE && i < s->n_ops; i++) {
		const struct device_op *op = &p->ops[s->ops[i]];
		if (op->kind != BATON_KERNEL || op->coll != NO_INDEX || op->step < 1 ||
			op->step >= (int32_t)p->sample->n_steps)
			continue;
		const uint64_t name = process_name_hash(p, op->name);
		model->units[s->unit].sequence += hash_mix(hash_mix(3, before), name);
		before = name;
	}
}

int ops_note(struct process *p, struct model *model)
{
	struct counting counting = {.ordered = run_ordered_members(p->run)};
	int error = 0;
	for (size_t i = 0; !error && i < p->n_ops; i++) {
		const struct device_op *op = &p->ops[i];
		if (op->coll != NO_INDEX)
			error = add_member(p, model, op, &counting);
		else if (op->kind == BATON_KERNEL && counting.ordered && op_is_nccl(p, op->name))
			error = add_ordered(p, model, op, &counting);
		else if (op->kind == BATON_KERNEL)
			error = add_position(p, model, op);
		else if (op->copies)
			error = add_copy(model, op);
	}
	table_free(&counting.index);
	free(counting.counters);
	for (uint32_t s = 1; !error && s < p->n_streams; s++)
		if (!p->streams[s].aside)
			error = note_ends(p, model, &p->streams[s]);
	return error;
}

void ops_note_sequences(struct process *p, struct model *model)
{
	for (uint32_t s = 1; s < p->n_streams; s++)
		note_sequence(p, model, &p->streams[s]);
}
