#include "timeline/slowdown.h"

#include "base/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what keeps its own length ---- */

static bool keep_all(const void *context, const struct op_row *row, uint32_t dp)
{
	(void)context, (void)row, (void)dp;
	return true;
}

static bool keep_group(const void *group, const struct op_row *row, uint32_t dp)
{
	(void)dp;
	return strcmp(op_kinds[row->kind].group, group) == 0;
}

static bool keep_stage(const void *stage, const struct op_row *row, uint32_t dp)
{
	(void)dp;
	return row->stage == *(const uint32_t *)stage;
}

static bool keep_other_stages(const void *stage, const struct op_row *row, uint32_t dp)
{
	return !keep_stage(stage, row, dp);
}

struct workers {
	uint32_t n_dp;
	bool *chosen; /* [stage * n_dp + dp] */
};

static bool keep_other_workers(const void *context, const struct op_row *row, uint32_t dp)
{
	const struct workers *workers = context;
	return !workers->chosen[(size_t)row->stage * workers->n_dp + dp];
}

static double mean_step(struct op_replay *r, const struct keep *keep)
{
	double sum_ns = 0;
	for (uint32_t step = 0; step < r->timeline->n_steps; step++)
		sum_ns += (double)op_replay_step(r, step, keep);
	return sum_ns / r->timeline->n_steps;
}

/* ---- the whole ---- */

static void find_steps(struct op_replay *r, struct slowdown *s)
{
	const struct timeline *t = r->timeline;
	const struct keep keep = {keep_all, NULL};
	s->n_steps = t->n_steps;
	for (uint32_t i = 0; i < t->n_steps; i++) {
		s->steps[i] = (struct slowdown_step){timeline_op(t, i, 0, 0)->step, timeline_step_ns(t, i),
											 op_replay_step(r, i, &keep)};
		s->measured_ns += (double)s->steps[i].measured_ns / t->n_steps;
		s->base_ns += (double)s->steps[i].base_ns / t->n_steps;
	}
	s->ideal_ns = (double)op_replay_ideal(r);
}

/* ---- parts ---- */

static int by_slowdown(const void *left, const void *right)
{
	const struct slowdown_part *a = left, *b = right;
	if (a->slowdown != b->slowdown)
		return a->slowdown > b->slowdown ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void find_groups(struct op_replay *r, struct slowdown *s)
{
	bool here[OP_KINDS] = {false};
	for (uint32_t op = 0; op < r->timeline->n_ops; op++)
		here[timeline_op(r->timeline, 0, 0, op)->kind] = true;
	for (uint32_t kind = 0; kind < OP_KINDS; kind++) {
		const char *group = op_kinds[kind].group;
		bool done = !here[kind];
		for (uint32_t i = 0; i < s->n_groups; i++)
			done = done || strcmp(op_kinds[s->groups[i].index].group, group) == 0;
		if (done)
			continue;
		const struct keep keep = {keep_group, group};
		s->groups[s->n_groups++] = (struct slowdown_part){kind, mean_step(r, &keep) / s->ideal_ns};
	}
}

static void find_stages(struct op_replay *r, struct slowdown *s)
{
	for (uint32_t stage = 0; stage < r->timeline->n_stages; stage++) {
		const struct keep keep = {keep_stage, &stage};
		s->stages[s->n_stages++] = (struct slowdown_part){stage, mean_step(r, &keep) / s->ideal_ns};
	}
}

static void find_dp_ranks(struct op_replay *r, struct slowdown *s)
{
	const struct timeline *t = r->timeline;
	for (uint32_t dp = 0; dp < t->n_dp; dp++) {
		double sum_ns = 0;
		for (uint32_t step = 0; step < t->n_steps; step++)
			sum_ns += (double)op_replay_step_of(r, step, dp);
		s->dp_ranks[s->n_dp_ranks++] =
			(struct slowdown_part){dp, sum_ns / t->n_steps / s->ideal_ns};
	}
}

/* ---- workers ---- */

static int by_worker(const void *left, const void *right)
{
	const struct slowdown_worker *a = left, *b = right;
	if (a->slowdown != b->slowdown)
		return a->slowdown > b->slowdown ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* A worker is at most as slow as its stage and as its data-parallel rank. A replay for each worker
 * would take too long. */
static void find_workers(const struct timeline *t, struct slowdown *s)
{
	for (uint32_t stage = 0; stage < t->n_stages; stage++)
		for (uint32_t dp = 0; dp < t->n_dp; dp++) {
			const double a = s->stages[stage].slowdown, b = s->dp_ranks[dp].slowdown;
			s->workers[s->n_workers++] = (struct slowdown_worker){
				stage, dp, t->ranks[(size_t)stage * t->n_dp + dp], a < b ? a : b};
		}
	sort_rows(s->workers, s->n_workers, sizeof(*s->workers), by_worker);
	s->n_slowest = (uint32_t)(((uint64_t)s->n_workers * WORKERS_PERCENT + 99) / 100);
}

static int take_slowest(struct op_replay *r, struct slowdown *s)
{
	const struct timeline *t = r->timeline;
	struct workers workers = {t->n_dp, calloc(s->n_workers, sizeof(bool))};
	if (!workers.chosen)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_slowest; i++)
		workers.chosen[(size_t)s->workers[i].stage * t->n_dp + s->workers[i].dp] = true;
	const struct keep keep = {keep_other_workers, &workers};
	s->without_workers_ns = mean_step(r, &keep);
	free(workers.chosen);
	return 0;
}

static void sort_parts(struct slowdown *s)
{
	sort_rows(s->groups, s->n_groups, sizeof(*s->groups), by_slowdown);
	sort_rows(s->stages, s->n_stages, sizeof(*s->stages), by_slowdown);
	sort_rows(s->dp_ranks, s->n_dp_ranks, sizeof(*s->dp_ranks), by_slowdown);
}

int slowdown_find(struct op_replay *r, struct slowdown *s)
{
	const struct timeline *t = r->timeline;
	const uint32_t last = t->n_stages - 1;
	*s = (struct slowdown){.steps = malloc(t->n_steps * sizeof(*s->steps)),
						   .groups = malloc(OP_KINDS * sizeof(*s->groups)),
						   .stages = malloc(t->n_stages * sizeof(*s->stages)),
						   .dp_ranks = malloc(t->n_dp * sizeof(*s->dp_ranks)),
						   .workers = malloc((size_t)t->n_stages * t->n_dp * sizeof(*s->workers))};
	int error = 0;
	if (!s->steps || !s->groups || !s->stages || !s->dp_ranks || !s->workers)
		error = -ENOMEM;
	if (!error) {
		find_steps(r, s);
		find_groups(r, s);
		find_stages(r, s);
		find_dp_ranks(r, s);
		find_workers(t, s);
		error = take_slowest(r, s);
	}
	if (error) {
		slowdown_free(s);
		return error;
	}
	s->without_last_stage_ns = mean_step(r, &(struct keep){keep_other_stages, &last});
	sort_parts(s);
	return 0;
}

void slowdown_free(struct slowdown *s)
{
	free(s->steps);
	free(s->groups);
	free(s->stages);
	free(s->dp_ranks);
	free(s->workers);
	*s = (struct slowdown){0};
}

static double part_of_loss(const struct slowdown *s, double without_ns)
{
	const double loss_ns = s->base_ns - s->ideal_ns;
	return loss_ns != 0 ? (s->base_ns - without_ns) / loss_ns : NAN;
}

double slowdown_of_workers(const struct slowdown *s)
{
	return s->n_workers > 1 ? part_of_loss(s, s->without_workers_ns) : NAN;
}

double slowdown_of_last_stage(const struct slowdown *s)
{
	return s->n_stages > 1 ? part_of_loss(s, s->without_last_stage_ns) : NAN;
}
