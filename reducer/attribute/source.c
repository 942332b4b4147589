#include "attribute/source.h"

#include "read/run.h"

enum { RANGE_KNOWN = 1 << HOST_BIT_KNOWN };

/* Several device records may carry one key: the streams of all of them lie on the first. */
static void find_device(struct source *source, const char *device_key)
{
	struct trace *trace = &source->trace;
	char key[512];
	for (uint32_t d = 1; d < trace->n_devices; d++) {
		run_device_key(trace, d, key, sizeof(key));
		if (strcmp(key, device_key) != 0)
			continue;
		source->device = source->device ? source->device : d;
		for (uint32_t k = 1; d != source->device && k < trace->n_streams; k++)
			if (trace->streams[k].device == d)
				trace->streams[k].device = source->device;
	}
}

static int make_tables(struct source *source)
{
	const struct trace *trace = &source->trace;
	source->names = calloc(trace->strings.n, sizeof(*source->names));
	source->slots = calloc(trace->n_streams, sizeof(*source->slots));
	if (!source->names || !source->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->strings.n; i++)
		source->names[i].first_launch_ns = INT64_MAX;
	int error =
		corr_ring_open(&source->launches, SOURCE_LAUNCHES, sizeof(struct launch), source->store);
	return error ? error
				 : corr_ring_open(&source->colls, SOURCE_COLLECTIVES, sizeof(struct collective),
								  source->store);
}

int source_open(struct source *source, const struct source_setup *setup)
{
	memset(source, 0, sizeof(*source));
	source->process = setup->process;
	source->host_names = setup->names;
	source->classes = setup->classes;
	source->store = setup->store;
	int error = trace_open(&source->trace, setup->path, setup->log);
	if (error)
		return error;
	find_device(source, setup->device_key);
	error = make_tables(source);
	if (error)
		source_close(source);
	return error;
}

static void close_rows(struct source *source)
{
	rows_close(&source->ops);
	rows_close(&source->calls);
	rows_close(&source->ranges);
	rows_close(&source->overheads);
	rows_close(&source->scheds);
	rows_close(&source->syncs);
	rows_close(&source->collectives);
}

int source_rewind(struct source *source)
{
	struct {
		struct rows *rows;
		unsigned kind;
		bool *left;
	} tables[] = {
		{&source->ops, BATON_OP, &source->ops_left},
		{&source->calls, BATON_CALL, &source->calls_left},
		{&source->ranges, BATON_RANGE, &source->ranges_left},
		{&source->overheads, BATON_OVERHEAD, &source->overheads_left},
		{&source->scheds, BATON_SCHED, &source->scheds_left},
		{&source->syncs, BATON_SYNC, &source->syncs_left},
		{&source->collectives, BATON_COLLECTIVE, &source->collectives_left},
	};
	close_rows(source);
	corr_ring_clear(&source->launches);
	corr_ring_clear(&source->colls);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		int error = rows_open(tables[i].rows, &source->trace, tables[i].kind);
		if (error)
			return error;
		bool at_once = tables[i].kind == BATON_OP || tables[i].kind == BATON_CALL ||
					   tables[i].kind == BATON_COLLECTIVE;
		*tables[i].left = at_once ? rows_next(tables[i].rows)
								  : tables[i].rows->n_entries > 0; /* opened when a gap asks */
		if (tables[i].rows->error)
			return tables[i].rows->error;
	}
	source->sampled = source->scheds_left && trace_is_recorded(&source->trace);
	return 0;
}

void source_close(struct source *source)
{
	close_rows(source);
	corr_ring_close(&source->launches, source->store);
	corr_ring_close(&source->colls, source->store);
	free(source->names);
	free(source->slots);
	trace_close(&source->trace);
}

static bool outer_call(const struct source *source, const struct launch *old, int64_t start,
					   int64_t end, uint32_t thread)
{
	if (start != old->start)
		return start < old->start;
	if (end != old->end)
		return end > old->end;
	return source->trace.threads[thread].tid < source->trace.threads[old->thread].tid;
}

static void take_call(struct source *source, uint32_t owner)
{
	const struct rows *row = &source->calls;
	uint64_t correlation = (uint64_t)rows_value(row, CALL_CORRELATION);
	if (correlation == 0)
		return;
	int64_t start = rows_value(row, CALL_START), end = start + rows_value(row, CALL_DUR);
	uint32_t thread = source_thread(source, row, CALL_THREAD);
	struct launch *launch = source_launch(source, correlation);
	if (!launch) {
		launch = corr_ring_put(&source->launches, correlation);
		launch->start = SOURCE_NO_CALL;
	}
	if (launch->start != SOURCE_NO_CALL && !outer_call(source, launch, start, end, thread))
		return;
	if (launch->start == SOURCE_NO_CALL && launch->any_op &&
		start - launch->first_op_start > source->late_seen_ns)
		source->late_seen_ns = start - launch->first_op_start;
	launch->start = start;
	launch->end = end;
	launch->thread = thread;
	launch->name = source_string(source, row, CALL_NAME);
	launch->owner = owner;
}

static void take_collective(struct source *source)
{
	const struct rows *row = &source->collectives;
	uint64_t correlation = (uint64_t)rows_value(row, COLL_CORRELATION);
	struct collective *coll = corr_ring_get(&source->colls, correlation);
	if (coll) {
		coll->args.rows++;
		return;
	}
	coll = corr_ring_put(&source->colls, correlation);
	struct coll_args *args = &coll->args;
	args->rows = 1;
	args->comm = idmap_get(&source->trace.comm_ids, (uint64_t)rows_value(row, COLL_COMM));
	args->coll = (uint8_t)rows_value(row, COLL_KIND);
	args->bytes = rows_optional(row, COLL_BYTES, -1);
	args->out_bytes = rows_optional(row, COLL_OUT_BYTES, -1);
	args->has_sequence = (row->now->present >> COLL_SEQUENCE & 1) != 0;
	args->sequence = (uint64_t)rows_optional(row, COLL_SEQUENCE, 0);
}

int source_load_more(struct source *source, int64_t until)
{
	while (source->collectives_left && rows_value(&source->collectives, COLL_START) <= until) {
		take_collective(source);
		source->collectives_left = rows_next(&source->collectives);
	}
	while (source->calls_left && rows_value(&source->calls, CALL_START) <= until) {
		uint32_t owner = 0;
		int error = source->on_call ? source->on_call(source->context, source, &owner) : 0;
		if (error)
			return error;
		take_call(source, owner);
		source->calls_left = rows_next(&source->calls);
	}
	return source->calls.error ? source->calls.error : source->collectives.error;
}

const struct coll_args *source_collective(const struct source *source, uint64_t correlation)
{
	const struct collective *coll = corr_ring_get(&source->colls, correlation);
	return coll ? &coll->args : NULL;
}

void source_know_call(struct source *source, uint32_t name)
{
	uint32_t mask = host_names_call(source->host_names, source_text(source, name));
	source->names[name].call = (uint16_t)(mask | RANGE_KNOWN);
}

uint32_t source_range_mask(struct source *source, uint32_t name, int category)
{
	uint16_t *mask = &source->names[name].range[category & 7];
	if (!*mask)
		*mask =
			(uint16_t)(host_names_range(source->host_names, source_text(source, name), category) |
					   RANGE_KNOWN);
	return *mask & ~(uint32_t)RANGE_KNOWN;
}

void source_know_kernel(struct source *source, uint32_t name)
{
	struct name_facts *facts = &source->names[name];
	struct text text = strings_get(&source->trace.strings, name);
	class_cache_name(source->classes, text.at, text.bytes, &facts->kernel);
	facts->classified = true;
}
