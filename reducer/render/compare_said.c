#include "render/compare_said.h"

#include "conclude/clocks.h"

#include <math.h>
#include <string.h>

#define CLOCK_MOST 0.35 /* no clock of a GPU that works moves by more */

size_t compare_count_other(const struct comparison *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		n += c->work[i].other != WORK_AS_WANTED;
	return n;
}

static bool nothing_changed(const struct change *change, const struct charged *charged)
{
	bool none = change->known && !change->loss.changed;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		none &= !charged->ranges[leaf].changed;
	return none;
}

void compare_scales(const struct screen *screen, const struct comparison *c)
{
	char list[400] = "";
	size_t used = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (i == c->result->base)
			continue;
		if (!nothing_changed(&c->changes[i], &c->charged[i]))
			return;
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%.1f %%",
									 used ? ", " : "", 100 * c->runs[i].efficiency);
	}
	screen_title_wrap(screen, 2, "scales: %s; nothing above the noise", list);
}

static void say_other(const struct screen *screen, const struct comparison *c, size_t i)
{
	const struct work *work = &c->work[i];
	const char *name = c->names[i], *base = c->names[c->result->base];
	const bool has = c->runs[i].figures->has_steps;
	switch (work->other) {
	case WORK_STEP_AND_RUN:
		screen_title_wrap(screen, 2,
						  "Different work, no speed-up: %s has steps and %s has none, so a step "
						  "would stand against a whole run",
						  has ? name : base, has ? base : name);
		break;
	case WORK_WINDOWS:
		screen_title_wrap(
			screen, 2,
			"Different work, no speed-up: there are no steps, and only %.1f %% of the "
			"kernel launches are in both runs (%s)",
			100 * work->shared, name);
		break;
	case WORK_KERNELS:
		screen_title_wrap(screen, 2,
						  "Different work, no speed-up: %.1f matmuls per step and GPU in %s, %.1f "
						  "in the base; %.1f %% of the kernel launches are in both",
						  work->matmuls[1], name, work->matmuls[0], 100 * work->shared);
		break;
	case WORK_AS_WANTED:
		break;
	}
}

void compare_other_work(const struct screen *screen, const struct comparison *c, size_t i)
{
	say_other(screen, c, i);
	if (c->work[i].other == WORK_STEP_AND_RUN)
		screen_wrap(screen, 2,
					"  Find steps in both (--steps period, --step-range NAME), or compare whole "
					"runs of the same work (--steps none)");
	else
		screen_wrap(screen, 2,
					"  If both did the same work, with kernels that were changed, say so: "
					"--scaling weak (the work of a GPU is the same) or strong (the whole is)");
}

void compare_slower(const struct screen *screen, const struct comparison *c, size_t i)
{
	const struct work *work = &c->work[i];
	const bool of_base = work->base_slower_rank >= 0;
	const double slower = of_base ? work->base_slower : work->slower;
	struct clocks_change clocks;
	char who[60] = "The GPUs run";
	if (isnan(slower))
		return;
	if (of_base)
		snprintf(who, sizeof(who), "In the base the GPU of rank %d runs", work->base_slower_rank);
	else if (work->slower_rank >= 0)
		snprintf(who, sizeof(who), "The GPU of rank %d runs", work->slower_rank);
	const bool known = clocks_changed(c->summaries[c->result->base], c->summaries[i], &clocks);
	const char *why = fabs(slower) > CLOCK_MOST
						  ? ": another batch size, precision or GPU?"
						  : (known        ? ""
							 : slower > 0 ? ": check clocks, power and temperature"
										  : ": another clock?");
	screen_wrap(screen, 6, "    %s the same kernels %.1f %% %s%s", who, 100 * fabs(slower),
				slower > 0 ? "slower" : "faster", why);
}

void compare_confidence(const struct screen *screen, const struct comparison *c)
{
	bool known = false, unknown = false;
	bool several = c->sides[c->result->base].side->n > 1;
	for (size_t i = 0; i < c->n; i++) {
		if (i == c->result->base || c->work[i].other)
			continue;
		known |= c->changes[i].known;
		several |= c->changes[i].known && c->sides[i].side->n > 1;
		unknown |= !c->changes[i].known;
	}
	if (known || unknown)
		screen_line(screen, "%s", "");
	if (known)
		screen_wrap(screen, 2,
					"+- is noise: 99 %% of what other steps of the same runs would give (a term: "
					"99.4 %%)%s",
					several ? ", at least how far the runs of a side lie apart" : "");
	if (unknown)
		screen_wrap(screen, 2,
					"Noise is not known: a run has fewer than 8 steps, or no times by step");
}
