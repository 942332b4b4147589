#include "conclude/by_step.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The limit is the 0.5th percentile (nearest rank) of the sums of all draws. */
enum { LIMIT_RANK = 5 };

void by_step_close(struct by_step *steps)
{
	free(steps->ns);
	*steps = (struct by_step){0};
}

static bool is_asked(const struct summary *s, const struct series *row, uint64_t leaves,
					 uint32_t device)
{
	if (row->rank != -1 || (device && row->device != device))
		return false;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (leaves & LEAF_BIT(leaf) &&
			strcmp(summary_text(s, row->what), leaf_name((enum leaf)leaf)) == 0)
			return true;
	return false;
}

/* Adds what a step of the row has, cell by cell; where the row ends, its mean goes on. */
static void add_row(struct by_step *steps, const struct series *row, int64_t width)
{
	const size_t n = series_cells(row->steps, row->width), each = (size_t)(width / row->width);
	__int128 all = 0;
	for (size_t i = 0; i < n; i++)
		all += row->ns[i];
	for (size_t cell = 0; cell < steps->n; cell++) {
		const int64_t left = row->steps - (int64_t)cell * width;
		__int128 sum = 0;
		for (size_t i = cell * each; i < n && i < (cell + 1) * each; i++)
			sum += row->ns[i];
		steps->ns[cell] +=
			(int64_t)(left > 0 ? sum / (left < width ? left : width) : all / row->steps);
	}
}

/* Which series: of leaves, or, with `who`, of what it caused. */
struct question {
	uint64_t leaves;
	uint32_t device;
	const char *who; /* the key of a device, or a host; NULL: leaves are asked for */
	size_t chars;
};

static bool is_caused_by(const struct summary *s, const struct series *row,
						 const struct question *q)
{
	const char *device = summary_text(s, row->device);
	return row->rank != -1 && strcmp(summary_text(s, row->what), SERIES_CAUSED) == 0 &&
		   strncmp(device, q->who, q->chars) == 0 &&
		   (device[q->chars] == 0 || device[q->chars] == '/');
}

static bool is_in(const struct summary *s, const struct series *row, const struct question *q)
{
	return q->who ? is_caused_by(s, row, q) : is_asked(s, row, q->leaves, q->device);
}

static int open_rows(struct by_step *steps, const struct summary *s, const struct question *q)
{
	int64_t width = 1, n_steps = 0;
	*steps = (struct by_step){0};
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *row = &s->series[i];
		if (!is_in(s, row, q))
			continue;
		n_steps = row->steps > n_steps ? row->steps : n_steps;
		width = row->width > width ? row->width : width;
	}
	steps->n = series_cells(n_steps, width);
	steps->ns = calloc(steps->n + 1, sizeof(*steps->ns));
	if (!steps->ns)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_series; i++)
		if (is_in(s, &s->series[i], q))
			add_row(steps, &s->series[i], width);
	return 0;
}

int by_step_open(struct by_step *steps, const struct summary *s, uint64_t leaves, uint32_t device)
{
	return open_rows(steps, s, &(struct question){leaves, device, NULL, 0});
}

int by_step_open_caused(struct by_step *steps, const struct summary *s, const char *who,
						size_t chars)
{
	return open_rows(steps, s, &(struct question){0, 0, who, chars});
}

int by_step_mix(struct by_step *into, const struct by_step *from, __int128 mean_ns)
{
	const __int128 sum = by_step_sum(from), scale = 1 << 20;
	if (into->n == 0 && from->n > 0) {
		free(into->ns);
		into->ns = calloc(from->n + 1, sizeof(*into->ns));
		if (!into->ns)
			return -ENOMEM;
		into->n = from->n;
	}
	for (size_t i = 0; sum > 0 && i < into->n && i < from->n; i++) {
		const __int128 part = (__int128)from->ns[i] * (int64_t)from->n * scale / sum;
		into->ns[i] = saturate_add(into->ns[i], (int64_t)(mean_ns * part / scale));
	}
	return 0;
}

__int128 by_step_sum(const struct by_step *steps)
{
	__int128 sum = 0;
	for (size_t i = 0; i < steps->n; i++)
		sum += steps->ns[i];
	return sum;
}

/* ---- the circular block bootstrap ---- */

/* The least b with b^3 >= n. */
static size_t block_length(size_t n)
{
	size_t b = 1;
	while (b * b * b < n)
		b++;
	return b;
}

/* n steps in blocks of neighbours that begin anywhere; the first step comes after the last.
 * before[i]: the sum of the first i steps, twice around. */
static __int128 draw(const __int128 *before, size_t n, size_t block, uint64_t *state)
{
	__int128 sum = 0;
	for (size_t taken = 0; taken < n; taken += block) {
		const size_t from = (size_t)(by_step_random(state) % n);
		const size_t length = n - taken < block ? n - taken : block;
		sum += before[from + length] - before[from];
	}
	return sum;
}

static int by_size(const void *a, const void *b)
{
	const __int128 x = *(const __int128 *)a, y = *(const __int128 *)b;
	return x < y ? -1 : x > y;
}

int by_step_draw(const struct by_step *steps, uint64_t state, __int128 *sums)
{
	const size_t n = steps->n;
	__int128 *before = calloc(2 * n + 1, sizeof(*before));
	if (!before)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * n; i++)
		before[i + 1] = before[i] + steps->ns[i % n];
	for (int i = 0; i < BY_STEP_DRAWS; i++)
		sums[i] = n ? draw(before, n, block_length(n), &state) : 0;
	free(before);
	return 0;
}

__int128 by_step_limit(const struct by_step *steps)
{
	__int128 sums[BY_STEP_DRAWS];
	if (steps->n == 0 || by_step_draw(steps, 1, sums) != 0)
		return by_step_sum(steps);
	sort_rows(sums, BY_STEP_DRAWS, sizeof(sums[0]), by_size);
	return sums[LIMIT_RANK - 1];
}

/* In 2^20ths: shares and sums are too large to be multiplied. */
static int64_t in_proportion(int64_t share_ns, __int128 part, __int128 all)
{
	const __int128 scale = 1 << 20;
	return all > 0 ? (int64_t)(share_ns * (part * scale / all) / scale) : share_ns;
}

int by_step_limit_of(const struct summary *summary, uint64_t leaves, uint32_t device,
					 int64_t share_ns, int64_t *limit_ns)
{
	struct by_step steps;
	int error = by_step_open(&steps, summary, leaves, device);
	*limit_ns = share_ns;
	if (!error && steps.n > 0)
		*limit_ns = in_proportion(share_ns, by_step_limit(&steps), by_step_sum(&steps));
	by_step_close(&steps);
	return error;
}
