#include "conclude/step_trust.h"

#include "conclude/figures.h"

#include <math.h>

/* Sums of numbers that a summary file bounds one by one. */
struct sums {
	unsigned __int128 looked, complete, before, inside, after, outside_ns, steps;
};

const char *step_trust_way(enum steps_way way)
{
	static const enum step_source sources[] = {[WAY_NONE] = STEPS_NONE,
											   [WAY_MARKER] = STEPS_MARKER,
											   [WAY_OPTIMIZER] = STEPS_OPTIMIZER,
											   [WAY_PERIOD] = STEPS_PERIODICITY};
	return step_source_name(sources[way]);
}

static struct sums add_up(const struct summary *summary)
{
	struct sums sums = {0};
	for (size_t i = 0; i < summary->n_steps; i++) {
		const struct steps_summary *row = &summary->steps[i];
		sums.looked += row->looked;
		sums.complete += row->complete;
		sums.before += row->ops_before;
		sums.inside += row->ops_inside;
		sums.after += row->ops_after;
		sums.outside_ns += (uint64_t)row->before_ns + (uint64_t)row->after_ns;
	}
	for (size_t i = 0; i < summary->n_devices; i++)
		sums.steps += (uint64_t)summary->devices[i].steps;
	return sums;
}

/* More than a tenth of all ops, more than two steps, and more than `cut` steps had. */
static bool much(unsigned __int128 ops, const struct sums *sums, uint64_t cut)
{
	unsigned __int128 all = sums->before + sums->inside + sums->after;
	unsigned __int128 usual = (cut + 2) * sums->inside / (sums->steps ? sums->steps : 1);
	return ops > usual && 10 * (ops - usual) > all;
}

static double ratio(unsigned __int128 part, unsigned __int128 rest)
{
	return part + rest ? (double)part / (double)(part + rest) : NAN;
}

static void compute_other(const struct summary *summary, struct step_trust *trust)
{
	unsigned __int128 looked = 0, complete = 0, inside = 0, outside = 0, steps = 0;
	for (size_t i = 0; i < summary->n_steps; i++) {
		const struct steps_summary *row = &summary->steps[i];
		if (row->other_way == WAY_NONE)
			continue;
		trust->other.way = (enum steps_way)row->other_way;
		trust->other.first = row->other_first != 0;
		trust->other.devices++;
		steps += row->other_steps;
		looked += row->other_looked;
		complete += row->other_complete;
		inside += row->other_inside;
		outside += row->other_outside;
	}
	trust->other.steps = (uint64_t)steps;
	trust->other.confidence = looked ? (double)complete / (double)looked : NAN;
	trust->other.inside = ratio(inside, outside);
}

static void compute_loops(const struct summary *summary, struct step_trust *trust)
{
	for (size_t i = 0; i < summary->n_steps; i++) {
		const struct steps_summary *row = &summary->steps[i];
		if (row->loops == 0 || (trust->loops.all && row->loops_here <= trust->loops.here))
			continue;
		trust->loops.thread = summary_text(summary, row->thread);
		trust->loops.all = row->loops;
		trust->loops.here = row->loops_here;
		trust->loops.beside = row->beside;
	}
}

void step_trust_compute(const struct summary *summary, struct step_trust *trust)
{
	const struct sums sums = add_up(summary);
	const double all = (double)(sums.before + sums.inside + sums.after);
	*trust = (struct step_trust){.confidence = NAN, .inside = NAN, .unit = ""};
	if (sums.looked)
		trust->confidence = (double)sums.complete / (double)sums.looked;
	if (summary->n_steps == 0 || all <= 0)
		return;
	compute_other(summary, trust);
	compute_loops(summary, trust);
	trust->added_up = summary->quality.stretches > 1;
	trust->inside = (double)sums.inside / all;
	trust->before = (double)sums.before / all;
	trust->after = (double)sums.after / all;
	trust->ops_outside = (uint64_t)(sums.before + sums.after);
	trust->outside_ns = (int64_t)(sums.outside_ns / summary->n_steps);
	trust->much_before = much(sums.before, &sums, summary->quality.steps_cut);
	trust->much_after = much(sums.after, &sums, 0);
	for (size_t i = 0; i < summary->n_steps; i++) {
		const struct steps_summary *row = &summary->steps[i];
		trust->tail = row->tail > trust->tail ? row->tail : trust->tail;
		trust->generation =
			row->generation > trust->generation ? row->generation : trust->generation;
		trust->generations =
			row->generations > trust->generations ? row->generations : trust->generations;
		trust->left_out = row->left_out > trust->left_out ? row->left_out : trust->left_out;
		if (!trust->unit[0])
			trust->unit = summary_text(summary, row->unit);
	}
}

const struct steps_summary *step_trust_device(const struct summary *summary, uint32_t key)
{
	for (size_t i = 0; i < summary->n_steps; i++)
		if (summary->steps[i].device == key)
			return &summary->steps[i];
	return NULL;
}
