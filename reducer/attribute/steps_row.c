#include "attribute/steps_row.h"

#include <errno.h>

/* What is launched after the last step, where that is more than a tenth of the ops. */
static enum steps_tail tail_of(const struct step_fit *fit, const struct steps_ops *ops)
{
	if (10 * ops->after <= ops->n || fit->after == 0)
		return TAIL_SHORT;
	if (2 * fit->after_own < fit->after)
		return TAIL_OTHER;
	return fit->after_p10 >= 1000 && 2 * fit->after_p10 >= fit->after_p50 ? TAIL_STEPS : TAIL_PART;
}

/* When the first counted step began, after how many that are cut. */
static void note_entered(const struct steps *steps, struct steps_summary *row)
{
	uint32_t i = 0;
	while (i < steps->n_markers && steps->markers[i].step < 0)
		i++;
	const bool known = i < steps->n_markers && steps->markers[i].begin_ns >= 0;
	row->entered_ns = known ? steps->markers[i].begin_ns : -1;
	row->entered_after = i;
}

/* Whose steps they are, and the way in which others were found. */
static int note_choice(const struct device_scan *scan, struct summary *summary,
					   struct steps_summary *row)
{
	const struct loop_choice *loop = &scan->steps.loop;
	const struct other_way *other = &scan->other;
	row->loops = loop->loops;
	row->loops_here = loop->here;
	row->beside = loop->beside < INT32_MAX ? (uint32_t)loop->beside : INT32_MAX;
	row->other_way = other->way;
	row->other_first = other->instead;
	row->other_steps = other->steps;
	row->other_looked = other->fit.looked;
	row->other_complete = other->fit.complete;
	row->other_inside = other->fit.inside;
	row->other_outside = other->fit.outside;
	return loop->thread[0] ? summary_string(summary, loop->thread, &row->thread) : 0;
}

int steps_row_store(const struct device_scan *scan, const struct generations *generations,
					const struct steps_ops *ops, struct summary *summary, uint32_t key)
{
	if (scan->steps.n_steps == 0)
		return 0;
	struct steps_summary *row = summary_steps(summary, summary_text(summary, key));
	if (!row)
		return -ENOMEM;
	if (scan->steps.unit[0] && summary_string(summary, scan->steps.unit, &row->unit) != 0)
		return -ENOMEM;
	if (note_choice(scan, summary, row) != 0)
		return -ENOMEM;
	note_entered(&scan->steps, row);
	row->looked = scan->fit.looked;
	row->complete = scan->fit.complete;
	if (generations && generations->n > 1) {
		row->generation = generations->answered;
		row->generations = generations->n;
		row->left_out = generations->left_out;
	}
	row->tail = tail_of(&scan->fit, ops);
	row->found = scan->given ? FOUND_TOGETHER : scan->by_graphs ? FOUND_GRAPHS : FOUND_ALONE;
	row->ops_before = ops->before;
	row->ops_inside = ops->inside;
	row->ops_after = ops->after;
	if (scan->window_from > device_scan_from(scan))
		row->before_ns = scan->window_from - device_scan_from(scan);
	if (device_scan_to(scan) > scan->window_to)
		row->after_ns = device_scan_to(scan) - scan->window_to;
	return 0;
}
