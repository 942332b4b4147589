#include "attribute/step_leaves.h"

#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int step_leaves_open(struct step_leaves *leaves, const int64_t *ends, int32_t n_steps, size_t most)
{
	*leaves = (struct step_leaves){
		.ends = ends, .n_steps = n_steps, .width = series_width(n_steps, most)};
	leaves->n_cells = series_cells(n_steps, leaves->width);
	leaves->octaves = calloc(LEAF_COUNT, sizeof(*leaves->octaves));
	leaves->cells = calloc(LEAF_COUNT * leaves->n_cells + 1, sizeof(*leaves->cells));
	return leaves->octaves && leaves->cells ? 0 : -ENOMEM;
}

void step_leaves_close(struct step_leaves *leaves)
{
	free(leaves->octaves);
	free(leaves->cells);
	*leaves = (struct step_leaves){0};
}

/* Step `at` is complete. */
static void next_step(struct step_cursor *c)
{
	const size_t cell = (size_t)(c->at / c->into->width);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		int64_t ns = c->now_ns[leaf];
		if (ns <= 0)
			continue;
		c->into->cells[(size_t)leaf * c->into->n_cells + cell] += ns;
		struct step_octave *o = &c->into->octaves[leaf][63 - __builtin_clzll((uint64_t)ns)];
		o->steps++;
		o->ns += ns;
		if (ns > o->worst_ns) {
			o->worst_ns = ns;
			o->worst = c->at;
		}
	}
	memset(c->now_ns, 0, sizeof(c->now_ns));
	c->at++;
}

void step_cursor_cross(struct step_cursor *c, enum leaf leaf, int64_t from, int64_t to)
{
	const int64_t *ends = c->into->ends;
	const int32_t n = c->into->n_steps;
	while (c->at < n && from >= ends[c->at + 1])
		next_step(c);
	for (; c->at < n && to > ends[c->at + 1]; from = ends[c->at]) {
		c->now_ns[leaf] += ends[c->at + 1] - from;
		next_step(c);
	}
	if (c->at < n)
		c->now_ns[leaf] += to - from;
}

void step_cursor_finish(struct step_cursor *c)
{
	if (c->into && c->at < c->into->n_steps)
		next_step(c);
}

/* The lengths of the steps, and of each leaf that has any time how much each of them has. */
static int store_series(const struct step_leaves *leaves, struct summary *summary,
						const char *device)
{
	struct series series = {.rank = -1, .steps = leaves->n_steps, .width = leaves->width};
	series.ns = calloc(leaves->n_cells + 1, sizeof(*series.ns));
	if (!series.ns)
		return -ENOMEM;
	for (int32_t i = 0; i < leaves->n_steps; i++)
		series.ns[i / leaves->width] += leaves->ends[i + 1] - leaves->ends[i];
	int error = leaves->n_steps ? summary_series(summary, device, SERIES_STEP, &series) : 0;
	free(series.ns);
	for (int leaf = 0; !error && leaf < LEAF_COUNT; leaf++) {
		bool any = false;
		series.ns = leaves->cells + (size_t)leaf * leaves->n_cells;
		for (size_t i = 0; i < leaves->n_cells && !any; i++)
			any = series.ns[i] > 0;
		if (any)
			error = summary_series(summary, device, leaf_name((enum leaf)leaf), &series);
	}
	return error;
}

int step_leaves_store(const struct step_leaves *leaves, const struct steps *steps,
					  struct summary *summary, const char *device)
{
	int error = store_series(leaves, summary, device);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		for (int octave = 0; !error && octave < STEP_OCTAVES; octave++) {
			const struct step_octave *o = &leaves->octaves[leaf][octave];
			if (o->steps)
				error =
					summary_spread(summary, device,
								   &(struct spread){.leaf = (uint8_t)leaf,
													.octave = (uint8_t)octave,
													.steps = o->steps,
													.ns = o->ns,
													.worst_ns = o->worst_ns,
													.worst_step = step_called(steps, o->worst)});
		}
	return error;
}

int64_t step_called(const struct steps *steps, int32_t step)
{
	int64_t number = steps_number(steps, step);
	return number >= 0 ? number : (int64_t)steps->left + step;
}
