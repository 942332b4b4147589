#include "attribute/device_open.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

int device_feeds_open(const struct device_context *context, const struct device_scan *scan,
					  struct device_feeds *ds)
{
	const struct run *run = context->run;
	const struct run_device *device = &run->devices[scan->device];
	const char *key = strings_get(&run->pool, device->key).at;
	memset(ds, 0, sizeof(*ds));
	ds->ordered = run_ordered_members(run);
	ds->feeds = calloc(device->n_processes, sizeof(*ds->feeds));
	if (!ds->feeds)
		return -ENOMEM;
	int error = 0;
	for (uint32_t i = 0; !error && i < device->n_processes; i++) {
		uint32_t process = device->processes[i];
		struct feed *feed = &ds->feeds[i];
		error = feed_open(feed, &(struct feed_setup){.file = &run->processes[process],
													 .process = process,
													 .device_key = key,
													 .log = run->damage,
													 .names = context->names,
													 .classes = context->classes,
													 .store = context->store});
		if (error)
			break;
		ds->n++;
		feed->late_ns = scan->late_ns ? scan->late_ns[i] : 0;
		for (uint32_t s = 0; scan->first_launch && s < feed->trace.strings.n; s++)
			feed->names[s].first_launch_ns = scan->first_launch[i][s];
	}
	if (!error)
		error = opstream_open(&ds->stream, ds->feeds, ds->n, &scan->steps);
	if (error)
		device_feeds_close(ds);
	return error;
}

void device_feeds_close(struct device_feeds *ds)
{
	opstream_close(&ds->stream);
	for (uint32_t i = 0; i < ds->n; i++)
		feed_close(&ds->feeds[i]);
	free(ds->feeds);
	free(ds->counters);
	table_free(&ds->counted);
	memset(ds, 0, sizeof(*ds));
}

int device_feeds_rewind(struct device_feeds *ds)
{
	for (size_t i = 0; i < ds->n_counters; i++)
		ds->counters[i].n = 0;
	return opstream_rewind(&ds->stream);
}

/* Takes the next number of those in the op's step that are counted with `want`. 0 or -ENOMEM. */
static int take_number(struct device_feeds *ds, const struct coll_counter *want, uint64_t *number)
{
	struct coll_counter *counter =
		table_row(&ds->counted, TABLE_ROWS(ds->counters, ds->n_counters, step), want);
	if (!counter)
		return -ENOMEM;
	*number = counter->n++;
	return 0;
}

/* An NCCL op without arguments: by its name, step and place among those like it; where steps have no
 * numbers, that in the whole run. */
static int order_collective(struct device_feeds *ds, const struct op *op, const struct steps *steps,
							struct coll_key *key, bool *known)
{
	const struct feed *feed = &ds->feeds[op->feed];
	const struct text name = strings_get(&feed->trace.strings, op->name);
	const int64_t number = steps->numbered ? steps_number(steps, op->step) : COLL_WHOLE_RUN;
	if (!ds->ordered || op->kind != BATON_KERNEL || number == -1)
		return 0;
	key->comm = XXH3_64bits(name.at, name.bytes);
	key->ordered = 1;
	key->step_number = number;
	*known = true;
	return take_number(ds,
					   &(struct coll_counter){.comm = key->comm,
											  .feed = op->feed,
											  .coll = UINT32_MAX,
											  .step = steps->numbered ? op->step : 0},
					   &key->sequence);
}

int device_collective(struct device_feeds *ds, const struct op *op, const struct steps *steps,
					  const struct coll_args **coll, struct coll_key *key, bool *known)
{
	const struct feed *feed = &ds->feeds[op->feed];
	memset(key, 0, sizeof(*key));
	*known = false;
	*coll = NULL;
	const struct coll_args *then = opstream_coll(&ds->stream, op);
	if (!then && !(op->flags & OP_LATE_COLL))
		return order_collective(ds, op, steps, key, known);
	/* rows that came after the op are counted too, while the feed remembers them */
	const struct coll_args *now = feed_collective(feed, op->correlation);
	*coll = now ? now : then;
	if (!*coll)
		return 0;
	key->comm = (*coll)->comm ? feed->trace.comms[(*coll)->comm].hash : 0;
	key->coll = (*coll)->coll;
	key->sequence = (*coll)->sequence;
	key->step_number = -1;
	*known = (*coll)->has_sequence;
	int64_t number = steps_number(steps, op->step);
	if ((*coll)->has_sequence || number < 0)
		return 0;
	struct coll_counter want = {
		.comm = key->comm, .feed = op->feed, .coll = key->coll, .step = op->step};
	key->step_number = number;
	*known = true;
	return take_number(ds, &want, &key->sequence);
}
