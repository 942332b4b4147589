#include "graph/critical.h"

#include "base/room.h"
#include "classify/classes.h"
#include "summary/leaf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CLASS_COUNT <= CRITICAL_GROUP - CRITICAL_CLASS, "classes of kernels");
_Static_assert((int)GROUP_COUNT <= CRITICAL_TRANSFER - CRITICAL_GROUP, "groups of kernels");
_Static_assert((int)CRITICAL_PARTS <= UINT8_MAX, "parts fit a byte");

const char *critical_name(int part, char text[32])
{
	static const char *const names[] = {
		[CRITICAL_TRANSFER - CRITICAL_TRANSFER] = "nccl.transfer",
		[CRITICAL_NCCL - CRITICAL_TRANSFER] = "nccl.unsplit",
		[CRITICAL_COPY - CRITICAL_TRANSFER] = "copies",
		[CRITICAL_OTHER_OP - CRITICAL_TRANSFER] = "other_ops",
		[CRITICAL_LAUNCH - CRITICAL_TRANSFER] = "idle.cpu.launch_latency",
		[CRITICAL_SHARED - CRITICAL_TRANSFER] = "idle.gpu.shared",
		[CRITICAL_DISPATCH - CRITICAL_TRANSFER] = "idle.gpu.dispatch",
		[CRITICAL_WAKE - CRITICAL_TRANSFER] = "wake_up",
		[CRITICAL_UNEXPLAINED - CRITICAL_TRANSFER] = "unexplained",
		[CRITICAL_LABEL + LABEL_NONE - CRITICAL_TRANSFER] = "",
		[CRITICAL_LABEL + LABEL_BLOCKED - CRITICAL_TRANSFER] = "idle.host.blocked",
		[CRITICAL_LABEL + LABEL_LOCK_NO_CORE - CRITICAL_TRANSFER] = "idle.host.no_core",
		[CRITICAL_LABEL + LABEL_LOCK_PROFILER - CRITICAL_TRANSFER] = "idle.host.blocked",
		[CRITICAL_LABEL + LABEL_LOCK_LOAD - CRITICAL_TRANSFER] = "idle.host.blocked",
		[CRITICAL_LABEL + LABEL_LOCK_ALLOC - CRITICAL_TRANSFER] = "idle.host.blocked",
		[CRITICAL_LABEL + LABEL_QUEUE_FULL - CRITICAL_TRANSFER] = "idle.gpu.queue_full",
		[CRITICAL_LABEL + LABEL_SYNC - CRITICAL_TRANSFER] = "idle.host.sync",
		[CRITICAL_LABEL + LABEL_MODULE_LOAD - CRITICAL_TRANSFER] = "idle.host.module_load",
		[CRITICAL_LABEL + LABEL_ALLOC - CRITICAL_TRANSFER] = "idle.host.alloc",
		[CRITICAL_LABEL + LABEL_INPUT - CRITICAL_TRANSFER] = "idle.host.input",
		[CRITICAL_LABEL + LABEL_INPUT_NO_CORE - CRITICAL_TRANSFER] = "idle.host.input",
		[CRITICAL_LABEL + LABEL_NO_CORE - CRITICAL_TRANSFER] = "idle.host.no_core",
		[CRITICAL_LABEL + LABEL_LOAD_NO_CORE - CRITICAL_TRANSFER] = "idle.host.no_core",
		[CRITICAL_LABEL + LABEL_ALLOC_NO_CORE - CRITICAL_TRANSFER] = "idle.host.no_core",
		[CRITICAL_LABEL + LABEL_PROFILER - CRITICAL_TRANSFER] = "idle.tool.profiler",
		[CRITICAL_CODE - CRITICAL_TRANSFER] = "idle.host.code",
		[CRITICAL_FRAMEWORK - CRITICAL_TRANSFER] = "idle.cpu.framework",
		[CRITICAL_API - CRITICAL_TRANSFER] = "idle.cpu.api"};
	if (part >= CRITICAL_TRANSFER)
		return names[part - CRITICAL_TRANSFER];
	snprintf(text, 32, "%s",
			 part >= CRITICAL_GROUP ? group_name((enum group)(part - CRITICAL_GROUP))
									: class_name((enum class_id)(part - CRITICAL_CLASS)));
	return text;
}

/* ---- what each edge is ---- */

static uint8_t part_of_kind(uint8_t kind)
{
	switch (kind) {
	case EDGE_OUTSIDE:
	case EDGE_HAND:
		return CRITICAL_FRAMEWORK;
	case EDGE_CALL:
		return CRITICAL_API;
	case EDGE_LAUNCH:
	case EDGE_QUEUE:
		return CRITICAL_LAUNCH;
	case EDGE_SYNC:
		return CRITICAL_WAKE;
	case EDGE_OP:
		return CRITICAL_OTHER_OP;
	case EDGE_TRANSFER:
	case EDGE_ARRIVE:
		return CRITICAL_TRANSFER;
	default:
		return CRITICAL_DISPATCH;
	}
}

/* Kernels of equal names are one part. NCCL kernels without arguments have met nobody. */
static uint8_t part_of_class(uint8_t class)
{
	const int group = cause_group(class);
	if (group == GROUP_NCCL)
		return CRITICAL_NCCL;
	if (!(class & MODEL_GROUP))
		return (uint8_t)(CRITICAL_CLASS + class - 1);
	return (uint8_t)(group == GROUP_OTHER ? CRITICAL_CLASS + CLASS_OTHER : CRITICAL_GROUP + group);
}

static void find_parts(const struct model *m, uint8_t *part)
{
	for (size_t i = 0; i < m->graph.n_edges; i++)
		part[i] = part_of_kind(m->graph.edges[i].kind);
	for (size_t i = 0; i < m->n_members; i++)
		if (m->members[i].op != EDGE_NONE)
			part[m->members[i].op] = CRITICAL_NCCL;
	for (size_t i = 0; i < m->n_kernels; i++)
		part[m->kernels[i].edge] = part_of_class(m->kernels[i].class);
	for (size_t i = 0; i < m->n_copies; i++)
		part[m->copies[i]] = CRITICAL_COPY;
	for (size_t i = 0; i < m->n_host; i++)
		if (part[m->host[i].edge] == CRITICAL_FRAMEWORK && m->host[i].ns >= CAUSE_CODE_NS)
			part[m->host[i].edge] = CRITICAL_CODE;
	for (size_t i = 0; i < m->n_unexplained_edges; i++)
		part[m->unexplained_edges[i]] = CRITICAL_UNEXPLAINED;
}

/* ---- the path ---- */

struct piece { /* an edge of the path within one step */
	int64_t ns, left_ns;
	uint32_t edge, step;
};

struct walk {
	const struct model *model;
	int64_t *ends_ns; /* by step: when its last device ends */
	uint32_t last;    /* the node that ends the last step */
	uint8_t *part;
	uint32_t *piece_of; /* by edge: 1 + its first piece; 0: it is not on the path */
	struct piece *pieces;
	size_t n, room;
};

static void find_ends(struct walk *w, const int64_t *at_ns)
{
	const struct model *m = w->model;
	for (uint32_t step = 0; step < m->n_steps; step++)
		w->ends_ns[step] = INT64_MIN;
	for (size_t i = 0; i < m->n_ends; i++) {
		const int64_t ns = at_ns[m->ends[i].node];
		int64_t *end_ns = &w->ends_ns[m->ends[i].step];
		if (m->ends[i].step == (int32_t)m->n_steps - 1 && ns > *end_ns)
			w->last = m->ends[i].node;
		*end_ns = ns > *end_ns ? ns : *end_ns;
	}
	for (uint32_t step = 1; step < m->n_steps; step++)
		if (w->ends_ns[step] < w->ends_ns[step - 1])
			w->ends_ns[step] = w->ends_ns[step - 1];
}

/* Adds [from, to) of an edge, step by step; the path is walked backwards. */
static int add_pieces(struct walk *w, uint32_t edge, int64_t from_ns, int64_t to_ns)
{
	for (uint32_t step = w->model->n_steps - 1; step > 0; step--) {
		const int64_t a = from_ns > w->ends_ns[step - 1] ? from_ns : w->ends_ns[step - 1];
		const int64_t b = to_ns < w->ends_ns[step] ? to_ns : w->ends_ns[step];
		if (a >= b)
			continue;
		if (room_for((void **)&w->pieces, w->n, &w->room, 256, sizeof(*w->pieces)) != 0)
			return -ENOMEM;
		if (edge != EDGE_NONE && !w->piece_of[edge])
			w->piece_of[edge] = (uint32_t)w->n + 1;
		w->pieces[w->n++] = (struct piece){b - a, b - a, edge, step - 1};
	}
	return 0;
}

static int walk(struct walk *w, const struct causes *c)
{
	const struct graph *graph = &w->model->graph;
	uint32_t node = w->last;
	int error = 0;
	while (!error && c->at_ns[node] > w->ends_ns[0]) {
		const uint32_t edge = graph_binding(graph, c->measured_ns, c->at_ns, node);
		const int64_t from_ns =
			edge == EDGE_NONE ? w->ends_ns[0] : c->at_ns[graph->edges[edge].from];
		error = add_pieces(w, edge, from_ns, c->at_ns[node]);
		if (edge == EDGE_NONE)
			break;
		node = graph->edges[edge].from;
	}
	return error;
}

/* Up to so much of an edge's time is of that part. */
static void take_part(struct walk *w, uint32_t edge, int64_t ns, int part, struct critical *out)
{
	const int64_t all_ns = w->model->graph.edges[edge].ns;
	if (!w->piece_of[edge] || all_ns <= 0)
		return;
	for (size_t k = w->piece_of[edge] - 1; k < w->n && w->pieces[k].edge == edge; k++) {
		struct piece *piece = &w->pieces[k];
		int64_t here_ns = (int64_t)((__int128)ns * piece->ns / all_ns);
		here_ns = here_ns < piece->left_ns ? here_ns : piece->left_ns;
		piece->left_ns -= here_ns;
		out->steps[piece->step].part_ns[part] += here_ns;
	}
}

/* Labelled time of host edges goes to its leaf, the rest to what the edge is. */
static void divide(struct walk *w, struct critical *out)
{
	const struct model *m = w->model;
	for (size_t i = 0; i < m->n_amounts; i++) {
		const struct amount *amount = &m->amounts[i];
		take_part(w, amount->edge, amount->ns, CRITICAL_LABEL + amount->label, out);
	}
	for (size_t i = 0; i < m->n_helds; i++)
		if (m->helds[i].kind == HELD_BY_PROCESS)
			take_part(w, m->helds[i].edge, m->helds[i].ns, CRITICAL_SHARED, out);
	for (size_t k = 0; k < w->n; k++) {
		const struct piece *piece = &w->pieces[k];
		const bool known = piece->edge != EDGE_NONE;
		const uint16_t unit = known ? m->graph.edges[piece->edge].unit : UNIT_NONE;
		const uint8_t part = known ? w->part[piece->edge] : CRITICAL_UNEXPLAINED;
		out->steps[piece->step].part_ns[part] += piece->left_ns;
		out->steps[piece->step].ns += piece->ns;
		out->unit_ns[unit == UNIT_NONE ? m->n_units : unit] += piece->ns;
	}
}

/* ---- slack ---- */

/* late_ns[node]: when it may happen at the latest, so that no device ends a step after the last one
 * does. */
static void find_slack(const struct walk *w, const struct causes *c, int64_t *late_ns,
					   struct critical *out)
{
	const struct model *m = w->model;
	const struct graph *graph = &m->graph;
	for (size_t i = 0; i < graph->n_nodes; i++)
		late_ns[i] = INT64_MAX;
	for (size_t i = 0; i < m->n_ends; i++) {
		const int64_t end_ns = w->ends_ns[m->ends[i].step];
		int64_t *late = &late_ns[m->ends[i].node];
		*late = end_ns < *late ? end_ns : *late;
	}
	for (size_t node = graph->n_nodes; node-- > 0;)
		for (uint32_t i = graph->first[node];
			 late_ns[node] < INT64_MAX && i < graph->first[node + 1]; i++) {
			const int64_t ns = late_ns[node] - c->measured_ns[i];
			int64_t *late = &late_ns[graph->from[i]];
			if (c->measured_ns[i] > EDGE_OFF && ns < *late)
				*late = ns;
		}
	for (size_t i = 0; i < m->n_transfers; i++) {
		const uint32_t meeting = graph->edges[m->transfers[i].edge].from;
		const bool led_in = c->at_ns[graph->edges[m->transfers[i].edge].to] <= w->ends_ns[0];
		out->meeting_slack_ns[i] =
			led_in || late_ns[meeting] == INT64_MAX ? -1 : late_ns[meeting] - c->at_ns[meeting];
	}
}

int critical_open(struct critical *out, struct causes *c)
{
	const struct model *m = c->model;
	struct walk w = {.model = m};
	int64_t step_ns, *late_ns = malloc((m->graph.n_nodes + 1) * sizeof(*late_ns));
	*out = (struct critical){.n_steps = m->n_steps - 1, .n_units = (uint32_t)m->n_units};
	out->steps = calloc(m->n_steps, sizeof(*out->steps));
	out->unit_ns = calloc(m->n_units + 1, sizeof(*out->unit_ns));
	out->meeting_slack_ns = calloc(m->n_transfers + 1, sizeof(*out->meeting_slack_ns));
	w.ends_ns = calloc(m->n_steps, sizeof(*w.ends_ns));
	w.part = calloc(m->graph.n_edges + 1, 1);
	w.piece_of = calloc(m->graph.n_edges + 1, sizeof(*w.piece_of));
	int error = late_ns && out->steps && out->unit_ns && out->meeting_slack_ns && w.ends_ns &&
						w.part && w.piece_of
					? causes_step(c, c->measured_ns, &step_ns)
					: -ENOMEM;
	if (!error) {
		find_parts(m, w.part);
		find_ends(&w, c->at_ns);
		error = walk(&w, c);
	}
	if (!error) {
		divide(&w, out);
		find_slack(&w, c, late_ns, out);
	}
	free(late_ns);
	free(w.ends_ns);
	free(w.part);
	free(w.piece_of);
	free(w.pieces);
	return error;
}

void critical_close(struct critical *critical)
{
	free(critical->steps);
	free(critical->unit_ns);
	free(critical->meeting_slack_ns);
	memset(critical, 0, sizeof(*critical));
}
