#include "attribute/meetings.h"

#include <errno.h>
#include <string.h>

static const char *device_key(const struct run *run, uint64_t member)
{
	return strings_get(&run->pool, run->devices[member >> 32].key).at;
}

/* The number of a member's process among those of its device. */
static uint32_t driver_of(const struct run *run, uint64_t member)
{
	const struct run_device *device = &run->devices[member >> 32];
	uint32_t i = 0;
	while (i + 1 < device->n_processes && device->processes[i] != (uint32_t)member)
		i++;
	return i;
}

static int store_seen(const struct coll_seen *seen, const struct run *run, struct summary *summary)
{
	struct meeting row = {.comm = seen->key.comm,
						  .sequence = seen->key.sequence,
						  .step_number = seen->key.step_number,
						  .coll = seen->key.coll,
						  .ordered = seen->key.ordered,
						  .members = seen->members,
						  .calls = seen->rows,
						  .size = seen->size,
						  .ambiguous = seen->ambiguous,
						  .last_driver = driver_of(run, seen->last),
						  .min_ns = seen->min_ns,
						  .max_ns = seen->max_ns,
						  .sum_ns = seen->sum_ns,
						  .first_end_ns = seen->first_end_ns,
						  .last_end_ns = seen->last_end_ns,
						  .bytes = seen->bytes};
	int error = summary_string(summary, device_key(run, seen->last), &row.last_device);
	return error ? error : summary_add(summary, ROW_MEETING, &row);
}

int meetings_store(const struct collectives *c, const struct run *run, struct summary *summary)
{
	const struct coll_seen *seen;
	const struct comm_member *members;
	const size_t n_seen = collectives_all(c, &seen);
	const size_t n_members = collectives_all_members(c, &members);
	int error = 0;
	for (size_t i = 0; !error && i < n_members; i++) {
		struct comm_summary row = {.comm = members[i].comm, .members = 1};
		error = summary_string(summary, device_key(run, members[i].member), &row.device);
		error = error ? error : summary_add(summary, ROW_COMM, &row);
	}
	for (size_t i = 0; !error && i < n_seen; i++)
		error = store_seen(&seen[i], run, summary);
	return error;
}

/* NULL: it is not of this run, whose devices are sorted by key. */
static const struct run_device *find_device(const struct run *run, const char *key)
{
	size_t low = 0, high = run->n_devices;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(key, strings_get(&run->pool, run->devices[middle].key).at);
		if (order == 0)
			return &run->devices[middle];
		low = order > 0 ? middle + 1 : low;
		high = order > 0 ? high : middle;
	}
	return NULL;
}

static uint64_t member_of(const struct run *run, const char *device, uint32_t driver)
{
	const struct run_device *found = find_device(run, device);
	if (!found || driver >= found->n_processes)
		return COLL_ELSEWHERE;
	return collective_member(found->processes[driver], (uint32_t)(found - run->devices));
}

static int load_meeting(struct collectives *c, const struct run *run, const struct summary *summary,
						const struct meeting *m)
{
	return collectives_put(
		c, &(struct coll_seen){
			   .key = {m->comm, m->sequence, m->step_number, m->coll, m->ordered},
			   .members = m->members,
			   .rows = m->calls,
			   .size = m->size,
			   .ambiguous = m->ambiguous,
			   .last = member_of(run, summary_text(summary, m->last_device), m->last_driver),
			   .min_ns = m->min_ns,
			   .max_ns = m->max_ns,
			   .first_end_ns = m->first_end_ns,
			   .last_end_ns = m->last_end_ns,
			   .sum_ns = m->sum_ns,
			   .bytes = m->bytes,
			   .base_ns = -1});
}

int meetings_load(struct collectives *c, const struct run *run, const struct summary *summary)
{
	int error = 0;
	for (size_t i = 0; !error && i < summary->n_comms; i++)
		error = collectives_put_members(c, summary->comms[i].comm, summary->comms[i].members);
	for (size_t i = 0; !error && i < summary->n_meetings; i++)
		error = load_meeting(c, run, summary, &summary->meetings[i]);
	return error;
}
