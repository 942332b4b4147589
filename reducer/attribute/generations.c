#include "attribute/generations.h"

#include "base/saturate.h"
#include "steps/optimizer.h"

#include <errno.h>
#include <stdlib.h>

enum { LEAST_STEPS = 3, LEAST_SHARE = 4 }; /* at least 3, and a quarter of the most any has */

struct span { /* of a process's calls */
	int64_t first_ns, last_ns;
	uint64_t ops;
	int32_t steps; /* by markers or optimizers */
	uint64_t work; /* steps; ops where no process has steps */
};

/* All times, or those of the part of a run that is asked for: [from_ns, to_ns). */
struct within {
	int64_t from_ns, to_ns;
};

static struct within asked_for(const struct reduce_options *options)
{
	if (!options->only_time)
		return (struct within){INT64_MIN, INT64_MAX};
	return (struct within){options->time.from_ns, options->time.to_ns};
}

/* From the index of the file: no row is read. */
static void measure(const struct trace *trace, struct within within, struct span *span)
{
	*span = (struct span){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
	for (size_t i = 0; i < trace->reader.n_entries; i++) {
		const struct baton_entry *entry = &trace->reader.entries[i];
		if (entry->kind == BATON_OP && entry->t_min_ns < within.to_ns &&
			entry->t_max_ns >= within.from_ns)
			span->ops += entry->rows;
		if (entry->kind != BATON_CALL)
			continue;
		span->first_ns = entry->t_min_ns < span->first_ns ? entry->t_min_ns : span->first_ns;
		span->last_ns = entry->t_max_ns > span->last_ns ? entry->t_max_ns : span->last_ns;
	}
}

static int count_steps(struct trace *trace, const struct step_names *by, struct within within,
					   int32_t *n)
{
	struct steps steps;
	int error = steps_find(trace, by, &steps);
	if (!error && steps.n_steps == 0) {
		steps_free(&steps);
		error = steps_from_optimizer(trace, NULL, &steps);
	}
	*n = steps.n_steps;
	if (steps.n_steps && within.from_ns != INT64_MIN)
		*n = steps_keep_time(&steps, within.from_ns, within.to_ns);
	steps_free(&steps);
	return error;
}

static int measure_process(const struct device_context *context, uint32_t process,
						   struct span *span)
{
	const struct step_names by = {context->names, context->step_range, NULL};
	struct trace trace;
	const struct run *run = context->run;
	const struct within within = asked_for(context->options);
	int error = run_process_open(&run->processes[process], &trace, run->damage);
	if (error)
		return error;
	measure(&trace, within, span);
	error = count_steps(&trace, &by, within, &span->steps);
	trace_close(&trace);
	return error;
}

static bool same_rank(const struct run *run, uint32_t a, uint32_t b)
{
	return run->processes[a].rank >= 0 && run->processes[a].rank == run->processes[b].rank;
}

/* Was process a of the same rank gone before b launched anything? What the launcher says goes before
 * what the times say. */
static bool before(const struct run *run, const struct span *spans, uint32_t a, uint32_t b)
{
	if (!same_rank(run, a, b))
		return false;
	if (run->processes[a].generation != run->processes[b].generation)
		return run->processes[a].generation < run->processes[b].generation;
	return spans[a].last_ns <= spans[b].first_ns && spans[b].first_ns != INT64_MAX;
}

/* Only devices with several processes of one rank are worth a look. */
static bool was_restarted(const struct run *run)
{
	for (size_t d = 0; d < run->n_devices; d++) {
		const struct run_device *device = &run->devices[d];
		for (uint32_t i = 1; i < device->n_processes; i++)
			if (same_rank(run, device->processes[i - 1], device->processes[i]))
				return true;
	}
	return false;
}

/* A process is one generation later than the latest that was gone before it began. */
static void number_device(const struct run *run, const struct run_device *device,
						  const struct span *spans, struct generations *g)
{
	bool changed = true;
	for (uint32_t round = 0; changed && round < device->n_processes; round++) {
		changed = false;
		for (uint32_t i = 0; i < device->n_processes; i++)
			for (uint32_t k = 0; k < device->n_processes; k++) {
				const uint32_t a = device->processes[i], b = device->processes[k];
				if (!before(run, spans, a, b) || g->of_process[b] > g->of_process[a])
					continue;
				g->of_process[b] = g->of_process[a] + 1;
				g->n = g->of_process[b] > g->n ? g->of_process[b] : g->n;
				changed = true;
			}
	}
}

static void measure_work(const struct run *run, struct span *spans)
{
	bool marked = false;
	for (size_t i = 0; i < run->n_processes; i++)
		marked |= spans[i].steps > 0;
	for (size_t i = 0; i < run->n_processes; i++)
		spans[i].work = marked ? (uint64_t)spans[i].steps : spans[i].ops;
}

/* The last generation that did a good part of the work, and `least` of it. */
static void choose(const struct run *run, const struct span *spans, uint64_t least,
				   struct generations *g)
{
	uint64_t most = 0;
	for (uint32_t round = 0; round < 2; round++)
		for (size_t i = 0; i < run->n_processes; i++) {
			const uint64_t work = spans[i].work;
			const bool enough = work >= least && LEAST_SHARE * work >= most;
			if (round == 0)
				most = work > most ? work : most;
			else if (enough && g->of_process[i] > g->answered)
				g->answered = g->of_process[i];
		}
	g->answered = g->answered ? g->answered : g->n;
}

/* Counts what of a generation does not count. */
static void leave_out(const struct run *run, const struct span *spans, struct within within,
					  uint32_t generation, struct generations *g)
{
	uint64_t steps = 0;
	int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct span *span = &spans[i];
		if (g->of_process[i] != generation || span->work == 0)
			continue;
		steps = (uint64_t)span->steps > steps ? (uint64_t)span->steps : steps;
		from_ns = span->first_ns < from_ns ? span->first_ns : from_ns;
		to_ns = span->last_ns > to_ns ? span->last_ns : to_ns;
	}
	g->left_out += steps;
	from_ns = from_ns > within.from_ns ? from_ns : within.from_ns;
	to_ns = to_ns < within.to_ns ? to_ns : within.to_ns;
	if (from_ns < to_ns)
		g->left_out_ns = saturate_add(g->left_out_ns, saturate_sub(to_ns, from_ns));
}

int generations_find(const struct device_context *context, struct generations *g)
{
	const struct run *run = context->run;
	*g = (struct generations){.n = 1, .answered = 0};
	if (!was_restarted(run))
		return 0;
	struct span *spans = calloc(run->n_processes, sizeof(*spans));
	g->of_process = calloc(run->n_processes, sizeof(*g->of_process));
	int error = spans && g->of_process ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < run->n_processes; i++) {
		g->of_process[i] = 1;
		error = measure_process(context, (uint32_t)i, &spans[i]);
	}
	if (!error)
		measure_work(run, spans);
	for (size_t i = 0; !error && i < run->n_devices; i++)
		number_device(run, &run->devices[i], spans, g);
	if (!error && g->n > 1)
		choose(run, spans, context->options->only_time ? 1 : LEAST_STEPS, g);
	for (uint32_t n = 1; !error && g->n > 1 && n <= g->n; n++)
		if (n != g->answered)
			leave_out(run, spans, asked_for(context->options), n, g);
	free(spans);
	return error;
}

void generations_free(struct generations *g)
{
	free(g->of_process);
	*g = (struct generations){0};
}
