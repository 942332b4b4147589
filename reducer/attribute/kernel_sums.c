#include "attribute/kernel_sums.h"

#include "base/room.h"
#include "base/saturate.h"

#include <errno.h>
#include <stdlib.h>

/* Copies and sets often have no name of their own in a source. */
static const char *const copy_names[COPY_DIRECTIONS] = {"[CUDA memcpy]",      "[CUDA memcpy HtoD]",
														"[CUDA memcpy DtoH]", "[CUDA memcpy DtoD]",
														"[CUDA memcpy HtoH]", "[CUDA memcpy PtoP]"};
static const char set_name[] = "[CUDA memset]", graph_name[] = "[CUDA graph]";

const char *kernel_sums_name(const struct feed *feed, const struct op *op)
{
	if (op->kind == BATON_KERNEL || op->name != 0)
		return feed_text(feed, op->name);
	if (op->kind == BATON_MEMSET)
		return set_name;
	if (op->kind == BATON_GRAPH)
		return graph_name;
	return copy_names[op->copy_dir < COPY_DIRECTIONS ? op->copy_dir : 0];
}

int kernel_sums_open(struct kernel_sums *sums, const struct device_feeds *ds)
{
	*sums = (struct kernel_sums){.ds = ds, .named = calloc(ds->n, sizeof(*sums->named))};
	if (!sums->named)
		return -ENOMEM;
	for (uint32_t i = 0; i < ds->n; i++) {
		sums->named[i] = calloc(ds->feeds[i].trace.strings.n, sizeof(**sums->named));
		if (!sums->named[i])
			return -ENOMEM;
	}
	return 0;
}

static void sum_free(struct kernel_sum *sum)
{
	free(sum->durs);
	counts_free(&sum->dur_ns);
}

void kernel_sums_close(struct kernel_sums *sums)
{
	for (uint32_t i = 0; sums->named && i < sums->ds->n; i++) {
		for (uint32_t n = 0; sums->named[i] && n < sums->ds->feeds[i].trace.strings.n; n++)
			sum_free(&sums->named[i][n]);
		free(sums->named[i]);
	}
	for (unsigned d = 0; d < COPY_DIRECTIONS; d++)
		sum_free(&sums->copies[d]);
	sum_free(&sums->sets);
	sum_free(&sums->graphs);
	free(sums->named);
	sums->named = NULL;
}

static struct kernel_sum *sum_of(struct kernel_sums *sums, const struct op *op)
{
	if (op->kind == BATON_KERNEL || op->name != 0)
		return &sums->named[op->feed][op->name];
	if (op->kind == BATON_MEMSET)
		return &sums->sets;
	if (op->kind == BATON_GRAPH)
		return &sums->graphs;
	return &sums->copies[op->copy_dir < COPY_DIRECTIONS ? op->copy_dir : 0];
}

/* What the list has no room for. */
static int count_duration(struct kernel_sum *sum, int64_t dur_ns)
{
	int error = 0;
	if (sum->count > DURATIONS_LISTED) { /* it ran often: from now on its durations are counted */
		error = counts_add_each(&sum->dur_ns, sum->durs, sum->n_durs);
		free(sum->durs);
		sum->durs = NULL;
		sum->n_durs = sum->durs_room = 0;
	}
	return error ? error : counts_one(&sum->dur_ns, dur_ns);
}

int kernel_sums_add_any(struct kernel_sum *sum, int64_t dur_ns)
{
	sum->count++;
	sum->total_ns = saturate_add(sum->total_ns, dur_ns);
	if (dur_ns > UINT32_MAX || sum->count > DURATIONS_LISTED)
		return count_duration(sum, dur_ns);
	if (room_for((void **)&sum->durs, sum->n_durs, &sum->durs_room, 64, sizeof(*sum->durs)) != 0)
		return -ENOMEM;
	sum->durs[sum->n_durs++] = (uint32_t)dur_ns;
	return 0;
}

int kernel_sums_add(struct kernel_sums *sums, const struct op *op)
{
	return kernel_sums_add_any(sum_of(sums, op), op->end - op->start);
}

static int store(struct summary *summary, const char *name, const struct kernel_class *class,
				 struct kernel_sum *sum)
{
	if (sum->count == 0)
		return 0;
	struct kernel_summary *row = summary_kernel(summary, name, class->class_name);
	if (!row)
		return -ENOMEM;
	row->group = (uint8_t) class->group;
	row->tensor_core = (int8_t) class->tensor_core;
	row->count += sum->count;
	row->total_ns = saturate_add(row->total_ns, sum->total_ns);
	summary->quality.rounded_quantiles += sum->dur_ns.rounded;
	const int error = counts_merge(&row->dur_ns, &sum->dur_ns);
	return error ? error : counts_add_each(&row->dur_ns, sum->durs, sum->n_durs);
}

int kernel_sums_store(struct kernel_sums *sums, struct summary *summary)
{
	const struct kernel_class copy = {.group = GROUP_MEMORY, .class_name = "memory.memcpy"};
	const struct kernel_class set = {.group = GROUP_MEMORY, .class_name = "memory.memset"};
	const struct kernel_class graph = {.group = GROUP_OTHER, .class_name = "graph"};
	int error = 0;
	for (uint32_t i = 0; !error && i < sums->ds->n; i++) {
		struct feed *feed = &sums->ds->feeds[i];
		for (uint32_t n = 0; !error && n < feed->trace.strings.n; n++)
			if (sums->named[i][n].count)
				error =
					store(summary, feed_text(feed, n), feed_kernel(feed, n), &sums->named[i][n]);
	}
	for (unsigned d = 0; !error && d < COPY_DIRECTIONS; d++)
		error = store(summary, copy_names[d], &copy, &sums->copies[d]);
	error = error ? error : store(summary, set_name, &set, &sums->sets);
	return error ? error : store(summary, graph_name, &graph, &sums->graphs);
}
