#include "graph/held_rows.h"

#include "base/radix.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t in_order(int64_t ns)
{
	return (uint64_t)ns ^ UINT64_C(1) << 63;
}

/* ---- which row ended last ---- */

static int make_tree(struct held_rows *held, struct radix_row *rows)
{
	const size_t n = held->n;
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct radix_row){in_order(held->rows[i].end), (uint32_t)i};
	int error = radix_sort(rows, n);
	held->by_end = malloc((n + 1) * sizeof(*held->by_end));
	held->last = malloc(2 * (n + 1) * sizeof(*held->last));
	if (error || !held->by_end || !held->last)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		held->by_end[i] = held->last[n + i] = rows[i].index;
	for (size_t i = n; i-- > 1;) {
		const uint32_t left = held->last[2 * i], right = held->last[2 * i + 1];
		held->last[i] = left > right ? left : right;
	}
	return 0;
}

/* How many rows end before `ns`, or (`at`) at it too. */
static size_t ended_before(const struct held_rows *held, int64_t ns, bool at)
{
	size_t low = 0, high = held->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int64_t end = held->rows[held->by_end[middle]].end;
		if (end < ns || (at && end == ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct held_row *held_rows_ended(const struct held_rows *held, int64_t from, int64_t to)
{
	size_t low = held->n + ended_before(held, from, false);
	size_t high = held->n + ended_before(held, to, true);
	uint32_t last = 0;
	if (low >= high)
		return NULL;
	for (; low < high; low /= 2, high /= 2) {
		if (low & 1 && held->last[low++] > last)
			last = held->last[low - 1];
		if (high & 1 && held->last[--high] > last)
			last = held->last[high];
	}
	return &held->rows[last];
}

/* ---- how long host functions ran ---- */

static int make_times(const struct held_rows *held, bool ends, struct radix_row *rows,
					  struct held_times *out)
{
	size_t n = 0;
	for (size_t i = 0; i < held->n; i++) {
		const struct held_row *row = &held->rows[i];
		if (row->kind == BATON_SYNC_HOST_FUNC && row->end > row->begin)
			rows[n++] = (struct radix_row){in_order(ends ? row->end : row->begin), (uint32_t)i};
	}
	int error = radix_sort(rows, n);
	out->at = malloc((n + 1) * sizeof(*out->at));
	out->sums = malloc((n + 1) * sizeof(*out->sums));
	if (error || !out->at || !out->sums)
		return -ENOMEM;
	out->n = n;
	out->sums[0] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct held_row *row = &held->rows[rows[i].index];
		out->at[i] = ends ? row->end : row->begin;
		out->sums[i + 1] = out->sums[i] + (uint64_t)out->at[i];
	}
	return 0;
}

static size_t times_before(const struct held_times *times, int64_t ns)
{
	size_t low = 0, high = times->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (times->at[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How far `ns` is from the times before it, in all. Modulo 2^64, and so is the difference of two:
 * only the sum that is asked for has to fit. */
static uint64_t far_from(const struct held_times *times, int64_t ns)
{
	const size_t n = times_before(times, ns);
	return n * (uint64_t)ns - times->sums[n];
}

int64_t held_rows_ran(const struct held_rows *held, int64_t from, int64_t to)
{
	if (to <= from)
		return 0;
	const uint64_t begun = far_from(&held->begins, to) - far_from(&held->begins, from);
	const uint64_t ended = far_from(&held->ends, to) - far_from(&held->ends, from);
	const uint64_t ran = begun - ended;
	return ran > INT64_MAX ? INT64_MAX : (int64_t)ran;
}

size_t held_rows_begun(const struct held_rows *held, int64_t from, int64_t to)
{
	return to > from ? times_before(&held->begins, to) - times_before(&held->begins, from) : 0;
}

int held_rows_open(struct held_rows *held, const struct process *process)
{
	*held = (struct held_rows){.rows = process->helds, .n = process->n_helds};
	struct radix_row *rows = malloc((held->n + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	int error = make_tree(held, rows);
	error = error ? error : make_times(held, false, rows, &held->begins);
	error = error ? error : make_times(held, true, rows, &held->ends);
	free(rows);
	return error;
}

void held_rows_close(struct held_rows *held)
{
	free(held->by_end);
	free(held->last);
	free(held->begins.at);
	free(held->begins.sums);
	free(held->ends.at);
	free(held->ends.sums);
	*held = (struct held_rows){0};
}
