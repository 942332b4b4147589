#include "graph/verdict.h"

#include "conclude/replay_late.h"
#include "graph/culprit.h"
#include "graph/replayed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	MET_PART = 10,     /* of the members of collectives: a tenth may have met nobody */
	WORTH_PERCENT = 1, /* of the windows: less waiting for others cannot be a finding */
	MIXED_PARTS = 2,   /* of that: so much waiting, and the rest in transfers */
	LOSS_PERCENT = 2,  /* of the windows: a smaller loss is no finding */
	SMALL_LAUNCHES = 1 << 16,
	BUNDLE = 16,
	READ_PART = 16,             /* of the launches: what bundles are made of is read again */
	FEW_STEPS = 4,              /* at least, though that is more */
	BUNDLED_LAUNCHES = 5000000, /* bounds memory: some 80 bytes each */
	PROCESS_TIMES = 2           /* that, more, while a process is read: it is bundled as a whole */
};

/* Losses that a cure removes: what it wins is more or less than their time, because a host that lost
 * its lead waits for the next launch too, and one that has a lead loses nothing. */
#define LEAVES_CURED                                                                             \
	(LEAF_BIT(LEAF_HOST_INPUT) | LEAF_BIT(LEAF_HOST_SYNC) | LEAF_BIT(LEAF_GPU_SHARED) |          \
	 LEAF_BIT(LEAF_HOST_BLOCKED) | LEAF_BIT(LEAF_HOST_NO_CORE) | LEAF_BIT(LEAF_HOST_HOST_FUNC) | \
	 LEAF_BIT(LEAF_HOST_CODE) | LEAF_BIT(LEAF_HOST_ALLOC) | LEAF_BIT(LEAF_HOST_MODULE_LOAD) |    \
	 LEAF_BIT(LEAF_TOOL_PROFILER))

/* Launches per step of the process that has most. 0 or -ENOMEM. */
static int size_process(const struct device_context *context, const struct device_scan *scans,
						struct summary *s, uint64_t *most)
{
	const struct run *run = context->run;
	uint64_t *per_step = calloc(run->n_processes + 1, sizeof(*per_step));
	*most = 0;
	int error = per_step ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < run->n_devices; i++) {
		const struct run_device *device = &run->devices[i];
		if (scans[i].empty)
			continue;
		const struct device_summary *d = summary_device(s, strings_get(&run->pool, device->key).at);
		error = d ? 0 : -ENOMEM;
		for (uint32_t p = 0; !error && d->steps > 0 && p < device->n_processes; p++) {
			uint64_t *of = &per_step[device->processes[p]];
			*of += (uint64_t)(d->launches / d->steps);
			*most = *of > *most ? *of : *most;
		}
	}
	free(per_step);
	return error;
}

/* Do devices wait for each other? Else, is there a loss whose time does not tell its gain? Of few
 * launches both together count, and transfers beside waits: what one rank loses is small in the mean
 * of all, and exposes the transfers of the others. */
static bool is_worth_it(const struct summary *s, const struct replay_size *size)
{
	__int128 time_ns[LEAF_COUNT] = {0}, windows = 0, cured_ns = 0;
	for (size_t i = 0; i < s->n_devices; i++) {
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			time_ns[leaf] += s->devices[i].time_ns[leaf];
		windows += s->devices[i].window_ns;
	}
	__int128 waits_ns = time_ns[LEAF_NCCL_WAIT] + time_ns[LEAF_NCCL_UNSPLIT];
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		if (LEAF_BIT(leaf) & LEAVES_CURED && 100 * time_ns[leaf] >= LOSS_PERCENT * windows)
			return true;
		cured_ns += LEAF_BIT(leaf) & LEAVES_CURED ? time_ns[leaf] : 0;
	}
	if (replay_is_single(size)) {
		const bool exposes = 100 * MIXED_PARTS * waits_ns >= WORTH_PERCENT * windows;
		waits_ns += cured_ns + (exposes ? time_ns[LEAF_NCCL_TRANSFER] : 0);
	}
	return s->n_devices > 1 && 100 * waits_ns >= WORTH_PERCENT * windows;
}

/* All steps of a small run, launch by launch; of a larger one a part, in bundles. */
static struct sample_size sample_for(const struct replay_size *size, uint64_t of_process)
{
	const uint64_t few = FEW_STEPS * size->per_step;
	uint64_t most = size->launches / READ_PART;
	if (!size->per_step)
		return (struct sample_size){0, 1};
	if (replay_is_single(size))
		return (struct sample_size){REPLAY_SINGLE_LAUNCHES / size->per_step, 1};
	most = most > SMALL_LAUNCHES ? most : SMALL_LAUNCHES;
	most = most > few ? most : few;
	const uint64_t steps = most / size->per_step;
	const uint64_t fit = BUNDLED_LAUNCHES / (size->per_step + PROCESS_TIMES * of_process);
	return (struct sample_size){steps < fit ? steps : fit, BUNDLE};
}

static const char *device_of(const struct replayed *r, const struct scope *scope)
{
	if (scope->unit == ALL_UNITS)
		return "";
	return strings_get(&r->sample.context->run->pool, r->model.units[scope->unit].key).at;
}

/* Do the other devices lose more time to this kind, in the mean, than the culprit's own does? */
static bool others_lose_more(const struct summary *s, const char *device, uint64_t leaves)
{
	__int128 own_ns = 0, others_ns = 0;
	for (size_t i = 0; i < s->n_devices; i++) {
		const bool own = strcmp(summary_text(s, s->devices[i].key), device) == 0;
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			*(own ? &own_ns : &others_ns) +=
				LEAF_BIT(leaf) & leaves ? s->devices[i].time_ns[leaf] : 0;
	}
	return others_ns > own_ns * (__int128)(s->n_devices - 1);
}

/* One process drives all devices: what its loader holds up is the whole run, whichever device's the
 * thread is that waits. So is what a thread waits for the GPUs, where it is the others that lose most
 * of that time. */
static bool is_everyones(const struct replayed *r, const struct culprit *culprit,
						 const struct summary *s)
{
	for (size_t u = 1; u < r->model.n_units; u++)
		if (r->model.units[u].process != r->model.units[0].process)
			return false;
	if (culprit->cause == CAUSE_INPUT)
		return true;
	return culprit->scope.unit != ALL_UNITS && cause_is_sync(culprit->cause) &&
		   others_lose_more(s, device_of(r, &culprit->scope), LEAF_BIT(LEAF_HOST_SYNC));
}

static const char *host_of(const struct replayed *r, const struct scope *scope)
{
	const struct run *run = r->sample.context->run;
	for (size_t u = 0; scope->unit == ALL_UNITS && u < r->model.n_units; u++) {
		const struct unit *unit = &r->model.units[u];
		if (unit->host == scope->host)
			return strings_get(&run->pool, run->processes[unit->process].host).at;
	}
	return "";
}

/* The other one of two that pay only together. */
static int add_joint(const struct replayed *r, const struct joint_cause *joint,
					 struct culprit_summary *row, struct summary *summary)
{
	if (joint->scope.unit != ALL_UNITS)
		row->with_rank = r->model.units[joint->scope.unit].rank;
	row->alone_ns = joint->first_alone_ns;
	row->with_alone_ns = joint->alone_ns;
	int error = summary_string(summary, cause_name(joint->cause), &row->with_cause);
	return error ? error : summary_string(summary, device_of(r, &joint->scope), &row->with_device);
}

static int add_culprit(const struct replayed *r, const struct culprit *culprit, uint32_t order,
					   struct summary *summary)
{
	const struct scope all = {ALL_UNITS, ALL_UNITS, 0};
	const struct scope scope = is_everyones(r, culprit, summary) ? all : culprit->scope;
	const uint32_t unit = scope.unit;
	struct culprit_summary row = {.order = order,
								  .rank = unit == ALL_UNITS ? -1 : r->model.units[unit].rank,
								  .gain_ns = culprit->gain.ns,
								  .low_ns = culprit->gain.low_ns > 0 ? culprit->gain.low_ns : 0,
								  .high_ns = culprit->gain.high_ns > 0 ? culprit->gain.high_ns : 0,
								  .limit_ns = culprit->limit_ns > 0 ? culprit->limit_ns : 0,
								  .with_rank = -1,
								  .group = culprit->group,
								  .alone_ns = culprit->unaided_ns > 0 ? culprit->unaided_ns : 0};
	int error = summary_string(summary, cause_name(culprit->cause), &row.cause);
	error = error ? error : summary_string(summary, device_of(r, &scope), &row.device);
	error = error ? error : summary_string(summary, host_of(r, &scope), &row.host);
	if (!error && culprit->joint.known)
		error = add_joint(r, &culprit->joint, &row, summary);
	return error ? error : summary_add(summary, ROW_CULPRIT, &row);
}

static bool has_nccl(const struct summary *s)
{
	bool found = false;
	for (size_t i = 0; i < s->n_devices && !found; i++)
		for (int leaf = 0; leaf < LEAF_COUNT && !found; leaf++)
			found = LEAF_BIT(leaf) & LEAVES_NCCL && s->devices[i].time_ns[leaf] > 0;
	return found;
}

/* Did the ops of collectives, if there are any, find those that they waited for? What was launched
 * before the sample finds nobody: hosts run ahead by a step and more, each as far as it can. */
static bool has_met(const struct model *model, const struct summary *s)
{
	const uint64_t launched = model->n_members - model->before;
	const uint64_t all = launched ? launched : model->n_members;
	return all > 0 ? MET_PART * all <= MET_PART * model->met + all : !has_nccl(s);
}

static int add_all(struct replayed *r, struct summary *summary)
{
	struct culprits culprits;
	int error = culprits_find(&r->causes, &culprits);
	if (error)
		return error;
	const struct culprit_summary replay = {.rank = -1,
										   .with_rank = -1,
										   .gain_ns = culprits.transfer_ns,
										   .alone_ns = culprits.copies_ns,
										   .with_alone_ns = culprits.transfer_alone_ns,
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
	const struct replay_size size = replay_size_of(summary);
	if (!is_worth_it(summary, &size))
		return 0;
	uint64_t of_process;
	int error = size_process(context, scans, summary, &of_process);
	if (error)
		return error;
	const struct sample_size sample = sample_for(&size, of_process);
	if (sample.steps < SAMPLE_LEAST_STEPS)
		return 0;
	error = replayed_open(&replayed, context, scans, &sample);
	summary->quality.replays_refused += error == -E2BIG;
	if (error)
		return error > 0 || error == -E2BIG ? 0 : error;
	error = has_met(&replayed.model, summary) ? add_all(&replayed, summary) : 0;
	replayed_close(&replayed);
	return error;
}
