#include "read/trace.h"

#include "base/room.h"
#include "base/source.h"
#include "read/kept.h"
#include "read/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 1024 };

static const char AUTOGRAD[] = BATON_META_AUTOGRAD ".";

void trace_damaged(struct trace *trace, size_t entry, enum baton_damage damage)
{
	struct baton_entry *e = &trace->reader.entries[entry];
	trace->damage++;
	e->damage = damage;
	if (damage != BATON_MISSING_BLOCKS)
		e->kind = 0; /* nothing to load here any more */
	damage_log_add(trace->log, trace->path, e->offset, baton_damage_name(damage));
}

#define ADD(trace, ids, id, array, n, ...)                                                       \
	do {                                                                                         \
		int error_ = room_next((void **)&(trace)->array, (trace)->n, sizeof((trace)->array[0])); \
		if (!error_)                                                                             \
			error_ = idmap_add(&(trace)->ids, id, (trace)->n);                                   \
		if (error_)                                                                              \
			return error_;                                                                       \
		(trace)->array[(trace)->n++] = __VA_ARGS__;                                              \
	} while (0)

int trace_add_string(struct trace *trace, const struct baton_record *record)
{
	const struct baton_r_string *r = (const void *)record;
	uint32_t index;
	int error = strings_add(&trace->strings, (const char *)(r + 1), r->bytes, &index, NULL);
	return error ? error : idmap_add(&trace->string_ids, r->id, index);
}

static uint32_t string_index(const struct trace *trace, uint32_t id)
{
	return id ? idmap_get(&trace->string_ids, id) : 0;
}

/* Names of entries are looked up when all records are read: a recorder's thread that lost its core
 * may write a name some records after its first use. */
static void find_names(struct trace *trace)
{
	struct baton_r_process *p = &trace->process;
	uint32_t *const ids[] = {&p->host, &p->source, &p->source_version, &p->run_id};
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		*ids[i] = string_index(trace, *ids[i]);
	for (uint32_t i = 1; i < trace->n_threads; i++)
		trace->threads[i].name = string_index(trace, trace->threads[i].name);
	for (uint32_t i = 1; i < trace->n_devices; i++) {
		trace->devices[i].name = string_index(trace, trace->devices[i].name);
		trace->devices[i].uuid = string_index(trace, trace->devices[i].uuid);
	}
	for (uint32_t i = 1; i < trace->n_comms; i++) {
		trace->comms[i].name = string_index(trace, trace->comms[i].name);
		trace->comms[i].ranks = string_index(trace, trace->comms[i].ranks);
	}
	for (uint32_t i = 1; i < trace->n_inputs; i++) {
		trace->inputs[i].shapes = string_index(trace, trace->inputs[i].shapes);
		trace->inputs[i].types = string_index(trace, trace->inputs[i].types);
	}
}

static int add_dictionary(struct trace *trace, const struct baton_record *record)
{
	const void *any = record;
	const struct baton_r_thread *thread = any;
	const struct baton_r_device *device = any;
	const struct baton_r_stream *stream = any;
	const struct baton_r_comm *comm = any;
	const struct baton_r_shape *shape = any;
	const struct baton_r_inputs *inputs = any;
	switch (record->type) {
	case BATON_R_STRING:
		return trace_add_string(trace, any);
	case BATON_R_THREAD:
		ADD(trace, thread_ids, thread->id, threads, n_threads,
			(struct trace_thread){thread->pid, thread->tid, thread->name, thread->id});
		return 0;
	case BATON_R_DEVICE:
		ADD(trace, device_ids, device->id, devices, n_devices,
			(struct trace_device){device->ordinal, device->name, device->uuid, device->memory_bytes,
								  device->sm_count});
		return 0;
	case BATON_R_STREAM:
		ADD(trace, stream_ids, stream->id, streams, n_streams,
			(struct trace_stream){.device = idmap_get(&trace->device_ids, stream->device),
								  .context = stream->context,
								  .stream = stream->stream});
		return 0;
	case BATON_R_COMM:
		ADD(trace, comm_ids, comm->id, comms, n_comms,
			(struct trace_comm){comm->size, comm->hash, comm->name, comm->ranks});
		return 0;
	case BATON_R_SHAPE:
		ADD(trace, shape_ids, shape->id, shapes, n_shapes,
			(struct trace_shape){{shape->grid[0], shape->grid[1], shape->grid[2]},
								 {shape->block[0], shape->block[1], shape->block[2]},
								 {shape->cluster[0], shape->cluster[1], shape->cluster[2]},
								 shape->registers,
								 shape->static_shared,
								 shape->dynamic_shared});
		return 0;
	case BATON_R_INPUTS:
		ADD(trace, input_ids, inputs->id, inputs, n_inputs,
			(struct trace_inputs){inputs->shapes, inputs->types});
		return 0;
	default:
		return 0;
	}
}

/* Of a stream that is defined; the first one holds. */
static void add_priority(struct trace *trace, const struct baton_r_priority *record)
{
	const uint32_t index = idmap_get(&trace->stream_ids, record->stream);
	struct trace_stream *stream = &trace->streams[index];
	if (!index || stream->has_priority)
		return;
	stream->has_priority = true;
	stream->priority = record->priority;
	stream->kind = record->kind <= BATON_STREAM_NULL ? (uint8_t)record->kind : 0;
}

/* Without memory the place is not known. */
static void add_place(struct trace *trace, const struct baton_r_meta *meta)
{
	if (trace->n_places == MOST_PLACES ||
		room_next((void **)&trace->places, trace->n_places, sizeof(*trace->places)) != 0)
		return;
	trace->places[trace->n_places++] =
		(struct trace_place){string_index(trace, meta->key), string_index(trace, meta->value)};
}

uint32_t trace_place(const struct trace *trace, const char *key, uint32_t id)
{
	char name[64];
	snprintf(name, sizeof(name), id ? "%s.%" PRIu32 : "%s", key, id);
	for (size_t i = 0; i < trace->n_places; i++)
		if (strcmp(strings_get(&trace->strings, trace->places[i].key).at, name) == 0)
			return trace->places[i].value;
	return 0;
}

void trace_callers(const struct trace *trace, uint32_t *callers)
{
	memset(callers, 0, trace->n_threads * sizeof(*callers));
	for (size_t i = 0; i < trace->n_places; i++) {
		const char *key = strings_get(&trace->strings, trace->places[i].key).at;
		if (strncmp(key, AUTOGRAD, sizeof(AUTOGRAD) - 1) != 0)
			continue;
		const char *value = strings_get(&trace->strings, trace->places[i].value).at;
		const uint64_t id = strtoull(key + sizeof(AUTOGRAD) - 1, NULL, 10);
		const uint32_t thread = idmap_get(&trace->thread_ids, id);
		const uint32_t caller = idmap_get(&trace->thread_ids, strtoull(value, NULL, 10));
		callers[thread] = caller != thread ? caller : 0;
	}
	callers[0] = 0;
	for (uint32_t t = 0; t < trace->n_threads; t++) /* no chains, and no circles */
		if (callers[callers[t]])
			callers[t] = 0;
}

static void count_loss(struct trace_losses *losses, uint32_t kind, uint64_t count)
{
	if (kind) {
		losses->by_kind[kind] += count;
		return;
	}
	losses->cost_ns += count;
	losses->cost_known = true;
}

static int add_loss(struct trace *trace, uint32_t kind, uint64_t count)
{
	if (room_next((void **)&trace->dated, trace->n_dated, sizeof(*trace->dated)) != 0)
		return -ENOMEM;
	trace->dated[trace->n_dated++] = (struct dated_loss){trace->newest_ns, kind, count};
	count_loss(&trace->losses, kind, count);
	return 0;
}

void trace_losses_within(const struct trace *trace, int64_t from_ns, int64_t to_ns,
						 struct trace_losses *losses)
{
	*losses = (struct trace_losses){.cost_known = trace->losses.cost_known,
									.gpu_shift_ns = trace->losses.gpu_shift_ns};
	for (size_t i = 0; i < trace->n_dated; i++) {
		const struct dated_loss *loss = &trace->dated[i];
		if (loss->at_ns >= from_ns && loss->at_ns < to_ns)
			count_loss(losses, loss->kind, loss->count);
	}
}

static int add_fact(struct trace *trace, const struct baton_record *record)
{
	const struct baton_r_loss *loss = (const void *)record;
	const struct baton_r_cost *cost = (const void *)record;
	const struct baton_r_clock *clock = (const void *)record;
	const struct baton_r_meta *meta = (const void *)record;
	int64_t shift_ns;
	if (record->type == BATON_R_PROCESS && !trace->has_process) {
		struct baton_r_process *p = &trace->process;
		memcpy(p, record, sizeof(*p));
		trace->has_process = true;
	} else if (record->type == BATON_R_META) {
		const char *key = strings_get(&trace->strings, string_index(trace, meta->key)).at;
		trace->tells_lock |= strcmp(key, BATON_META_PYTHON_LOCK) == 0;
		trace->limited |= strcmp(key, BATON_META_LIMITED) == 0;
		if (strncmp(key, "place.", 6) == 0 || strncmp(key, AUTOGRAD, sizeof(AUTOGRAD) - 1) == 0)
			add_place(trace, meta);
	} else if (record->type == BATON_R_PRIORITY) {
		add_priority(trace, (const void *)record);
	} else if (record->type == BATON_R_KEPT) {
		memcpy(&trace->kept_record, record, sizeof(trace->kept_record));
	} else if (record->type == BATON_R_LOSS && loss->kind && loss->kind < 5) {
		return add_loss(trace, loss->kind, loss->count);
	} else if (record->type == BATON_R_COST) {
		return add_loss(trace, 0, cost->ns);
	} else if (record->type == BATON_R_CLOCK && clock->kind == BATON_CLOCK_REALTIME) {
		trace->tells_utc |= clock->local_ns == clock->reference_ns;
	} else if (record->type == BATON_R_CLOCK && clock->kind == BATON_CLOCK_GPU &&
			   !__builtin_sub_overflow(clock->reference_ns, clock->local_ns, &shift_ns) &&
			   shift_ns > 0 && shift_ns <= BATON_TIME_LIMIT_NS) {
		trace->losses.gpu_shift_ns = shift_ns;
	}
	return 0;
}

static int read_records(struct trace *trace, size_t entry)
{
	struct baton_block_header header;
	enum baton_damage damage;
	int error =
		baton_reader_load(&trace->reader, trace->reader.entries[entry].offset, &header, &damage);
	if (error)
		return error;
	const uint8_t *payload = trace->reader.raw;
	if (damage == BATON_INTACT && !records_ok(payload, header.raw_bytes, header.rows))
		damage = BATON_BAD_RECORD;
	if (damage != BATON_INTACT) {
		trace_damaged(trace, entry, damage);
		return 0;
	}
	uint32_t at = 0;
	for (const struct baton_record *r;
		 !error && (r = records_next(payload, header.raw_bytes, &at));) {
		error = add_dictionary(trace, r);
		if (!error)
			error = add_fact(trace, r);
	}
	return error;
}

/* Entry 0 of each dictionary: rows may name what the file does not define. */
static int begin_dictionaries(struct trace *trace)
{
	trace->threads = calloc(1, sizeof(*trace->threads));
	trace->devices = calloc(1, sizeof(*trace->devices));
	trace->streams = calloc(1, sizeof(*trace->streams));
	trace->comms = calloc(1, sizeof(*trace->comms));
	trace->shapes = calloc(1, sizeof(*trace->shapes));
	trace->inputs = calloc(1, sizeof(*trace->inputs));
	trace->n_threads = trace->n_devices = trace->n_streams = trace->n_comms = trace->n_shapes =
		trace->n_inputs = 1;
	if (!trace->threads || !trace->devices || !trace->streams || !trace->comms || !trace->shapes ||
		!trace->inputs)
		return -ENOMEM;
	return strings_init(&trace->strings);
}

static int open_from(struct trace *trace, const char *path, const char *from,
					 struct damage_log *log)
{
	memset(trace, 0, sizeof(*trace));
	trace->path = path;
	trace->log = log;
	trace->newest_ns = INT64_MIN;
	int error = baton_reader_open(&trace->reader, AT_FDCWD, from);
	if (error)
		return error;
	error = begin_dictionaries(trace);
	for (size_t i = 0; !error && i < trace->reader.n_entries; i++) {
		const struct baton_entry *e = &trace->reader.entries[i];
		if (e->damage != BATON_INTACT)
			trace_damaged(trace, i, e->damage);
		if (e->kind == BATON_RECORDS)
			error = read_records(trace, i);
		else if (baton_table(e->kind) && e->rows > 0 && e->t_max_ns > trace->newest_ns)
			trace->newest_ns = e->t_max_ns;
	}
	if (!error)
		find_names(trace);
	trace->kept = kept_part_of(&trace->reader, &trace->kept_record);
	if (!error && trace->reader.header.content == BATON_SUMMARY)
		error = -EBADMSG;
	if (error)
		trace_close(trace);
	return error;
}

int trace_open(struct trace *trace, const char *path, struct damage_log *log)
{
	return open_from(trace, path, path, log);
}

int trace_open_held(struct trace *trace, const char *path, int fd, struct damage_log *log)
{
	char from[32];
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	return open_from(trace, path, from, log);
}

void trace_close(struct trace *trace)
{
	free(trace->places);
	free(trace->dated);
	baton_reader_close(&trace->reader);
	strings_free(&trace->strings);
	idmap_free(&trace->string_ids);
	idmap_free(&trace->thread_ids);
	idmap_free(&trace->device_ids);
	idmap_free(&trace->stream_ids);
	idmap_free(&trace->comm_ids);
	idmap_free(&trace->shape_ids);
	idmap_free(&trace->input_ids);
	free(trace->threads);
	free(trace->devices);
	free(trace->streams);
	free(trace->comms);
	free(trace->shapes);
	free(trace->inputs);
	memset(trace, 0, sizeof(*trace));
	trace->reader.fd = -1;
}

void trace_keep_since(struct trace *trace, int64_t since_ns)
{
	struct baton_reader *reader = &trace->reader;
	size_t kept = 0;
	for (size_t i = 0; i < reader->n_entries; i++) {
		const struct baton_entry *entry = &reader->entries[i];
		if (!baton_table(entry->kind) || entry->rows == 0 || entry->t_max_ns >= since_ns)
			reader->entries[kept++] = *entry;
	}
	trace->since |= kept < reader->n_entries;
	reader->n_entries = kept;
}

bool trace_is_recorded(const struct trace *trace)
{
	return source_is_recorded(source_kind(strings_get(&trace->strings, trace->process.source).at));
}
