#include "graph/verdict.h"

#include "graph/culprit.h"
#include "graph/replayed.h"

#include <errno.h>

enum {
	MET_PART = 10,     /* of the members of collectives: a tenth may have met nobody */
	WORTH_PERCENT = 1, /* of the windows: less waiting for others cannot be a finding */
	LOSS_PERCENT = 2,  /* of the windows: a smaller loss is no finding */
	SAMPLE_PART = 40,  /* of the launches: a replay costs a few times as much per launch */
	SMALL_LAUNCHES = 1 << 16,
	FEW_STEPS = 4,          /* as many launches as they have at most */
	FEW_LAUNCHES = 1 << 18, /* of a run of so few as many steps as a sample has */
	MOST_LAUNCHES = 1500000 /* bounds memory: some hundred bytes each */
};

struct size {
	uint64_t launches, per_step; /* over all devices */
};

static struct size size_of(const struct summary *s)
{
	struct size size = {0};
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		size.launches += (uint64_t)d->launches;
		size.per_step += d->steps > 0 ? (uint64_t)(d->launches / d->steps) : 0;
	}
	return size;
}

/* Do devices wait for each other? Else, are there several losses, of which one is waiting for the
 * GPU, or for its other user? That is worth more than its time, or less, so which is the largest is
 * not told by times. */
static bool is_worth_it(const struct summary *s)
{
	__int128 time_ns[LEAF_COUNT] = {0}, windows = 0;
	size_t losses = 0;
	for (size_t i = 0; i < s->n_devices; i++) {
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			time_ns[leaf] += s->devices[i].time_ns[leaf];
		windows += s->devices[i].window_ns;
	}
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		losses += !(LEAF_BIT(leaf) & (LEAVES_WORK | LEAVES_NCCL)) &&
				  100 * time_ns[leaf] >= LOSS_PERCENT * windows;
	const __int128 most_ns = time_ns[LEAF_HOST_SYNC] > time_ns[LEAF_GPU_SHARED]
								 ? time_ns[LEAF_HOST_SYNC]
								 : time_ns[LEAF_GPU_SHARED];
	if (losses > 1 && 100 * most_ns >= LOSS_PERCENT * windows)
		return true;
	return s->n_devices > 1 &&
		   100 * (time_ns[LEAF_NCCL_WAIT] + time_ns[LEAF_NCCL_UNSPLIT]) >= WORTH_PERCENT * windows;
}

/* How many steps a replay may have: all of a small run, a part of a large one. Of many ranks a few
 * steps are more than that. */
static uint64_t steps_for(const struct summary *s)
{
	const struct size size = size_of(s);
	uint64_t most = size.launches / SAMPLE_PART;
	most = most < SMALL_LAUNCHES ? SMALL_LAUNCHES : most > MOST_LAUNCHES ? MOST_LAUNCHES : most;
	if (size.launches + size.per_step <= FEW_LAUNCHES)
		most = FEW_LAUNCHES; /* with the step before the counted ones */
	const uint64_t few = FEW_STEPS * size.per_step;
	most = most < few && few <= FEW_LAUNCHES ? few : most;
	return size.per_step ? most / size.per_step : 0;
}

static const char *device_of(const struct replayed *r, const struct culprit *culprit)
{
	const struct scope *scope = &culprit->scope;
	if (scope->unit == ALL_UNITS)
		return "";
	return strings_get(&r->sample.context->run->pool, r->model.units[scope->unit].key).at;
}

static const char *host_of(const struct replayed *r, const struct culprit *culprit)
{
	const struct run *run = r->sample.context->run;
	for (size_t u = 0; culprit->scope.unit == ALL_UNITS && u < r->model.n_units; u++) {
		const struct unit *unit = &r->model.units[u];
		if (unit->host == culprit->scope.host)
			return strings_get(&run->pool, run->processes[unit->process].host).at;
	}
	return "";
}

static int add_culprit(const struct replayed *r, const struct culprit *culprit, uint32_t order,
					   struct summary *summary)
{
	const uint32_t unit = culprit->scope.unit;
	struct culprit_summary row = {.order = order,
								  .rank = unit == ALL_UNITS ? -1 : r->model.units[unit].rank,
								  .gain_ns = culprit->gain.ns,
								  .low_ns = culprit->gain.low_ns > 0 ? culprit->gain.low_ns : 0,
								  .high_ns = culprit->gain.high_ns > 0 ? culprit->gain.high_ns : 0,
								  .limit_ns = culprit->limit_ns > 0 ? culprit->limit_ns : 0};
	int error = summary_string(summary, cause_name(culprit->cause), &row.cause);
	error = error ? error : summary_string(summary, device_of(r, culprit), &row.device);
	error = error ? error : summary_string(summary, host_of(r, culprit), &row.host);
	return error ? error : summary_add(summary, ROW_CULPRIT, &row);
}

/* Did the ops of collectives, if there are any, find those that they waited for? */
static bool has_met(const struct model *model)
{
	return MET_PART * (model->n_members - model->met) <= model->n_members;
}

static int add_all(struct replayed *r, struct summary *summary)
{
	struct culprits culprits;
	int error = culprits_find(&r->causes, &culprits);
	if (error)
		return error;
	const struct culprit_summary replay = {.rank = -1,
										   .gain_ns = culprits.transfer_ns,
										   .steps = r->model.n_steps - 1,
										   .step_ns = r->causes.step_ns,
										   .unexplained_ns = culprits.unexplained_ns};
	error = summary_add(summary, ROW_CULPRIT, &replay);
	for (uint32_t i = 0; !error && i < culprits.n; i++)
		error = add_culprit(r, &culprits.at[i], i + 1, summary);
	return error;
}

int verdict_add(const struct device_context *context, const struct device_scan *scans,
				struct summary *summary)
{
	struct replayed replayed;
	const uint64_t steps = is_worth_it(summary) ? steps_for(summary) : 0;
	if (steps < SAMPLE_LEAST_STEPS)
		return 0;
	int error = replayed_open(&replayed, context, scans, steps);
	if (error)
		return error > 0 || error == -E2BIG ? 0 : error;
	error = has_met(&replayed.model) ? add_all(&replayed, summary) : 0;
	replayed_close(&replayed);
	return error;
}
