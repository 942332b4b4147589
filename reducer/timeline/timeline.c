#include "timeline/timeline.h"

#include "base/room.h"
#include "base/sort.h"
#include "timeline/dp_ranks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operations of a data-parallel rank in a step: rows that follow each other. */
struct group {
	size_t first;
	uint32_t n;
	uint64_t shape; /* hash of how many there are of each kind in each stage */
};

struct groups {
	struct group *at;
	size_t n, room;
};

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *left, const void *right)
{
	const struct op_row *a = left, *b = right;
	int order = by_number(a->step, b->step);
	order = order ? order : by_number(a->dp, b->dp);
	order = order ? order : by_number(a->stage, b->stage);
	order = order ? order : by_number(a->kind, b->kind);
	order = order ? order : by_number(a->start_ns, b->start_ns);
	order = order ? order : by_number(a->end_ns, b->end_ns);
	return order ? order : by_number(a->microbatch, b->microbatch);
}

static bool same_group(const struct op_row *a, const struct op_row *b)
{
	return a->step == b->step && a->dp == b->dp;
}

static int refuse_twice(const struct op_rows *rows, char trouble[OP_TROUBLE_BYTES])
{
	for (size_t i = 1; i < rows->n; i++) {
		const struct op_row *row = &rows->at[i];
		if (!op_kind_computes(row->kind) || by_place(row - 1, row) != 0)
			continue;
		snprintf(trouble, OP_TROUBLE_BYTES,
				 "step %" PRId64 ", dp_rank %u, stage %u: the same %s stands there twice",
				 row->step, row->dp, row->stage, op_kinds[row->kind].name);
		return -EBADMSG;
	}
	return 0;
}

static int find_groups(const struct op_rows *rows, struct groups *groups)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct op_row *row = &rows->at[i];
		if (i == 0 || !same_group(row - 1, row)) {
			if (room_for((void **)&groups->at, groups->n, &groups->room, 256,
						 sizeof(*groups->at)) != 0)
				return -ENOMEM;
			groups->at[groups->n++] = (struct group){.first = i};
		}
		struct group *group = &groups->at[groups->n - 1];
		group->n++;
		group->shape =
			(group->shape ^ ((uint64_t)row->stage << 8 | row->kind)) * 0x9e3779b97f4a7c15;
		group->shape ^= group->shape >> 29;
	}
	return 0;
}

static int by_shape(const void *left, const void *right)
{
	const struct group *const *a = left, *const *b = right;
	if ((*a)->shape != (*b)->shape)
		return (*a)->shape < (*b)->shape ? -1 : 1;
	return ((*a)->first > (*b)->first) - ((*a)->first < (*b)->first);
}

/* *usual: the first group of the shape that most of them have; of two such the earlier one. */
static int find_usual(const struct groups *groups, const struct group **usual)
{
	const struct group **sorted = malloc((groups->n + 1) * sizeof(const struct group *));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < groups->n; i++)
		sorted[i] = &groups->at[i];
	sort_rows(sorted, groups->n, sizeof(const struct group *), by_shape);
	size_t most = 0;
	for (size_t i = 0, end; i < groups->n; i = end) {
		for (end = i + 1; end < groups->n && sorted[end]->shape == sorted[i]->shape;)
			end++;
		if (end - i > most || (end - i == most && sorted[i]->first < (*usual)->first)) {
			most = end - i;
			*usual = sorted[i];
		}
	}
	free(sorted);
	return 0;
}

/* ---- the data-parallel ranks ---- */

static int by_dp(const void *a, const void *b)
{
	return by_number(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int find_dp(const struct op_rows *rows, const struct groups *groups, struct timeline *t)
{
	t->dp = malloc((groups->n + 1) * sizeof(*t->dp));
	if (!t->dp)
		return -ENOMEM;
	for (size_t i = 0; i < groups->n; i++)
		t->dp[i] = rows->at[groups->at[i].first].dp;
	sort_rows(t->dp, groups->n, sizeof(*t->dp), by_dp);
	for (size_t i = 0; i < groups->n; i++)
		if (i == 0 || t->dp[i] != t->dp[i - 1])
			t->dp[t->n_dp++] = t->dp[i];
	return 0;
}

/* ---- the steps ---- */

/* Says what is odd about a group: too many or too few of a kind in a stage. */
static void describe_odd(const struct op_rows *rows, const struct group *group,
						 const struct group *usual, char text[128])
{
	const struct op_row *row = &rows->at[group->first], *other = &rows->at[usual->first];
	uint32_t i = 0;
	while (i < group->n && i < usual->n && row[i].stage == other[i].stage &&
		   row[i].kind == other[i].kind)
		i++;
	const bool more =
		i < group->n && (i >= usual->n || row[i].stage < other[i].stage ||
						 (row[i].stage == other[i].stage && row[i].kind < other[i].kind));
	const struct op_row *at = more ? &row[i] : &other[i];
	snprintf(text, 128, "step %" PRId64 ", dp_rank %u, stage %u has %s %s than usual", row->step,
			 row->dp, at->stage, more ? "more" : "fewer", op_kinds[at->kind].name);
}

/* Are the groups from `at` on a whole step? *n: how many of them belong to its step. */
static bool is_whole(const struct op_rows *rows, const struct groups *groups, size_t at, size_t *n,
					 const struct group *usual, struct timeline *t)
{
	const int64_t step = rows->at[groups->at[at].first].step;
	const struct group *odd = NULL;
	for (*n = 0; at + *n < groups->n && rows->at[groups->at[at + *n].first].step == step; ++*n)
		if (!odd && groups->at[at + *n].shape != usual->shape)
			odd = &groups->at[at + *n];
	if (!odd && *n == t->n_dp)
		return true;
	if (t->steps_left_out++ > 0)
		return false;
	if (odd)
		describe_odd(rows, odd, usual, t->odd);
	else
		snprintf(t->odd, sizeof(t->odd), "step %" PRId64 " has %zu of %u data-parallel ranks", step,
				 *n, t->n_dp);
	return false;
}

static int find_steps(const struct op_rows *rows, const struct groups *groups,
					  const struct group *usual, struct timeline *t)
{
	t->steps = malloc((groups->n + 1) * sizeof(*t->steps));
	if (!t->steps)
		return -ENOMEM;
	for (size_t at = 0, n; at < groups->n; at += n)
		if (is_whole(rows, groups, at, &n, usual, t))
			t->steps[t->n_steps++] = groups->at[at].first;
	return 0;
}

/* ---- what is in all steps ---- */

static int find_stages(struct timeline *t, char trouble[OP_TROUBLE_BYTES])
{
	bool here[STAGES_MOST] = {false};
	for (uint32_t op = 0; op < t->n_ops; op++) {
		const uint32_t stage = timeline_op(t, 0, 0, op)->stage;
		here[stage] = true;
		t->n_stages = stage + 1 > t->n_stages ? stage + 1 : t->n_stages;
	}
	for (uint32_t stage = 0; stage < t->n_stages; stage++)
		if (!here[stage]) {
			snprintf(trouble, OP_TROUBLE_BYTES, "stage %u of 0 to %u has no operations", stage,
					 t->n_stages - 1);
			return -EBADMSG;
		}
	return 0;
}

static int take_rank(struct timeline *t, const struct op_row *row, int32_t *rank,
					 char trouble[OP_TROUBLE_BYTES])
{
	if (row->rank < 0 || *rank == row->rank)
		return 0;
	if (*rank < 0) {
		*rank = row->rank;
		t->ranks_given = true;
		return 0;
	}
	snprintf(trouble, OP_TROUBLE_BYTES,
			 "ranks %d and %d are both dp_rank %u of stage %u: keep one rank of each "
			 "tensor-parallel group",
			 *rank, row->rank, row->dp, row->stage);
	return -EBADMSG;
}

static int find_ranks(struct timeline *t, char trouble[OP_TROUBLE_BYTES])
{
	const size_t workers = (size_t)t->n_stages * t->n_dp;
	t->ranks = malloc(workers * sizeof(*t->ranks));
	if (!t->ranks)
		return -ENOMEM;
	memset(t->ranks, 0xff, workers * sizeof(*t->ranks));
	for (uint32_t step = 0; step < t->n_steps; step++)
		for (uint32_t dp = 0; dp < t->n_dp; dp++)
			for (uint32_t op = 0; op < t->n_ops; op++) {
				const struct op_row *row = timeline_op(t, step, dp, op);
				int error =
					take_rank(t, row, &t->ranks[(size_t)row->stage * t->n_dp + dp], trouble);
				if (error)
					return error;
			}
	for (size_t i = 0; i < workers; i++)
		t->ranks[i] = t->ranks_given ? t->ranks[i] : (int32_t)i;
	return 0;
}

/* No sum along a chain of operations may leave int64_t. */
static int refuse_long(const struct timeline *t, char trouble[OP_TROUBLE_BYTES])
{
	int64_t longest_ns = 0;
	for (uint32_t step = 0; step < t->n_steps; step++) {
		const int64_t ns = timeline_step_ns(t, step);
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	if (longest_ns <= INT64_MAX / 4 / (int64_t)t->n_ops)
		return 0;
	snprintf(trouble, OP_TROUBLE_BYTES, "a step of %.0f s: are the times in another unit?",
			 (double)longest_ns / 1e9);
	return -EBADMSG;
}

static int find_all(struct op_rows *rows, struct groups *groups, struct timeline *t,
					char trouble[OP_TROUBLE_BYTES])
{
	const struct group *usual = NULL;
	int error = find_groups(rows, groups);
	error = error ? error : find_usual(groups, &usual);
	error = error ? error : find_dp(rows, groups, t);
	error = error ? error : find_steps(rows, groups, usual, t);
	if (error)
		return error;
	if (t->n_steps == 0) {
		snprintf(trouble, OP_TROUBLE_BYTES, "no step is whole: %s", t->odd);
		return -EBADMSG;
	}
	t->n_ops = usual->n;
	error = refuse_long(t, trouble);
	error = error ? error : find_stages(t, trouble);
	return error ? error : find_ranks(t, trouble);
}

int timeline_arrange(struct op_rows *rows, struct timeline *timeline,
					 char trouble[OP_TROUBLE_BYTES])
{
	struct groups groups = {0};
	*timeline = (struct timeline){.rows = rows->at, .n_rows = rows->n};
	if (rows->n == 0) {
		snprintf(trouble, OP_TROUBLE_BYTES, "no operations");
		return -EBADMSG;
	}
	int error = dp_ranks_number(rows, trouble);
	if (!error) {
		sort_rows(rows->at, rows->n, sizeof(*rows->at), by_place);
		error = refuse_twice(rows, trouble);
	}
	error = error ? error : find_all(rows, &groups, timeline, trouble);
	free(groups.at);
	if (error)
		timeline_free(timeline);
	return error;
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->dp);
	free(timeline->ranks);
	free(timeline->steps);
	*timeline = (struct timeline){0};
}

int64_t timeline_step_ns(const struct timeline *t, uint32_t step)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	const struct op_row *rows = &t->rows[t->steps[step]];
	for (size_t i = 0; i < (size_t)t->n_dp * t->n_ops; i++) {
		first_ns = rows[i].start_ns < first_ns ? rows[i].start_ns : first_ns;
		last_ns = rows[i].end_ns > last_ns ? rows[i].end_ns : last_ns;
	}
	return last_ns - first_ns;
}
