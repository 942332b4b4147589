#include "graph/waits.h"

#include "base/room.h"
#include "base/sort.h"
#include "graph/held_rows.h"
#include "graph/host_funcs.h"
#include "graph/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OWN_NS = 5000,        /* what a waiting call does itself */
	EARLY_WAKE_NS = 3000, /* its waking when the GPU was done before it began */
	END_GRAIN_NS = 1000,
	LATER_OPS = 4096,     /* that a stream may have been given after the one that is waited for */
	QUEUE_DEPTH = 1021,   /* of an H100 */
	HELD_CALL_NS = 20000, /* a launch that takes longer waited for its place */
	MISSED_MOST = 16,     /* launches in the queue whose records were lost */
	LAUNCH_OWN_NS = 8000,
	NO_CORE_LEAST_NS = 200000,
	HOST_FUNC_LEAST_NS = 50000
};

struct targets { /* ops for which a call waits */
	uint32_t at[64];
	uint32_t n;
	int64_t end_ns; /* of the last one */
};

static void add_target(const struct process *p, struct targets *t, uint32_t op)
{
	if (t->n == sizeof(t->at) / sizeof(t->at[0]))
		return;
	t->at[t->n++] = op;
	t->end_ns = p->ops[op].end > t->end_ns ? p->ops[op].end : t->end_ns;
}

/* The last op of a stream that such a call can have waited for. A wait for an event may be over
 * before all that the stream was given meanwhile. */
static uint32_t ended_by(const struct process *p, const struct process_stream *s,
						 const struct host_call *call)
{
	const bool all = call->device_wide || call->class == CALL_FREES;
	const uint32_t n = process_given_before(p, s, call->begin);
	for (uint32_t i = n; i > 0 && (i == n || (!all && n - i < LATER_OPS)); i--)
		if (p->ops[s->launched[i - 1]].end <= call->end + END_GRAIN_NS)
			return s->launched[i - 1];
	return NO_INDEX;
}

/* A call for one stream or event waits for the op among the candidates that ended last. */
static void keep_last(const struct process *p, const struct host_call *call, struct targets *t)
{
	uint32_t last = 0;
	for (uint32_t i = 1; i < t->n; i++)
		if (p->ops[t->at[i]].end > p->ops[t->at[last]].end)
			last = i;
	if (t->n) {
		t->at[0] = t->at[last];
		t->n = t->end_ns > call->begin;
	}
}

static void find_targets(const struct process *p, const struct host_call *call, struct targets *t)
{
	*t = (struct targets){.end_ns = INT64_MIN};
	if (call->own_op != NO_INDEX) {
		add_target(p, t, call->own_op);
		return;
	}
	for (uint32_t s = 1; s < p->n_streams; s++) {
		const uint32_t op = ended_by(p, &p->streams[s], call);
		if (op != NO_INDEX)
			add_target(p, t, op);
	}
	if (!call->device_wide && call->class != CALL_FREES)
		keep_last(p, call, t);
}

static int add_wait_edge(struct model *model, uint32_t edge)
{
	if (room_for((void **)&model->wait_edges, model->n_wait_edges, &model->wait_edges_room, 256,
				 sizeof(edge)) != 0)
		return -ENOMEM;
	model->wait_edges[model->n_wait_edges++] = edge;
	return 0;
}

/* The thread may wait for a core when the GPU is done: that is no part of the waiting. */
static int note_no_core(struct model *model, const struct host_thread *t,
						const struct host_call *call, uint32_t edge, int64_t wake_ns)
{
	int64_t by_label[LABELS];
	if (wake_ns <= NO_CORE_LEAST_NS)
		return 0;
	const int64_t from_ns = call->end - wake_ns > call->begin ? call->end - wake_ns : call->begin;
	thread_labels(t, from_ns, call->end, by_label);
	const int64_t ns = by_label[LABEL_NO_CORE] + by_label[LABEL_ALLOC_NO_CORE];
	struct amount *amount = ns > 0 ? MODEL_ADD(model, amounts) : NULL;
	if (ns <= 0)
		return 0;
	if (!amount)
		return -ENOMEM;
	*amount = (struct amount){ns, edge, LABEL_NO_CORE};
	struct wait *wait = &model->waits[model->n_waits - 1];
	if (amount->ns > wait->no_core_ns)
		wait->no_core_ns = amount->ns;
	return 0;
}

static int link_target(struct model *model, const struct host_thread *t,
					   const struct host_call *call, const struct device_op *op, int64_t wake_ns)
{
	uint32_t number;
	const int64_t apart_ns = call->end - op->end;
	struct edge edge = {op->begin_node + 1, call->end_node, wake_ns < apart_ns ? wake_ns : apart_ns,
						t->unit, EDGE_SYNC};
	int error = graph_add_edge(&model->graph, &edge, &number);
	error = error ? error : add_wait_edge(model, number);
	return error ? error : note_no_core(model, t, call, number, edge.ns);
}

struct cut { /* the edge of a thread that keeps only what the call does itself */
	uint32_t chain;
	int64_t most_ns;
};

struct cuts {
	struct cut *at;
	size_t n, room;
};

static int add_cut(struct cuts *cuts, uint32_t chain, int64_t most_ns)
{
	if (chain == EDGE_NONE)
		return 0;
	if (room_for((void **)&cuts->at, cuts->n, &cuts->room, 64, sizeof(*cuts->at)) != 0)
		return -ENOMEM;
	cuts->at[cuts->n++] = (struct cut){chain, most_ns};
	return 0;
}

static int by_chain(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;
	if (x->chain != y->chain)
		return x->chain < y->chain ? -1 : 1;
	return x->most_ns < y->most_ns ? -1 : x->most_ns > y->most_ns;
}

static const struct cut *find_cut(const struct cuts *cuts, uint32_t chain)
{
	size_t low = 0, high = cuts->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (cuts->at[middle].chain < chain)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cuts->n && cuts->at[low].chain == chain ? &cuts->at[low] : NULL;
}

/* `from_amount`: the first amount of this process. */
static void make_cuts(struct model *model, struct cuts *cuts, size_t from_amount)
{
	sort_rows(cuts->at, cuts->n, sizeof(*cuts->at), by_chain);
	for (size_t i = 0; i < cuts->n; i++) {
		int64_t *ns = &model->graph.edges[cuts->at[i].chain].ns;
		*ns = *ns < cuts->at[i].most_ns ? *ns : cuts->at[i].most_ns;
	}
	for (size_t i = from_amount; cuts->n && i < model->n_amounts; i++) {
		struct amount *amount = &model->amounts[i];
		const struct cut *cut = find_cut(cuts, amount->edge);
		const int64_t left_ns = cut ? model->graph.edges[cut->chain].ns : amount->ns;
		const bool own = amount->label == LABEL_SYNC || amount->label == LABEL_ALLOC;
		if (cut)
			amount->ns = !own ? 0 : amount->ns < left_ns ? amount->ns : left_ns;
	}
}

static uint8_t site_of(const struct host_call *call)
{
	return call->class == CALL_FREES ? WAIT_FREE : call->device_wide ? WAIT_DEVICE : WAIT_MID;
}

struct waits { /* of a process */
	struct process *process;
	struct held_rows held;
	struct host_funcs funcs;
	struct cuts cuts;
};

/* A host function of the stream still ran, or had not begun, when the op that the call waits for had
 * ended. Without it the call would have been over then. */
static int note_host_func(const struct waits *waiting, struct model *model,
						  const struct host_call *call, int64_t from_ns, uint32_t edge)
{
	const int64_t most_ns = call->end - from_ns;
	if (most_ns <= HOST_FUNC_LEAST_NS)
		return 0;
	int64_t ns = held_rows_ran(&waiting->held, from_ns, call->end);
	if (ns <= 0)
		return 0;
	const int64_t begun = (int64_t)held_rows_begun(&waiting->held, from_ns, call->end);
	const int64_t begins_ns = begun * waiting->funcs.begins_after_ns;
	if (ns < most_ns) /* two side by side count twice */
		ns += begins_ns < most_ns - ns ? begins_ns : most_ns - ns;
	struct held *held = MODEL_ADD(model, helds);
	if (!held)
		return -ENOMEM;
	*held = (struct held){ns, edge, model->graph.edges[edge].unit, BATON_SYNC_HOST_FUNC, false};
	return 0;
}

static int link_wait(struct waits *waiting, struct model *model, const struct host_thread *t,
					 const struct host_call *call)
{
	struct process *p = waiting->process;
	struct targets targets;
	find_targets(p, call, &targets);
	if (targets.n == 0 || call->chain == EDGE_NONE)
		return 0;
	struct wait *wait = MODEL_ADD(model, waits);
	if (!wait)
		return -ENOMEM;
	*wait = (struct wait){.first_edge = (uint32_t)model->n_wait_edges,
						  .n_edges = targets.n,
						  .chain = call->chain,
						  .process = p->index,
						  .begin_ns = call->begin,
						  .ns = call->end - call->begin,
						  .step = process_step(p, call->begin),
						  .unit = t->unit,
						  .site = site_of(call)};
	const bool waited = targets.end_ns > call->begin;
	int64_t wake_ns = call->end - (waited ? targets.end_ns : call->begin);
	wake_ns = wake_ns < 0 ? 0 : wake_ns;
	if (!waited && wake_ns > EARLY_WAKE_NS)
		wake_ns = EARLY_WAKE_NS;
	int error = waited ? add_cut(&waiting->cuts, call->chain, OWN_NS)
					   : note_host_func(waiting, model, call, call->begin, call->chain);
	for (uint32_t i = 0; !error && i < targets.n; i++) {
		error = link_target(model, t, call, &p->ops[targets.at[i]], wake_ns);
		if (!error && waited)
			error = note_host_func(waiting, model, call, call->end - wake_ns,
								   model->wait_edges[model->n_wait_edges - 1]);
	}
	return error;
}

/* ---- the queue ---- */

static int by_begin(const void *a, const void *b, void *context)
{
	const struct process *p = context;
	const int64_t x = p->calls[*(const uint32_t *)a].begin,
				  y = p->calls[*(const uint32_t *)b].begin;
	return x < y ? -1 : x > y;
}

struct call_list { /* the launches of a device, in their order */
	uint32_t *at;
	size_t n;
};

static uint32_t launches_of(const struct device_op *op)
{
	return op->last_call == NO_INDEX ? 1 : op->bundle.n;
}

struct place {
	const struct host_call *call;
	const struct device_op *of; /* it needs its place */
	int64_t long_ns; /* so much longer than it takes itself may the call have been held */
};

/* The place is free when the op has started; of a bundle of ops, when all have. */
static int link_place(const struct process *p, struct model *model, const struct place *place,
					  struct cuts *cuts)
{
	const struct host_call *call = place->call;
	const struct device_op *of = place->of;
	const bool free = (of->last_call == NO_INDEX ? of->begin : of->end) <= call->begin;
	const bool held = place->long_ns > 0 && !free;
	struct edge edge = {of->begin_node, call->end_node, held ? call->end - of->begin : 0, of->unit,
						EDGE_QUEUE};
	if (of->begin > call->end || (of->call != NO_INDEX && p->calls[of->call].begin >= call->begin))
		return 0;
	int error = graph_add_edge(&model->graph, &edge, NULL);
	return error || !held ? error
						  : add_cut(cuts, call->chain, call->end - call->begin - place->long_ns);
}

/* Was it launched before the sample? Such ops come first on their stream. */
static bool is_earlier(const struct process *p, uint32_t op)
{
	const struct process_stream *stream = &p->streams[p->ops[op].stream];
	return p->ops[op].call == NO_INDEX && stream->n_launched &&
		   p->ops[op].begin < p->ops[stream->launched[0]].begin;
}

/* Copies that come and go by themselves start at once: they hold no place. */
static bool takes_place(const struct process *p, uint32_t op, uint16_t unit)
{
	return p->ops[op].unit == unit && !p->streams[p->ops[op].stream].aside;
}

/* The next op of the unit that needed a place, from number `op` on. */
static uint32_t next_placed(const struct process *p, uint16_t unit, uint32_t op)
{
	for (; op < p->n_ops; op++) {
		const uint32_t call = p->ops[op].call;
		if (takes_place(p, op, unit) &&
			(call == NO_INDEX ? is_earlier(p, op) : p->calls[call].first_op == op))
			break;
	}
	return op;
}

/* QUEUE_DEPTH launches may wait to start. Any that starts frees its place, so a launch needs the
 * start that leaves so few of those before it. */
struct places {
	uint16_t unit;
	uint32_t oldest;   /* the op that starts last of those that have to */
	uint64_t started;  /* up to and with it */
	uint64_t launched; /* so far */
};

/* The op whose start the launch number `launched` needs; NULL: none. */
static const struct device_op *find_place(const struct process *p, struct places *places,
										  uint64_t launched)
{
	if (launched <= QUEUE_DEPTH)
		return NULL;
	while (places->started < launched - QUEUE_DEPTH) {
		places->oldest = next_placed(p, places->unit, places->oldest + 1);
		places->started += launches_of(&p->ops[places->oldest]);
	}
	return &p->ops[places->oldest];
}

/* Launches whose records were lost hold places too, so a call may have been held though the count
 * has a free one. Then its place is that of the start after which it ended. */
static const struct device_op *find_held_place(const struct process *p, const struct places *places,
											   const struct place *place)
{
	const struct device_op *of = place->of;
	uint32_t op = places->oldest;
	if (!p->lost || place->long_ns <= 0 || of->begin > place->call->begin)
		return of;
	for (int i = 0; i < MISSED_MOST; i++) {
		op = next_placed(p, places->unit, op + 1);
		if (op >= p->n_ops || p->ops[op].begin > place->call->end)
			break;
		of = &p->ops[op];
	}
	return of;
}

/* A launch, or a bundle: all but its last launch are one call, that one is another. */
static int link_launch(struct process *p, struct model *model, struct places *places,
					   const struct host_call *call, struct cuts *cuts)
{
	const struct device_op *op = &p->ops[call->first_op];
	const bool bundles = op->last_call != NO_INDEX;
	const struct host_call *last = bundles ? &p->calls[op->last_call] : call;
	struct place place = {.call = call, .long_ns = op->bundle.long_ns};
	int error = 0;
	places->launched += launches_of(op);
	place.of = bundles ? find_place(p, places, places->launched - 1) : NULL;
	if (place.of) {
		place.of = find_held_place(p, places, &place);
		error = link_place(p, model, &place, cuts);
	}
	place.call = last;
	place.of = find_place(p, places, places->launched);
	const int64_t ns = last->end - last->begin;
	/* a copy that waits for the GPU is long by itself */
	const bool own = ns <= HELD_CALL_NS || last->class == CALL_WAITS || last->class == CALL_FREES;
	place.long_ns = own ? 0 : ns - LAUNCH_OWN_NS;
	if (error || !place.of)
		return error;
	place.of = find_held_place(p, places, &place);
	return link_place(p, model, &place, cuts);
}

static int link_queue(struct process *p, struct model *model, const struct call_list *list,
					  struct cuts *cuts)
{
	struct places places = {.unit = p->ops[p->calls[list->at[0]].first_op].unit};
	int error = 0;
	places.oldest = next_placed(p, places.unit, 0);
	places.started = launches_of(&p->ops[places.oldest]);
	for (uint32_t i = 0; i < p->n_ops; i++)
		places.launched += takes_place(p, i, places.unit) && is_earlier(p, i);
	for (size_t i = 0; !error && i < list->n; i++)
		error = link_launch(p, model, &places, &p->calls[list->at[i]], cuts);
	return error;
}

static int link_queues(struct process *p, struct model *model, struct cuts *cuts)
{
	struct call_list list = {malloc((p->n_calls + 1) * sizeof(*list.at)), 0};
	bool *linked = calloc(UINT16_MAX + 1, sizeof(*linked)); /* by unit */
	int error = list.at && linked ? 0 : -ENOMEM;
	for (uint32_t s = 1; !error && s < p->n_streams; s++) {
		if (p->streams[s].n_ops == 0 || linked[p->streams[s].unit])
			continue; /* once for each device */
		linked[p->streams[s].unit] = true;
		list.n = 0;
		for (uint32_t i = 0; i < p->n_calls; i++)
			if (p->calls[i].first_op != NO_INDEX &&
				takes_place(p, p->calls[i].first_op, p->streams[s].unit))
				list.at[list.n++] = i;
		if (list.n) {
			sort_rows_with(list.at, list.n, sizeof(*list.at), by_begin, p);
			error = link_queue(p, model, &list, cuts);
		}
	}
	free(linked);
	free(list.at);
	return error;
}

int waits_link(struct process *p, struct model *model, size_t from_amount)
{
	struct waits w = {.process = p};
	int error = held_rows_open(&w.held, p);
	error = error ? error : host_funcs_open(&w.funcs, p);
	error = error ? error : link_queues(p, model, &w.cuts);
	for (uint32_t k = 0; !error && k < p->n_threads; k++)
		for (uint32_t i = 0; !error && i < p->threads[k].n_calls; i++) {
			const struct host_call *call = &p->threads[k].calls[i];
			if (call->class == CALL_WAITS || call->class == CALL_FREES)
				error = link_wait(&w, model, &p->threads[k], call);
		}
	if (!error)
		make_cuts(model, &w.cuts, from_amount);
	held_rows_close(&w.held);
	host_funcs_close(&w.funcs);
	free(w.cuts.at);
	return error;
}
