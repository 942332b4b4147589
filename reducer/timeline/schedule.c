#include "timeline/schedule.h"

#include "timeline/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- joins ---- */

/* The i-th of a kind in each stage meet. */
static void join_stages(struct pattern *p, enum op_kind kind, bool over_dp)
{
	uint32_t n = 0;
	for (uint32_t stage = 0; stage < p->timeline->n_stages; stage++)
		n = p->count[stage][kind] > n ? p->count[stage][kind] : n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = NO_OP;
		for (uint32_t stage = 0; stage < p->timeline->n_stages; stage++) {
			if (i >= p->count[stage][kind])
				continue;
			const uint32_t op = pattern_at(p, stage, kind, i);
			first = first == NO_OP ? op : first;
			p->join_of[op] = first;
			p->over_dp[first] = over_dp;
		}
	}
}

static void find_joins(struct pattern *p)
{
	for (int kind = 0; kind < OP_KINDS; kind++)
		if (op_kinds[kind].join == JOIN_STAGES || op_kinds[kind].join == JOIN_ALL)
			join_stages(p, (enum op_kind)kind, op_kinds[kind].join == JOIN_ALL);
	for (uint32_t op = 0; op < p->timeline->n_ops; op++)
		if (op_kinds[pattern_op(p, op)->kind].join == JOIN_DP) {
			p->join_of[op] = op;
			p->over_dp[op] = true;
		}
}

/* Numbers the joins without gaps and lists their members. */
static int take_joins(const struct pattern *p, struct schedule *s)
{
	const uint32_t n = p->timeline->n_ops;
	s->join_of = malloc(n * sizeof(*s->join_of));
	s->over_dp = calloc(n, sizeof(*s->over_dp));
	s->members.from = calloc(n + 2, sizeof(*s->members.from));
	s->members.at = malloc(n * sizeof(*s->members.at));
	if (!s->join_of || !s->over_dp || !s->members.from || !s->members.at)
		return -ENOMEM;
	for (uint32_t op = 0; op < n; op++) {
		const uint32_t first = p->join_of[op];
		s->join_of[op] = first;
		if (first == op) {
			s->over_dp[s->n_joins] = p->over_dp[op];
			s->join_of[op] = s->n_joins++;
		} else if (first != NO_JOIN) {
			s->join_of[op] = s->join_of[first]; /* which stands before it */
		}
		if (first != NO_JOIN)
			s->members.from[s->join_of[op] + 2]++;
	}
	for (uint32_t i = 0; i < s->n_joins; i++)
		s->members.from[i + 2] += s->members.from[i + 1];
	for (uint32_t op = 0; op < n; op++)
		if (s->join_of[op] != NO_JOIN)
			s->members.at[s->members.from[s->join_of[op] + 1]++] = op;
	return 0;
}

static int take_waits(const struct pattern *p, struct schedule *s)
{
	const uint32_t n = p->timeline->n_ops;
	s->waits.from = calloc(n + 2, sizeof(*s->waits.from));
	s->waits.at = malloc((p->n_edges + 1) * sizeof(*s->waits.at));
	if (!s->waits.from || !s->waits.at)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_edges; i++)
		s->waits.from[p->edges[i].to + 2]++;
	for (uint32_t op = 0; op < n; op++)
		s->waits.from[op + 2] += s->waits.from[op + 1];
	for (size_t i = 0; i < p->n_edges; i++)
		s->waits.at[s->waits.from[p->edges[i].to + 1]++] = p->edges[i].from;
	return 0;
}

/* ---- an order in which the step can be replayed ---- */

struct sorting {
	const struct schedule *s;
	const struct pattern *p;
	uint32_t *missing; /* of the first operation of each unit: what it still waits for */
	struct list next;  /* of each operation: what waits for it */
};

static uint32_t unit_of(const struct schedule *s, uint32_t op)
{
	const uint32_t join = s->join_of[op];
	return join == NO_JOIN ? op : s->members.at[s->members.from[join]];
}

static int open_sorting(struct sorting *sorting, uint32_t n)
{
	const struct pattern *p = sorting->p;
	sorting->missing = calloc(n, sizeof(*sorting->missing));
	sorting->next.from = calloc(n + 2, sizeof(*sorting->next.from));
	sorting->next.at = malloc((p->n_edges + 1) * sizeof(*sorting->next.at));
	if (!sorting->missing || !sorting->next.from || !sorting->next.at)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_edges; i++) {
		sorting->next.from[p->edges[i].from + 2]++;
		sorting->missing[unit_of(sorting->s, p->edges[i].to)]++;
	}
	for (uint32_t op = 0; op < n; op++)
		sorting->next.from[op + 2] += sorting->next.from[op + 1];
	for (size_t i = 0; i < p->n_edges; i++)
		sorting->next.at[sorting->next.from[p->edges[i].from + 1]++] = p->edges[i].to;
	return 0;
}

static void release(struct sorting *sorting, struct schedule *s, uint32_t op)
{
	for (uint32_t i = sorting->next.from[op]; i < sorting->next.from[op + 1]; i++) {
		const uint32_t unit = unit_of(s, sorting->next.at[i]);
		if (--sorting->missing[unit] == 0)
			s->order[s->n_units++] = unit;
	}
}

static void sort_units(struct sorting *sorting, struct schedule *s, uint32_t n)
{
	for (uint32_t op = 0; op < n; op++)
		if (unit_of(s, op) == op && sorting->missing[op] == 0)
			s->order[s->n_units++] = op;
	for (uint32_t i = 0; i < s->n_units; i++) {
		const uint32_t unit = s->order[i], join = s->join_of[unit];
		if (join == NO_JOIN)
			release(sorting, s, unit);
		else
			for (uint32_t m = s->members.from[join]; m < s->members.from[join + 1]; m++)
				release(sorting, s, s->members.at[m]);
	}
}

static int refuse_circle(const struct sorting *sorting, uint32_t n, char *trouble)
{
	for (uint32_t op = 0; op < n; op++)
		if (unit_of(sorting->s, op) == op && sorting->missing[op] > 0) {
			const struct op_row *row = pattern_op(sorting->p, op);
			snprintf(
				trouble, OP_TROUBLE_BYTES,
				"the order of operations goes in a circle (%s number %u of stage %u is in it or "
				"after it)",
				op_kinds[row->kind].name, op - sorting->p->first[row->stage][row->kind],
				row->stage);
			return -EBADMSG;
		}
	return 0;
}

static int find_order(const struct pattern *p, struct schedule *s, char *trouble)
{
	const uint32_t n = p->timeline->n_ops;
	struct sorting sorting = {.s = s, .p = p};
	s->order = malloc(n * sizeof(*s->order));
	int error = s->order ? open_sorting(&sorting, n) : -ENOMEM;
	if (!error) {
		sort_units(&sorting, s, n);
		error = refuse_circle(&sorting, n, trouble);
	}
	free(sorting.missing);
	free(sorting.next.from);
	free(sorting.next.at);
	return error;
}

int schedule_make(const struct timeline *timeline, struct schedule *schedule,
				  char trouble[OP_TROUBLE_BYTES])
{
	struct pattern pattern;
	*schedule = (struct schedule){.timeline = timeline};
	int error = pattern_open(&pattern, timeline, trouble);
	error = error ? error : pattern_transfers(&pattern);
	error = error ? error : pattern_stages(&pattern);
	if (!error)
		find_joins(&pattern);
	error = error ? error : take_joins(&pattern, schedule);
	error = error ? error : take_waits(&pattern, schedule);
	error = error ? error : find_order(&pattern, schedule, trouble);
	pattern_close(&pattern);
	if (error)
		schedule_free(schedule);
	return error;
}

void schedule_free(struct schedule *s)
{
	free(s->waits.from);
	free(s->waits.at);
	free(s->join_of);
	free(s->members.from);
	free(s->members.at);
	free(s->over_dp);
	free(s->order);
	*s = (struct schedule){0};
}
