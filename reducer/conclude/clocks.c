#include "conclude/clocks.h"

#include "conclude/figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SORTED = 1 + READINGS - READING_SLOWED, MILLION = 1000000, PPM_A_PERCENT = 10000 };

/* The cause before what it causes, what ails a GPU before what any GPU may have. */
static const enum reading_kind reasons[] = {READING_HW_THERMAL, READING_HW_POWER_BRAKE,
											READING_SW_THERMAL, READING_HW_SLOWDOWN,
											READING_SW_POWER_CAP};
enum { REASONS = sizeof(reasons) / sizeof(reasons[0]) };

static int64_t ppm(const struct reading *reading)
{
	return reading->looks ? (int64_t)((__int128)MILLION * reading->sum / reading->looks) : -1;
}

static void sort_known(struct clocks_sorted *sorted, const struct summary *summary, int kind,
					   int64_t *room)
{
	*sorted = (struct clocks_sorted){room, 0};
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct reading *reading = &summary->devices[i].readings[kind];
		int64_t value = kind == READING_SM_MHZ ? reading_mean(reading) : ppm(reading);
		if (value >= 0)
			sorted->at[sorted->n++] = value;
	}
	figures_sort(sorted->at, sorted->n);
}

int clocks_open(struct clocks_all *all, const struct summary *summary)
{
	const size_t n = summary->n_devices;
	*all = (struct clocks_all){.room = malloc((n * SORTED + 1) * sizeof(*all->room))};
	if (!all->room)
		return -ENOMEM;
	sort_known(&all->mhz, summary, READING_SM_MHZ, all->room);
	for (int kind = READING_SLOWED; kind < READINGS; kind++)
		sort_known(&all->slowed[kind], summary, kind,
				   all->room + n * (size_t)(kind - READING_SLOWED + 1));
	return 0;
}

void clocks_close(struct clocks_all *all)
{
	free(all->room);
	*all = (struct clocks_all){0};
}

/* The median of the others; -1 when there are none. */
static int64_t median_but(const struct clocks_sorted *sorted, int64_t own)
{
	if (sorted->n < 2)
		return -1;
	size_t middle = (sorted->n - 2) / 2; /* of the others; its own one stands there or before */
	return sorted->at[middle + (own <= sorted->at[middle])];
}

bool clocks_among(const struct clocks_all *all, const struct device_summary *device,
				  struct clocks *clocks)
{
	clocks->own = reading_mean(&device->readings[READING_SM_MHZ]);
	clocks->others = median_but(&all->mhz, clocks->own);
	return clocks->own >= 0 && clocks->others >= 0;
}

bool clocks_compare(const struct summary *summary, size_t device, struct clocks *clocks)
{
	struct clocks_all all;
	bool known =
		clocks_open(&all, summary) == 0 && clocks_among(&all, &summary->devices[device], clocks);
	clocks_close(&all);
	return known;
}

bool clocks_lower(const struct clocks *clocks, int percent)
{
	return (__int128)100 * clocks->own < (__int128)(100 - percent) * clocks->others;
}

bool clocks_explain(const struct clocks *clocks, int64_t own_ns, int64_t others_ns)
{
	return (__int128)2 * (clocks->others - clocks->own) * others_ns >=
		   (__int128)(own_ns - others_ns) * clocks->own;
}

double clocks_slower_percent(const struct clocks *clocks)
{
	return 100.0 * (double)(clocks->others - clocks->own) / (double)clocks->own;
}

static int64_t excess_of(const struct clocks_reason *reason)
{
	return reason->own_ppm - (reason->others_ppm > 0 ? reason->others_ppm : 0);
}

struct clocks_reason clocks_reason(const struct clocks_all *all,
								   const struct reading readings[READINGS])
{
	struct clocks_reason worst = {READING_SLOWED, 0, -1};
	for (int i = 0; i < REASONS; i++) {
		struct clocks_reason reason = {reasons[i], ppm(&readings[reasons[i]]), -1};
		if (readings[reasons[i]].sum == 0)
			continue;
		reason.others_ppm = median_but(&all->slowed[reasons[i]], reason.own_ppm);
		if (worst.kind == READING_SLOWED
				? excess_of(&reason) >= 0
				: reason.others_ppm >= 0 && excess_of(&reason) > excess_of(&worst))
			worst = reason;
	}
	return worst;
}

void clocks_of_run(const struct summary *summary, struct reading all[READINGS])
{
	for (int kind = 0; kind < READINGS; kind++) {
		all[kind] = (struct reading){0};
		for (size_t i = 0; i < summary->n_devices; i++)
			reading_add(&all[kind], &summary->devices[i].readings[kind]);
	}
}

static bool all_named(const struct summary *summary, const char *name)
{
	for (size_t i = 0; i < summary->n_devices; i++)
		if (strcmp(summary_text(summary, summary->devices[i].name), name) != 0)
			return false;
	return true;
}

static bool same_model(const struct summary *base, const struct summary *run)
{
	const char *name = base->n_devices ? summary_text(base, base->devices[0].name) : "";
	return name[0] && all_named(base, name) && all_named(run, name);
}

bool clocks_changed(const struct summary *base, const struct summary *run,
					struct clocks_change *change)
{
	struct reading before[READINGS], after[READINGS];
	clocks_of_run(base, before);
	clocks_of_run(run, after);
	*change = (struct clocks_change){.before = reading_mean(&before[READING_SM_MHZ]),
									 .after = reading_mean(&after[READING_SM_MHZ]),
									 .kind = READING_SLOWED};
	const struct clocks fell = {change->after, change->before},
						rose = {change->before, change->after};
	const bool lower = clocks_lower(&fell, CLOCKS_TELL);
	if (change->before < 0 || change->after < 0 || (!lower && !clocks_lower(&rose, CLOCKS_TELL)) ||
		!same_model(base, run))
		return false;
	int64_t most = CLOCKS_SLOWED * PPM_A_PERCENT - 1;
	for (int i = 0; i < REASONS; i++) {
		int64_t was = ppm(&before[reasons[i]]), is = ppm(&after[reasons[i]]);
		int64_t more = lower ? is - was : was - is;
		if (was < 0 || is < 0 || more <= most)
			continue;
		most = more;
		change->kind = reasons[i];
		change->before_ppm = was;
		change->after_ppm = is;
	}
	return true;
}

static int64_t lower_ppm(const struct clocks_all *all, const struct device_summary *device)
{
	struct clocks clocks;
	if (!clocks_among(all, device, &clocks) || !clocks_lower(&clocks, CLOCKS_ALONE))
		return 0;
	return (int64_t)((__int128)MILLION * (clocks.others - clocks.own) / clocks.others);
}

bool clocks_stands_out(const struct clocks_all *all, const struct device_summary *device,
					   struct clocks_standing *standing)
{
	const struct clocks_reason worst = clocks_reason(all, device->readings);
	*standing = (struct clocks_standing){lower_ppm(all, device), excess_of(&worst), 0};
	if (worst.kind == READING_SLOWED)
		standing->excess = 0;
	for (int i = 0; i < REASONS; i++) {
		int64_t own = ppm(&device->readings[reasons[i]]);
		if (reasons[i] != READING_SW_POWER_CAP && own > standing->held_back)
			standing->held_back = own;
	}
	return standing->lower > 0 || standing->excess >= CLOCKS_SLOWED * PPM_A_PERCENT ||
		   standing->held_back >= CLOCKS_SLOWED * PPM_A_PERCENT;
}

int clocks_worse(const struct clocks_standing *a, const struct clocks_standing *b)
{
	if (a->lower != b->lower)
		return a->lower > b->lower ? -1 : 1;
	if (a->excess != b->excess)
		return a->excess > b->excess ? -1 : 1;
	return a->held_back > b->held_back ? -1 : a->held_back < b->held_back;
}
