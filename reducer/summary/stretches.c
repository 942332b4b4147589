#include "summary/stretches.h"

#include "base/sort.h"
#include "summary/row_kinds.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REST_NAME "(others)"

bool stretches_are(const struct summary *summary)
{
	return summary->quality.stretches > 0;
}

/* ---- steps that follow on steps ---- */

/* The steps of a device so far; `device` is a text of another summary. */
static int64_t steps_of(struct summary *s, const char *device)
{
	uint32_t key;
	if (!strings_find(&s->pool, device, strlen(device), &key))
		return 0;
	for (size_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].key == key)
			return s->devices[i].steps;
	return 0;
}

/* Makes it a series of `all` steps, of which `before` come before those that it has, in `most` cells.
 * The others have no time. */
static int place_series(struct series *series, int64_t before, int64_t all, size_t most)
{
	struct series placed = *series;
	placed.steps = all;
	placed.width = series_width(all, most);
	placed.width = placed.width > series->width ? placed.width : series->width;
	placed.ns = calloc(series_cells(all, placed.width), sizeof(*placed.ns));
	if (!placed.ns)
		return -ENOMEM;
	for (size_t i = 0; i < series_cells(series->steps, series->width); i++)
		placed.ns[(before + (int64_t)i * series->width) / placed.width] += series->ns[i];
	free(series->ns);
	*series = placed;
	return 0;
}

/* Of steps without numbers the places count from the first stretch. */
static void place_spreads(struct summary *next, uint32_t device, int64_t before, int64_t steps)
{
	bool numbered = false;
	for (size_t i = 0; i < next->n_spreads; i++)
		numbered |= next->spreads[i].device == device && next->spreads[i].worst_step >= steps;
	for (size_t i = 0; !numbered && i < next->n_spreads; i++)
		if (next->spreads[i].device == device)
			next->spreads[i].worst_step += before;
}

static int place_device(struct summary *sum, struct summary *next,
						const struct device_summary *device)
{
	const int64_t before = steps_of(sum, summary_text(next, device->key));
	const size_t devices = sum->n_devices > next->n_devices ? sum->n_devices : next->n_devices;
	int error = before > BATON_S_STEPS_MOST - device->steps ? -EOVERFLOW : 0;
	if (!error)
		place_spreads(next, device->key, before, device->steps);
	for (size_t i = 0; !error && i < next->n_series; i++)
		if (next->series[i].device == device->key)
			error = place_series(&next->series[i], before, before + next->series[i].steps,
								 series_most(devices));
	return error;
}

/* A series that a stretch has nothing of goes on with nothing. */
static int extend_series(struct summary *sum)
{
	int error = 0;
	for (size_t i = 0; !error && i < sum->n_series; i++) {
		struct series *series = &sum->series[i];
		const int64_t all = steps_of(sum, summary_text(sum, series->device));
		if (all > series->steps)
			error = place_series(series, 0, all, series_most(sum->n_devices));
	}
	return error;
}

/* The first stretch knows when the ranks entered their first step, the last one what follows after
 * the last step. */
static void place_ends(struct summary *sum, struct summary *next)
{
	for (size_t i = 0; i < next->n_steps; i++) {
		struct steps_summary *row = &next->steps[i];
		const char *device = summary_text(next, row->device);
		struct steps_summary *before = steps_of(sum, device) ? summary_steps(sum, device) : NULL;
		if (!before)
			continue;
		row->entered_ns = before->entered_ns;
		row->entered_after = before->entered_after;
		before->tail = row->tail;
	}
}

/* ---- what is true of all ---- */

static int by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return x < y ? -1 : x > y;
}

/* The union, ascending. */
static int join_ranks(struct run_summary *run, const struct run_summary *next)
{
	int32_t *ranks = malloc(((size_t)run->n_ranks + next->n_ranks + 1) * sizeof(*ranks));
	uint32_t n = 0, all = 0;
	if (!ranks)
		return -ENOMEM;
	if (run->n_ranks)
		memcpy(ranks, run->ranks, run->n_ranks * sizeof(*ranks));
	if (next->n_ranks)
		memcpy(ranks + run->n_ranks, next->ranks, next->n_ranks * sizeof(*ranks));
	all = run->n_ranks + next->n_ranks;
	sort_rows(ranks, all, sizeof(*ranks), by_number);
	for (uint32_t i = 0; i < all; i++)
		if (n == 0 || ranks[n - 1] != ranks[i])
			ranks[n++] = ranks[i];
	free(run->ranks);
	run->ranks = ranks;
	run->n_ranks = n;
	return 0;
}

/* Of the ranks that some stretch misses those that none has. */
static int join_missing(struct run_summary *run, const struct run_summary *next)
{
	const size_t room = (size_t)next->n_missing_ranks + 1;
	int32_t *missing = malloc(room * sizeof(*missing));
	uint32_t n = 0, at = 0;
	if (!missing)
		return -ENOMEM;
	for (uint32_t i = 0; i < next->n_missing_ranks; i++) {
		const int32_t rank = next->missing_ranks[i];
		while (at < run->n_ranks && run->ranks[at] < rank)
			at++;
		if (at == run->n_ranks || run->ranks[at] != rank)
			missing[n++] = rank;
	}
	free(run->missing_ranks);
	run->missing_ranks = missing;
	run->n_missing_ranks = n;
	return 0;
}

static int join_run(struct summary *sum, const struct summary *next)
{
	struct run_summary *run = &sum->run;
	const uint32_t texts[] = {next->run.step_source, next->run.mode, next->run.source,
							  next->run.run_id};
	uint32_t *into[] = {&run->step_source, &run->mode, &run->source, &run->run_id};
	int error = 0;
	for (size_t i = 0; !error && i < sizeof(texts) / sizeof(texts[0]); i++)
		error = summary_string(sum, summary_text(next, texts[i]), into[i]);
	run->world_size = next->run.world_size;
	run->hosts = next->run.hosts > run->hosts ? next->run.hosts : run->hosts;
	error = error ? error : join_ranks(run, &next->run);
	return error ? error : join_missing(run, &next->run);
}

/* ---- bounds ---- */

static int fold_kernel(struct summary *s, void *row)
{
	struct kernel_summary *kernel = row;
	return summary_string(s, REST_NAME, &kernel->name);
}

static int fold_nccl(struct summary *s, void *row)
{
	struct nccl_summary *nccl = row;
	(void)s;
	nccl->comm = 0;
	nccl->bytes = -1;
	return 0;
}

static int fold_site(struct summary *s, void *row)
{
	struct site_summary *site = row;
	if (site->kind != SITE_REST)
		site->rows = 1;
	site->kind = SITE_REST;
	site->backward = 0;
	return summary_string(s, REST_NAME, &site->what);
}

struct span { /* of the rows of a kind */
	enum row_kind kind;
	size_t from, to;
};

/* Takes the rows out of their table, and with `fold` adds each to the row that has the key which it
 * gives them. */
static int take_out(struct summary *s, struct span span, int (*fold)(struct summary *, void *))
{
	const enum row_kind kind = span.kind;
	struct summary_rows *rows = &s->rows[kind];
	const size_t bytes = row_rules[kind].shape.row_bytes, n = span.to - span.from;
	char *at = (char *)rows->at + span.from * bytes;
	char *out = malloc(n * bytes);
	int error = out ? 0 : -ENOMEM;
	if (error)
		return error;
	memcpy(out, at, n * bytes);
	memmove(at, at + n * bytes, (rows->n - span.to) * bytes);
	rows->n -= n;
	table_free(&rows->index);
	for (size_t i = 0; i < n; i++) {
		char *row = out + i * bytes;
		if (!error && fold)
			error = fold(s, row);
		if (!error && fold)
			error = summary_add(s, kind, row);
		if (row_rules[kind].free)
			row_rules[kind].free(row);
	}
	free(out);
	return error;
}

static int bound_rows(struct summary *s, enum row_kind kind, size_t most,
					  int (*fold)(struct summary *, void *))
{
	const size_t n = s->rows[kind].n;
	return n > most ? take_out(s, (struct span){kind, most, n}, fold) : 0;
}

/* They are sorted by what they stand for, then the project's own, then the dearest. */
static int bound_sites(struct summary *s)
{
	int error = 0;
	for (int by = SITE_BY_END - 1; !error && by >= SITE_LINE; by--) {
		size_t from = 0, to;
		while (from < s->n_sites && s->sites[from].by < (uint32_t)by)
			from++;
		for (to = from; to < s->n_sites && s->sites[to].by == (uint32_t)by;)
			to++;
		if (to - from > STRETCHES_SITES)
			error = take_out(s, (struct span){ROW_SITE, from + STRETCHES_SITES, to}, fold_site);
		if (!error)
			summary_sort(s);
	}
	return error;
}

static int round_counts(struct summary *s)
{
	int error = 0;
	for (size_t i = 0; !error && i < s->n_devices; i++)
		error = counts_round(&s->devices[i].step_ns, STRETCHES_EXACT);
	for (size_t i = 0; !error && i < s->n_kernels; i++)
		error = counts_round(&s->kernels[i].dur_ns, STRETCHES_EXACT);
	return error;
}

/* The rows are sorted: the dearest come first. */
static int bound(struct summary *s)
{
	int error = round_counts(s);
	if (!error)
		error = bound_rows(s, ROW_KERNEL, STRETCHES_KERNELS, fold_kernel);
	if (!error)
		error = bound_rows(s, ROW_NCCL, STRETCHES_NCCL, fold_nccl);
	if (!error)
		error = bound_rows(s, ROW_EVIDENCE, STRETCHES_EVIDENCE, NULL);
	if (!error)
		error = bound_rows(s, ROW_STALL, STRETCHES_STALLS, NULL);
	return error ? error : bound_sites(s);
}

/* ---- one more ---- */

int stretches_add(struct summary *sum, struct summary *next)
{
	const struct quality before = sum->quality, *after = &next->quality;
	int error = 0;
	for (size_t i = 0; !error && i < next->n_devices; i++)
		error = place_device(sum, next, &next->devices[i]);
	if (error)
		return error;
	place_ends(sum, next);
	error = summary_merge(sum, next);
	if (!error)
		error = extend_series(sum);
	if (!error)
		error = join_run(sum, next);
	if (error)
		return error;
	const bool first = before.stretches_to_ns == 0;
	sum->quality.stretches_from_ns = first ? after->stretches_from_ns : before.stretches_from_ns;
	sum->quality.stretches_to_ns = after->stretches_to_ns;
	if (!first && after->stretches_from_ns > before.stretches_to_ns)
		sum->quality.stretches_missing_ns += after->stretches_from_ns - before.stretches_to_ns;
	summary_sort(sum);
	error = bound(sum);
	summary_sort(sum);
	return error;
}
