#include "read/trace.h"

#include "base/room.h"
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static const uint16_t least_size[] = {
	[BATON_R_STRING] = sizeof(struct baton_r_string),
	[BATON_R_THREAD] = sizeof(struct baton_r_thread),
	[BATON_R_DEVICE] = sizeof(struct baton_r_device),
	[BATON_R_STREAM] = sizeof(struct baton_r_stream),
	[BATON_R_COMM] = sizeof(struct baton_r_comm),
	[BATON_R_PROCESS] = sizeof(struct baton_r_process),
	[BATON_R_META] = sizeof(struct baton_r_meta),
	[BATON_R_CLOCK] = sizeof(struct baton_r_clock),
	[BATON_R_LOSS] = sizeof(struct baton_r_loss),
	[BATON_R_COST] = sizeof(struct baton_r_cost),
	[BATON_R_MODULE] = sizeof(struct baton_r_module),
	[BATON_R_CODE] = sizeof(struct baton_r_code),
	[BATON_R_STACK] = sizeof(struct baton_r_stack),
};

enum { KNOWN_TYPES = sizeof(least_size) / sizeof(least_size[0]) };

/* Dictionary records begin with their id. */
static bool has_id(uint16_t type)
{
	return (type >= BATON_R_STRING && type <= BATON_R_COMM) ||
		   (type >= BATON_R_MODULE && type <= BATON_R_STACK);
}

/* Is what follows a record's fixed part inside the record? */
static bool tail_ok(const struct baton_record *record)
{
	const void *any = record;
	const struct baton_r_string *string = any;
	const struct baton_r_code *code = any;
	const struct baton_r_stack *stack = any;
	switch (record->type) {
	case BATON_R_STRING:
		return string->bytes <= record->size - sizeof(*string);
	case BATON_R_CODE:
		return code->bytes <= record->size - sizeof(*code);
	case BATON_R_STACK:
		return stack->frames <= (record->size - sizeof(*stack)) / sizeof(struct baton_frame);
	default:
		return true;
	}
}

static bool record_ok(const struct baton_record *record, uint32_t left)
{
	if (record->size < sizeof(*record) || record->size % 8 != 0 || record->size > left)
		return false;
	if (record->type < KNOWN_TYPES && record->size < least_size[record->type])
		return false;
	uint32_t id = 1;
	if (has_id(record->type))
		memcpy(&id, record + 1, sizeof(id));
	return id != 0 && tail_ok(record);
}

bool trace_records_ok(const uint8_t *payload, uint32_t bytes, uint32_t rows)
{
	uint32_t at = 0, n = 0;
	while (bytes - at >= sizeof(struct baton_record)) {
		const struct baton_record *record = (const void *)(payload + at);
		if (!record_ok(record, bytes - at))
			return false;
		at += record->size;
		n++;
	}
	return at == bytes && n == rows;
}

const struct baton_record *trace_record_next(const uint8_t *payload, uint32_t bytes, uint32_t *at)
{
	if (*at >= bytes)
		return NULL;
	const struct baton_record *record = (const void *)(payload + *at);
	*at += record->size;
	return record;
}

static void lose(struct trace *trace, size_t entry, enum baton_damage damage, const char *reason)
{
	struct baton_entry *e = &trace->reader.entries[entry];
	trace->damage++;
	e->damage = damage;
	if (damage != BATON_MISSING_BLOCKS)
		e->kind = 0; /* nothing to load here any more */
	damage_log_add(trace->log, trace->path, e->offset, reason);
}

void trace_damaged(struct trace *trace, size_t entry, enum baton_damage damage)
{
	lose(trace, entry, damage, baton_damage_name(damage));
}

void trace_too_large(struct trace *trace, size_t entry)
{
	lose(trace, entry, BATON_BAD_COLUMNS,
		 "the blocks of this time hold more rows than a file of this size can mean; skipped");
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

static int add_dictionary(struct trace *trace, const struct baton_record *record)
{
	const void *any = record;
	const struct baton_r_thread *thread = any;
	const struct baton_r_device *device = any;
	const struct baton_r_stream *stream = any;
	const struct baton_r_comm *comm = any;
	switch (record->type) {
	case BATON_R_STRING:
		return trace_add_string(trace, any);
	case BATON_R_THREAD:
		ADD(trace, thread_ids, thread->id, threads, n_threads,
			(struct trace_thread){thread->pid, thread->tid, string_index(trace, thread->name),
								  thread->id});
		return 0;
	case BATON_R_DEVICE:
		ADD(trace, device_ids, device->id, devices, n_devices,
			(struct trace_device){device->ordinal, string_index(trace, device->name),
								  string_index(trace, device->uuid)});
		return 0;
	case BATON_R_STREAM:
		ADD(trace, stream_ids, stream->id, streams, n_streams,
			(struct trace_stream){idmap_get(&trace->device_ids, stream->device), stream->context,
								  stream->stream});
		return 0;
	case BATON_R_COMM:
		ADD(trace, comm_ids, comm->id, comms, n_comms,
			(struct trace_comm){comm->size, comm->hash, string_index(trace, comm->name),
								string_index(trace, comm->ranks)});
		return 0;
	default:
		return 0;
	}
}

static void add_fact(struct trace *trace, const struct baton_record *record)
{
	const struct baton_r_loss *loss = (const void *)record;
	const struct baton_r_cost *cost = (const void *)record;
	const struct baton_r_clock *clock = (const void *)record;
	const struct baton_r_meta *meta = (const void *)record;
	int64_t shift_ns;
	if (record->type == BATON_R_PROCESS && !trace->has_process) {
		struct baton_r_process *p = &trace->process;
		memcpy(p, record, sizeof(*p));
		p->host = string_index(trace, p->host);
		p->source = string_index(trace, p->source);
		p->source_version = string_index(trace, p->source_version);
		p->run_id = string_index(trace, p->run_id);
		trace->has_process = true;
	} else if (record->type == BATON_R_META) {
		const char *key = strings_get(&trace->strings, string_index(trace, meta->key)).at;
		trace->tells_lock |= strcmp(key, BATON_META_PYTHON_LOCK) == 0;
	} else if (record->type == BATON_R_LOSS && loss->kind < 5) {
		trace->losses.by_kind[loss->kind] += loss->count;
	} else if (record->type == BATON_R_COST) {
		trace->losses.cost_ns += cost->ns;
		trace->losses.cost_known = true;
	} else if (record->type == BATON_R_CLOCK && clock->kind == BATON_CLOCK_GPU &&
			   !__builtin_sub_overflow(clock->reference_ns, clock->local_ns, &shift_ns) &&
			   shift_ns > 0 && shift_ns <= BATON_TIME_LIMIT_NS) {
		trace->losses.gpu_shift_ns = shift_ns;
	}
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
	if (damage == BATON_INTACT && !trace_records_ok(payload, header.raw_bytes, header.rows))
		damage = BATON_BAD_RECORD;
	if (damage != BATON_INTACT) {
		trace_damaged(trace, entry, damage);
		return 0;
	}
	uint32_t at = 0;
	for (const struct baton_record *r;
		 !error && (r = trace_record_next(payload, header.raw_bytes, &at));) {
		error = add_dictionary(trace, r);
		add_fact(trace, r);
	}
	return error;
}

int trace_open(struct trace *trace, const char *path, struct damage_log *log)
{
	memset(trace, 0, sizeof(*trace));
	trace->path = path;
	trace->log = log;
	trace->n_threads = trace->n_devices = trace->n_streams = trace->n_comms = 1;
	int error = baton_reader_open(&trace->reader, AT_FDCWD, path);
	if (error)
		return error;
	error = strings_init(&trace->strings);
	for (size_t i = 0; !error && i < trace->reader.n_entries; i++) {
		const struct baton_entry *e = &trace->reader.entries[i];
		if (e->damage != BATON_INTACT)
			trace_damaged(trace, i, e->damage);
		if (e->kind == BATON_RECORDS)
			error = read_records(trace, i);
	}
	if (!error && trace->reader.header.content == BATON_SUMMARY)
		error = -EBADMSG;
	if (error)
		trace_close(trace);
	return error;
}

void trace_close(struct trace *trace)
{
	baton_reader_close(&trace->reader);
	strings_free(&trace->strings);
	idmap_free(&trace->string_ids);
	idmap_free(&trace->thread_ids);
	idmap_free(&trace->device_ids);
	idmap_free(&trace->stream_ids);
	idmap_free(&trace->comm_ids);
	free(trace->threads);
	free(trace->devices);
	free(trace->streams);
	free(trace->comms);
	memset(trace, 0, sizeof(*trace));
	trace->reader.fd = -1;
}

bool trace_is_recorded(const struct trace *trace)
{
	return source_is_recorded(source_kind(strings_get(&trace->strings, trace->process.source).at));
}
