#include "conclude/work.h"

#include "base/sort.h"
#include "classify/classify.h"
#include "summary/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_COUNT 0.02    /* as often in a step */
#define ALIKE_TIME 0.90    /* so much of the kernels' time must be alike */
#define WINDOW_SHARED 0.98 /* whole runs: so many launches must be the same */
#define MATMULS 0.10       /* other models differ by more in them */
#define NAMES 0.5          /* and share less of their time by name */
#define SLOWER_LEAST 0.02
#define OF_ONE_RANK 0.75

struct kernel { /* launches of one name: of both runs, per step and device */
	const char *name;
	bool matmul;
	double count[2], ns[2];
};

struct kernels {
	struct kernel *at;
	size_t n;
};

static bool is_work(const struct kernel_summary *row)
{
	return row->group == GROUP_MATMUL || row->group == GROUP_MEMORY || row->group == GROUP_CUSTOM;
}

static double steps_of(const struct summary *s)
{
	double steps = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		steps += s->devices[i].steps > 0 ? (double)s->devices[i].steps : 1;
	return steps > 0 ? steps : 1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

static void take(struct kernels *kernels, const struct summary *s, int side)
{
	const double steps = steps_of(s);
	for (size_t i = 0; i < s->n_kernels; i++) {
		const struct kernel_summary *row = &s->kernels[i];
		if (!is_work(row))
			continue;
		struct kernel *k = &kernels->at[kernels->n++];
		*k = (struct kernel){summary_text(s, row->name), row->group == GROUP_MATMUL, {0}, {0}};
		k->count[side] = (double)row->count / steps;
		k->ns[side] = (double)row->total_ns / steps;
	}
}

/* The kernels of both, one row for each name. */
static int kernels_open(struct kernels *kernels, const struct summary *base,
						const struct summary *run)
{
	size_t n = 0;
	*kernels =
		(struct kernels){calloc(base->n_kernels + run->n_kernels + 1, sizeof(*kernels->at)), 0};
	if (!kernels->at)
		return -ENOMEM;
	take(kernels, base, 0);
	take(kernels, run, 1);
	sort_rows(kernels->at, kernels->n, sizeof(*kernels->at), by_name);
	for (size_t i = 0; i < kernels->n; i++) {
		struct kernel *to = &kernels->at[n ? n - 1 : 0];
		const struct kernel *from = &kernels->at[i];
		if (n == 0 || strcmp(to->name, from->name) != 0) {
			kernels->at[n++] = *from;
			continue;
		}
		for (int side = 0; side < 2; side++) {
			to->count[side] += from->count[side];
			to->ns[side] += from->ns[side];
		}
	}
	kernels->n = n;
	return 0;
}

struct sums { /* over all kernels, by side */
	double count[2], ns[2], named_ns[2], matmuls[2], shared;
};

static struct sums add_up(const struct kernels *kernels)
{
	struct sums sums = {0};
	for (size_t i = 0; i < kernels->n; i++) {
		const struct kernel *k = &kernels->at[i];
		for (int side = 0; side < 2; side++) {
			sums.count[side] += k->count[side];
			sums.ns[side] += k->ns[side];
			sums.named_ns[side] += k->count[0] > 0 && k->count[1] > 0 ? k->ns[side] : 0;
			sums.matmuls[side] += k->matmul ? k->count[side] : 0;
		}
		sums.shared += fmin(k->count[0], k->count[1]);
	}
	return sums;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 1;
}

static bool differ(const double values[2], double by)
{
	return fabs(values[1] - values[0]) > by * fmax(values[0], values[1]);
}

/* Another model: other matmuls, and other names or another amount of work too. */
static bool other_model(const struct sums *sums, enum scaling fits)
{
	const double *launches = sums->matmuls[0] + sums->matmuls[1] > 0 ? sums->matmuls : sums->count;
	const double named =
		fmin(ratio(sums->named_ns[0], sums->ns[0]), ratio(sums->named_ns[1], sums->ns[1]));
	return differ(launches, MATMULS) && (named < NAMES || fits == SCALING_AUTO);
}

static enum work_other find_other(const struct change_sides *s, const struct sums *sums,
								  bool chosen)
{
	const struct figures *base = s->base->figures, *run = s->run->figures;
	if (base->has_steps != run->has_steps)
		return WORK_STEP_AND_RUN;
	if (chosen)
		return WORK_AS_WANTED;
	if (!base->has_steps &&
		ratio(sums->shared, fmax(sums->count[0], sums->count[1])) < WINDOW_SHARED)
		return WORK_WINDOWS;
	return base->has_steps && other_model(sums, s->run->fits) ? WORK_KERNELS : WORK_AS_WANTED;
}

/* How much longer the kernels take that both run as often; NAN when some take longer and others
 * not. */
static double find_slower(const struct kernels *kernels, const struct sums *sums)
{
	double ns[2] = {0}, near = 0;
	for (size_t i = 0; i < kernels->n; i++) {
		const struct kernel *k = &kernels->at[i];
		for (int side = 0; side < 2 && !differ(k->count, SAME_COUNT); side++)
			ns[side] += k->ns[side];
	}
	if (ns[0] <= 0 || ns[0] < ALIKE_TIME * sums->ns[0] || ns[1] < ALIKE_TIME * sums->ns[1])
		return NAN;
	const double all = ns[1] / ns[0], room = fmax(SLOWER_LEAST / 2, fabs(all - 1) / 3);
	for (size_t i = 0; i < kernels->n; i++) {
		const struct kernel *k = &kernels->at[i];
		const bool alike = !differ(k->count, SAME_COUNT) && k->ns[0] > 0;
		near += alike && fabs(k->ns[1] / k->ns[0] - all) <= room ? k->ns[0] : 0;
	}
	return near >= ALIKE_TIME * ns[0] ? all - 1 : NAN;
}

static double device_busy(const struct device_summary *d)
{
	const __int128 ns =
		(__int128)d->busy_ns[GROUP_MATMUL] + d->busy_ns[GROUP_MEMORY] + d->busy_ns[GROUP_CUSTOM];
	return (double)ns / (d->steps > 0 ? (double)d->steps : 1);
}

/* The rank whose kernels are most of what the run's take longer (or shorter) than the base's; then
 * *slower is its own. */
static int32_t find_rank(const struct summary *base, const struct summary *run, double *slower)
{
	const struct device_summary *most = NULL;
	const double sign = *slower < 0 ? -1 : 1;
	double mean = 0, all = 0, largest = 0;
	for (size_t i = 0; i < base->n_devices; i++)
		mean += device_busy(&base->devices[i]) / (double)base->n_devices;
	for (size_t i = 0; i < run->n_devices; i++) {
		const double more = sign * (device_busy(&run->devices[i]) - mean);
		all += more > 0 ? more : 0;
		if (more > largest) {
			largest = more;
			most = &run->devices[i];
		}
	}
	if (!most || run->n_devices < 2 || largest < OF_ONE_RANK * all || most->n_processes != 1)
		return -1;
	*slower = mean > 0 ? sign * largest / mean : *slower;
	return most->ranks[0];
}

/* Of one rank of the run, or of one of the base. */
static void find_ranks(const struct summary *base, const struct summary *run, struct work *work)
{
	double slower = -work->slower;
	work->slower_rank = find_rank(base, run, &work->slower);
	if (work->slower_rank >= 0)
		return;
	work->base_slower_rank = find_rank(run, base, &slower);
	if (work->base_slower_rank >= 0)
		work->base_slower = slower;
}

/* Is the time of all kernels another one, beyond noise? */
static int work_changed(const struct change_sides *s, const struct change *change, bool *changed)
{
	struct change_range range;
	int64_t difference_ns = 0;
	int error = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		difference_ns += LEAVES_WORK & LEAF_BIT(leaf) ? s->run->terms_ns[leaf] : 0;
	*changed = true;
	if (change->known) {
		error = change_of_leaves(s, LEAVES_WORK, difference_ns, &range);
		*changed = !error && range.changed;
	}
	return error;
}

int work_find_other(const struct change_sides *s, bool chosen, struct work *work)
{
	struct kernels kernels;
	*work =
		(struct work){.slower = NAN, .slower_rank = -1, .base_slower = NAN, .base_slower_rank = -1};
	int error = kernels_open(&kernels, side_middle(s->base_side), side_middle(s->side));
	if (error)
		return error;
	const struct sums sums = add_up(&kernels);
	work->other = find_other(s, &sums, chosen);
	work->shared = ratio(sums.shared, fmax(sums.count[0], sums.count[1]));
	memcpy(work->matmuls, sums.matmuls, sizeof(work->matmuls));
	free(kernels.at);
	return 0;
}

int work_find_slower(const struct change_sides *s, const struct change *change, struct work *work)
{
	const struct summary *base = side_middle(s->base_side), *run = side_middle(s->side);
	struct kernels kernels;
	bool changed = false;
	if (work->other || s->run->ideal_ns != s->base->figures->step_ns)
		return 0;
	int error = kernels_open(&kernels, base, run);
	if (error)
		return error;
	const struct sums sums = add_up(&kernels);
	work->slower = find_slower(&kernels, &sums);
	free(kernels.at);
	error = work_changed(s, change, &changed);
	if (!changed || fabs(work->slower) < SLOWER_LEAST)
		work->slower = NAN;
	if (!isnan(work->slower))
		find_ranks(base, run, work);
	return error;
}

const char *work_other_name(enum work_other other)
{
	static const char *const names[] = {
		[WORK_STEP_AND_RUN] = "steps", [WORK_WINDOWS] = "windows", [WORK_KERNELS] = "kernels"};
	return names[other];
}
