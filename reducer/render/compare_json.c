#include "render/compare.h"
#include "render/compare_charged.h"
#include "render/compare_rows.h"
#include "render/json.h"
#include "conclude/clocks.h"

#include <string.h>

static void leaves_object(struct json *j, const char *key, const int64_t *ns, uint64_t carried)
{
	json_object(j, key);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (carried & LEAF_BIT(leaf))
			json_number(j, leaf_name((enum leaf)leaf), ns[leaf]);
	json_end_object(j);
}

/* What the bridge's two runs had of SM clock, where that differs. */
static void clock_object(struct json *j, const struct comparison *c, size_t i)
{
	struct clocks_change change;
	if (!clocks_changed(c->summaries[c->result->base], c->summaries[i], &change)) {
		json_null(j, "gpu_clock");
		return;
	}
	json_object(j, "gpu_clock");
	json_number(j, "base_sm_mhz", change.before);
	json_number(j, "sm_mhz", change.after);
	if (change.kind == READING_SLOWED) {
		json_null(j, "slowed");
	} else {
		json_object(j, "slowed");
		json_text(j, "reason", strchr(reading_name(change.kind), '.') + 1);
		json_ratio(j, "base", (double)change.before_ppm / 1e6);
		json_ratio(j, "run", (double)change.after_ppm / 1e6);
		json_end_object(j);
	}
	json_end_object(j);
}

static void term_ranges(struct json *j, const char *key, const struct change_range *ranges,
						uint64_t carried)
{
	json_object(j, key);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		if (!(carried & LEAF_BIT(leaf)))
			continue;
		json_object(j, leaf_name((enum leaf)leaf));
		json_bool(j, "changed", ranges[leaf].changed);
		json_number(j, "low_ns", ranges[leaf].low_ns);
		json_number(j, "high_ns", ranges[leaf].high_ns);
		json_end_object(j);
	}
	json_end_object(j);
}

/* Where the differences may be if other steps had been recorded; null: not known. */
static void noise_object(struct json *j, const struct change *change, const struct charged *charged,
						 uint64_t carried)
{
	if (!change->known) {
		json_null(j, "noise");
		return;
	}
	json_object(j, "noise");
	json_bool(j, "changed", change->loss.changed);
	json_number(j, "loss_low_ns", change->loss.low_ns);
	json_number(j, "loss_high_ns", change->loss.high_ns);
	term_ranges(j, "terms", change->terms, carried);
	term_ranges(j, "charged", charged->ranges, carried);
	json_end_object(j);
}

static void kernels_object(struct json *j, const struct work *work)
{
	json_object(j, "kernels");
	json_ratio(j, "shared", work->shared);
	json_ratio(j, "slower", work->slower);
	if (work->slower_rank < 0)
		json_null(j, "slower_rank");
	else
		json_number(j, "slower_rank", work->slower_rank);
	json_ratio(j, "base_slower", work->base_slower);
	json_known(j, "base_slower_rank", work->base_slower_rank);
	json_end_object(j);
}

static void run_object(struct json *j, const struct comparison *c, size_t i)
{
	const struct scaling_run *run = &c->runs[i];
	const struct figures *f = run->figures;
	json_object(j, NULL);
	json_text(j, "dir", c->names[i]);
	json_number(j, "repeats", (int64_t)c->sides[i].side->n);
	json_number(j, "repeats_spread_ns", side_spread(c->sides[i].side, LEAVES_ALL));
	json_number(j, "gpus", f->devices);
	json_number(j, "steps", f->steps);
	json_number(j, "step_ns", f->step_ns);
	json_ratio(j, "steps_per_s", f->step_ns > 0 ? 1e9 / (double)f->step_ns : 0);
	json_ratio(j, "efficiency", run->efficiency);
	json_number(j, "ideal_ns", run->ideal_ns);
	json_number(j, "loss_ns", run->loss_ns);
	leaves_object(j, "time_ns", f->time_ns, f->carried);
	json_end_object(j);
}

static void bridge_object(struct json *j, const struct comparison *c, size_t i)
{
	const struct scaling_run *base = &c->runs[c->result->base], *run = &c->runs[i];
	const uint64_t carried = base->figures->carried | run->figures->carried;
	json_object(j, NULL);
	json_number(j, "base", base->figures->devices);
	json_text(j, "base_dir", c->names[c->result->base]);
	json_number(j, "gpus", run->figures->devices);
	json_text(j, "dir", c->names[i]);
	if (c->work[i].other)
		json_text(j, "different_work", work_other_name(c->work[i].other));
	else
		json_null(j, "different_work");
	json_number(j, "loss_ns", run->loss_ns);
	leaves_object(j, "terms_ns", run->terms_ns, carried);
	leaves_object(j, "charged_ns", c->charged[i].terms_ns, carried);
	json_number(j, "residual_ns", run->residual_ns);
	compare_charged_json(j, c, i);
	noise_object(j, &c->changes[i], &c->charged[i], carried);
	clock_object(j, c, i);
	kernels_object(j, &c->work[i]);
	compare_rows_json(j, c, i);
	json_end_object(j);
}

void compare_json(const struct comparison *c, FILE *out)
{
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.compare/0");
	json_text(j, "scaling", c->result->scaling == SCALING_STRONG ? "strong" : "weak");
	json_bool(j, "scaling_sure", c->result->sure);
	if (c->part)
		json_text(j, "part", c->part);
	else
		json_null(j, "part");
	json_array(j, "runs");
	for (size_t i = 0; i < c->n; i++)
		run_object(j, c, i);
	json_end_array(j);
	json_array(j, "bridge");
	for (size_t i = 0; i < c->n; i++)
		if (i != c->result->base)
			bridge_object(j, c, i);
	json_end_array(j);
	json_end_object(j);
	fputc('\n', out);
}
