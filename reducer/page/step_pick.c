#include "page/step_pick.h"

#include "base/room.h"
#include "base/sort.h"
#include "summary/series.h"

#include <errno.h>
#include <string.h>

struct length {
	__int128 ns; /* sum of the devices */
	int64_t devices;
	int32_t step;
};

struct lengths {
	struct length *at; /* by step */
	size_t room;
	size_t n;
	int error;
};

static void add(struct lengths *all, size_t step, int64_t ns)
{
	if (!all->error)
		all->error = room_reach((void **)&all->at, &all->room, step, sizeof(*all->at));
	if (all->error)
		return;
	all->at[step].ns += ns;
	all->at[step].devices++;
	all->at[step].step = (int32_t)step;
	all->n = step >= all->n ? step + 1 : all->n;
}

static void take_step(const struct step_place *place, void *context)
{
	add(context, (size_t)place->step, place->window_to - place->window_from);
}

/* False: some device's cells are of several steps each. */
static bool take_series(struct lengths *all, const struct summary *summary)
{
	for (size_t i = 0; i < summary->n_series; i++) {
		const struct series *row = &summary->series[i];
		if (row->rank != -1 || strcmp(summary_text(summary, row->what), SERIES_STEP) != 0)
			continue;
		if (row->width != 1)
			return false;
		for (int64_t k = 0; k < row->steps; k++)
			add(all, (size_t)k, row->ns[k]);
	}
	return true;
}

/* By the mean of the devices that have the step; ties by place. Steps of no device come first. */
static int by_length(const void *a, const void *b)
{
	const struct length *x = a, *y = b;
	const __int128 p = x->ns * (y->devices ? y->devices : 1);
	const __int128 q = y->ns * (x->devices ? x->devices : 1);
	if ((x->devices == 0) != (y->devices == 0))
		return x->devices == 0 ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return x->step < y->step ? -1 : 1;
}

static void choose(struct lengths *all, struct step_pick picks[STEP_PICKS], size_t *n)
{
	size_t none = 0;
	sort_rows(all->at, all->n, sizeof(*all->at), by_length);
	while (none < all->n && all->at[none].devices == 0)
		none++;
	const size_t known = all->n - none;
	if (known == 0)
		return;
	if (known > 1)
		picks[(*n)++] =
			(struct step_pick){.step = all->at[none + (known - 1) / 2].step, .why = "median"};
	picks[(*n)++] =
		(struct step_pick){.step = all->at[all->n - 1].step, .why = known > 1 ? "slowest" : "only"};
}

static size_t place_of(const struct summary *summary, uint32_t key)
{
	size_t i = 0;
	while (i < summary->n_devices && summary->devices[i].key != key)
		i++;
	return i;
}

bool step_pick_worst(const struct summary *summary, const struct finding *finding, int64_t *number,
					 size_t *device)
{
	const uint64_t leaves = finding->leaf[0] ? leaf_names_under(finding->leaf) : 0;
	/* What others wait for a late rank is theirs, not the rank's. */
	const bool own = finding->whom.device_known && !(leaves & LEAVES_NCCL);
	const uint32_t key = own ? summary->devices[finding->whom.device].key : 0;
	const struct spread *worst = NULL;
	if (finding->rare.in > 0) {
		*number = finding->rare.worst_step;
		*device = finding->rare.device;
		return true;
	}
	for (size_t i = 0; i < summary->n_spreads; i++) {
		const struct spread *row = &summary->spreads[i];
		if (leaves & LEAF_BIT(row->leaf) && (!own || row->device == key) &&
			(!worst || row->worst_ns > worst->worst_ns))
			worst = row;
	}
	if (!worst)
		return false;
	*number = worst->worst_step;
	*device = place_of(summary, worst->device);
	return *device < summary->n_devices;
}

static void add_findings(const struct step_subject *subject, struct step_pick picks[STEP_PICKS],
						 size_t *n)
{
	const size_t first = *n;
	for (size_t i = 0; i < subject->findings->n && i < 64; i++) {
		const struct finding *finding = &subject->findings->at[i];
		size_t device, k = first;
		int64_t number;
		if (!finding_counts(finding) ||
			!step_pick_worst(subject->summary, finding, &number, &device))
			continue;
		while (k < *n && picks[k].number != number)
			k++;
		if (k == STEP_PICKS)
			continue;
		if (k == *n)
			picks[(*n)++] = (struct step_pick){.step = -1, .number = number, .why = "finding"};
		picks[k].findings |= UINT64_C(1) << i;
	}
}

int step_pick(const struct step_subject *subject, const struct export_job *job,
			  struct step_pick picks[STEP_PICKS], size_t *n)
{
	struct lengths all = {0};
	*n = 0;
	if (!take_series(&all, subject->summary)) {
		free(all.at);
		all = (struct lengths){0};
		job->reduce(job, &(struct reduce_options){.step = take_step, .step_context = &all});
	}
	if (!all.error)
		choose(&all, picks, n);
	if (!all.error && *n > 0)
		add_findings(subject, picks, n);
	free(all.at);
	return all.error;
}
