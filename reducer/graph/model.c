#include "graph/model.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void model_free(struct model *model)
{
	graph_free(&model->graph);
	free(model->units);
	free(model->amounts);
	free(model->host);
	free(model->kernels);
	free(model->waits);
	free(model->members);
	free(model->parts);
	free(model->transfers);
	free(model->helds);
	free(model->ends);
	free(model->copies);
	free(model->wait_edges);
	free(model->node_gaps);
	free(model->unexplained_edges);
	memset(model, 0, sizeof(*model));
}

static void move_amounts(struct model *model, const uint32_t *edge)
{
	size_t kept = 0;
	for (size_t i = 0; i < model->n_amounts; i++) {
		struct amount amount = model->amounts[i];
		amount.edge = edge[amount.edge];
		if (amount.edge != EDGE_NONE && amount.ns > 0)
			model->amounts[kept++] = amount;
	}
	model->n_amounts = kept;
}

static void move_positions(struct position *positions, size_t *n, const uint32_t *edge)
{
	size_t kept = 0;
	for (size_t i = 0; i < *n; i++) {
		positions[i].edge = edge[positions[i].edge];
		if (positions[i].edge != EDGE_NONE)
			positions[kept++] = positions[i];
	}
	*n = kept;
}

static void move_waits(struct model *model, const uint32_t *edge)
{
	uint32_t kept = 0;
	for (size_t i = 0; i < model->n_waits; i++) {
		struct wait *wait = &model->waits[i];
		const uint32_t first = wait->first_edge, n = wait->n_edges;
		wait->first_edge = kept;
		for (uint32_t k = first; k < first + n; k++)
			if (edge[model->wait_edges[k]] != EDGE_NONE)
				model->wait_edges[kept++] = edge[model->wait_edges[k]];
		wait->n_edges = kept - wait->first_edge;
		wait->chain = edge[wait->chain];
	}
}

static void move_rest(struct model *model, const struct graph_places *places)
{
	size_t kept = 0;
	for (size_t i = 0; i < model->n_transfers; i++) {
		model->transfers[i].edge = places->edge[model->transfers[i].edge];
		if (model->transfers[i].edge != EDGE_NONE)
			model->transfers[kept++] = model->transfers[i];
	}
	model->n_transfers = kept;
	kept = 0;
	for (size_t i = 0; i < model->n_helds; i++) {
		model->helds[i].edge = places->edge[model->helds[i].edge];
		if (model->helds[i].edge != EDGE_NONE)
			model->helds[kept++] = model->helds[i];
	}
	model->n_helds = kept;
	kept = 0;
	for (size_t i = 0; i < model->n_copies; i++)
		if (places->edge[model->copies[i]] != EDGE_NONE)
			model->copies[kept++] = places->edge[model->copies[i]];
	model->n_copies = kept;
	kept = 0;
	for (size_t i = 0; i < model->n_unexplained_edges; i++)
		if (places->edge[model->unexplained_edges[i]] != EDGE_NONE)
			model->unexplained_edges[kept++] = places->edge[model->unexplained_edges[i]];
	model->n_unexplained_edges = kept;
	for (size_t i = 0; i < model->n_members; i++)
		model->members[i].op = places->edge[model->members[i].op];
	for (size_t i = 0; i < model->n_ends; i++)
		model->ends[i].node = places->node[model->ends[i].node];
}

/* What is left of an edge when its labels are taken off is the program's own. */
static int own_time(struct model *model)
{
	const struct graph *graph = &model->graph;
	int64_t *own = malloc((graph->n_edges + 1) * sizeof(*own));
	if (!own)
		return -ENOMEM;
	for (size_t i = 0; i < graph->n_edges; i++)
		own[i] = graph->edges[i].ns;
	for (size_t i = 0; i < model->n_amounts; i++) {
		struct amount *amount = &model->amounts[i];
		int64_t *left = &own[amount->edge];
		amount->ns = amount->ns < *left ? amount->ns : *left > 0 ? *left : 0;
		*left -= amount->ns;
	}
	for (size_t i = 0; i < model->n_host; i++)
		model->host[i].ns = own[model->host[i].edge] > 0 ? own[model->host[i].edge] : 0;
	free(own);
	return 0;
}

/* Steps are of the units that have ops in the first and in the last one. */
static void find_ended(struct model *model)
{
	for (size_t u = 0; u < model->n_units; u++) {
		bool first = false, last = false;
		for (size_t i = 0; i < model->n_ends; i++) {
			if (model->ends[i].unit != u)
				continue;
			first |= model->ends[i].step == 0;
			last |= model->ends[i].step == (int32_t)model->n_steps - 1;
		}
		model->units[u].ended = first && last;
	}
}

int model_seal(struct model *model)
{
	struct graph_places places = {0};
	int error = graph_seal(&model->graph, &places);
	if (!error) {
		move_amounts(model, places.edge);
		move_positions(model->host, &model->n_host, places.edge);
		move_positions(model->kernels, &model->n_kernels, places.edge);
		move_waits(model, places.edge);
		move_rest(model, &places);
		find_ended(model);
		error = own_time(model);
	}
	graph_places_free(&places);
	return error;
}

int model_ends(const struct model *model, const int64_t *at_ns, int64_t *steps_ns)
{
	const uint32_t n = model->n_steps;
	int64_t *last = malloc((model->n_units * n + 1) * sizeof(*last));
	uint32_t units = 0;
	if (!last)
		return -ENOMEM;
	for (size_t i = 0; i < model->n_units * n; i++)
		last[i] = INT64_MIN;
	for (size_t i = 0; i < model->n_ends; i++) {
		int64_t *end = &last[model->ends[i].unit * n + (uint32_t)model->ends[i].step];
		const int64_t ns = at_ns[model->ends[i].node];
		*end = ns > *end ? ns : *end;
	}
	for (size_t u = 0; u < model->n_units; u++)
		units += model->units[u].ended;
	for (uint32_t step = 0; step < n; step++) {
		__int128 sum = 0;
		for (size_t u = 0; u < model->n_units; u++) {
			int64_t *end = &last[u * n + step];
			if (step && end[-1] > *end)
				*end = end[-1];
			sum += model->units[u].ended ? *end : 0;
		}
		steps_ns[step] = units ? (int64_t)(sum / units) : 0;
	}
	free(last);
	return 0;
}
