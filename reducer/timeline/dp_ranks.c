#include "timeline/dp_ranks.h"

#include "base/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A worker: stage, then rank. */
static uint64_t worker_of(const struct op_row *row)
{
	return (uint64_t)row->stage << 32 | (uint32_t)row->rank;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* Each once, in order. Returns their number. */
static size_t find_workers(const struct op_rows *rows, uint64_t *workers)
{
	size_t n = 0;
	for (size_t i = 0; i < rows->n; i++)
		workers[i] = worker_of(&rows->at[i]);
	sort_rows(workers, rows->n, sizeof(*workers), by_number);
	for (size_t i = 0; i < rows->n; i++)
		if (i == 0 || workers[i] != workers[i - 1])
			workers[n++] = workers[i];
	return n;
}

int dp_ranks_number(struct op_rows *rows, char trouble[OP_TROUBLE_BYTES])
{
	size_t lack = 0, n, first[STAGES_MOST];
	for (size_t i = 0; i < rows->n; i++)
		lack += rows->at[i].dp == DP_BY_RANK;
	if (lack == 0)
		return 0;
	if (lack < rows->n) {
		snprintf(trouble, OP_TROUBLE_BYTES, "some operations have a dp_rank, others only a rank");
		return -EBADMSG;
	}
	uint64_t *workers = malloc(rows->n * sizeof(*workers));
	if (!workers)
		return -ENOMEM;
	n = find_workers(rows, workers);
	for (size_t i = n; i-- > 0;)
		first[workers[i] >> 32] = i;
	for (size_t i = 0; i < rows->n; i++) {
		const uint64_t worker = worker_of(&rows->at[i]);
		const uint64_t *found = bsearch(&worker, workers, n, sizeof(*workers), by_number);
		rows->at[i].dp = (uint32_t)((size_t)(found - workers) - first[rows->at[i].stage]);
	}
	free(workers);
	return 0;
}
