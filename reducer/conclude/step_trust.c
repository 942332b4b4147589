#include "conclude/step_trust.h"

#include <math.h>

/* Sums of numbers that a summary file bounds one by one. */
struct sums {
	unsigned __int128 looked, complete, before, inside, after, outside_ns, steps;
};

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

void step_trust_compute(const struct summary *summary, struct step_trust *trust)
{
	const struct sums sums = add_up(summary);
	const double all = (double)(sums.before + sums.inside + sums.after);
	*trust = (struct step_trust){.confidence = NAN, .inside = NAN, .unit = ""};
	if (sums.looked)
		trust->confidence = (double)sums.complete / (double)sums.looked;
	if (summary->n_steps == 0 || all <= 0)
		return;
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
