/* Rows of the host: calls, ranges, synchronisation, overhead. */
#include "export/nsys_source.h"

#include <string.h>

enum { FRAME_BYTES = 4096 };

#define DOES_NOT_APPLY 4294967295 /* CUPTI's word for no stream, no event */

/* nsys's numbers. */
enum {
	CLASS_RUNTIME = 0,
	CLASS_DRIVER = 1,
	TYPE_MARK = 34,
	TYPE_PUSHED = 59,
	TYPE_STARTED = 60,
	TYPE_DOMAIN = 75,
	OVERHEAD_INSTRUMENTATION = 4,
	OVERHEAD_MODULE = 6,
	OVERHEAD_COMMANDS = 8
};

/* ---- calls ---- */

static bool begins(struct text text, const char *with)
{
	return text.bytes >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

/* nsys has a row for each event of device memory; the address is not known. */
static void put_usage(struct nsys_source *source, const struct rows *call, bool gives_back)
{
	struct nsys_tables *t = &source->out->tables;
	const int64_t bytes = rows_optional(call, CALL_BYTES, 0);
	const int64_t memory = rows_optional(call, CALL_MEMORY, 0);
	uint32_t device =
		idmap_get(&source->file.trace.device_ids, (uint64_t)rows_optional(call, CALL_DEVICE, 0));
	device = device ? device : source->file.trace.n_devices > 1; /* the only one, or the first */
	if (bytes <= 0 || device >= source->member->n_gpus || !device)
		return;
	nsys_row(t, NSYS_TABLE_USAGE);
	nsys_put(t, USAGE_start, nsys_time(source, rows_value(call, CALL_START)));
	nsys_put(t, USAGE_globalPid, source->member->global);
	nsys_put(t, USAGE_contextId, 0); /* nsys has no row without a context */
	nsys_put_device(source, device, USAGE_deviceId);
	nsys_put(t, USAGE_address, 0);
	nsys_put(t, USAGE_pc, 0);
	nsys_put(t, USAGE_bytes, bytes);
	nsys_put(t, USAGE_memKind, nsys_memory_number(memory));
	nsys_put(t, USAGE_memoryOperationType, gives_back);
	nsys_put_correlation(source, call, CALL_CORRELATION, USAGE_correlationId);
	nsys_row_end(t);
}

void nsys_write_call(struct nsys_source *source, const struct rows *call)
{
	struct nsys_tables *t = &source->out->tables;
	struct text text;
	struct nsys_name *name = nsys_name_of(source, call, CALL_NAME, &text);
	const int64_t result = rows_optional(call, CALL_RESULT, -1);
	if (!name->whole)
		name->whole = nsys_string(t, text);
	nsys_row(t, NSYS_TABLE_RUNTIME);
	nsys_put_times(source, call);
	if (begins(text, "cuda"))
		nsys_put(t, RUNTIME_eventClass, CLASS_RUNTIME);
	else if (begins(text, "cu"))
		nsys_put(t, RUNTIME_eventClass, CLASS_DRIVER);
	nsys_put_thread(source, call, CALL_THREAD, RUNTIME_globalTid);
	nsys_put_correlation(source, call, CALL_CORRELATION, RUNTIME_correlationId);
	if (name->whole)
		nsys_put(t, RUNTIME_nameId, name->whole);
	if (result >= 0)
		nsys_put(t, RUNTIME_returnValue, result);
	const uint32_t stack =
		stacks_find(&source->stacks, (uint64_t)rows_optional(call, CALL_STACK, 0));
	source->stacks_used[stack] = stacks_frames(&source->stacks, stack) > 0;
	if (source->stacks_used[stack])
		nsys_put(t, RUNTIME_callchainId, source->out->chains_from + stack);
	nsys_row_end(t);
	nsys_payloads_call(source, call, text);
	put_usage(source, call, text.bytes > 0 && memmem(text.at, text.bytes, "Free", 4));
}

static void put_frame(struct nsys_source *source, uint32_t stack, uint32_t depth)
{
	struct nsys_tables *t = &source->out->tables;
	const char *module = stacks_python_file(&source->stacks, stack, depth);
	char frame[FRAME_BYTES];
	if (stacks_frame_kind(&source->stacks, stack, depth) == BATON_FRAME_NATIVE)
		module = stacks_native_library(&source->stacks, stack, depth);
	stacks_frame_text(&source->stacks, stack, depth, frame, sizeof(frame));
	const uint32_t symbol = nsys_string(t, nsys_text_of(frame));
	const uint32_t file = module ? nsys_string(t, nsys_text_of(module)) : 0;
	nsys_row(t, NSYS_TABLE_CHAIN);
	nsys_put(t, CHAIN_id, source->out->chains_from + stack);
	if (symbol)
		nsys_put(t, CHAIN_symbol, symbol);
	if (file)
		nsys_put(t, CHAIN_module, file);
	nsys_put(t, CHAIN_stackDepth, depth);
	nsys_row_end(t);
}

int nsys_write_chains(struct nsys_source *source)
{
	const struct stacks *stacks = &source->stacks;
	for (uint32_t i = 1; i < stacks->n_stacks && !source->out->tables.error; i++)
		for (uint32_t depth = 0; source->stacks_used[i] && depth < stacks_frames(stacks, i);
			 depth++)
			put_frame(source, i, depth);
	source->out->chains_from += stacks->n_stacks;
	return source->out->tables.error;
}

/* ---- ranges ---- */

static const struct {
	int64_t category;
	int type;
} range_types[] = {{BATON_RANGE_NVTX, TYPE_PUSHED},       {BATON_RANGE_NVTX_SPAN, TYPE_STARTED},
				   {BATON_RANGE_ANNOTATION, TYPE_PUSHED}, {BATON_RANGE_OPERATOR, TYPE_PUSHED},
				   {BATON_RANGE_MARK, TYPE_MARK},         {BATON_RANGE_OPTIMIZER, TYPE_MARK}};

/* 0: frames of Python, which are no ranges of the program's own. */
static int type_of(int64_t category)
{
	for (size_t i = 0; i < sizeof(range_types) / sizeof(range_types[0]); i++)
		if (range_types[i].category == category)
			return range_types[i].type;
	return 0;
}

/* nsys makes a domain known by a row before its first range. */
static int32_t new_domain(struct nsys_source *source, const struct rows *range, struct text name)
{
	struct nsys_tables *t = &source->out->tables;
	nsys_row(t, NSYS_TABLE_RANGE);
	nsys_put(t, RANGE_start, nsys_time(source, rows_value(range, RANGE_START)));
	nsys_put(t, RANGE_eventType, TYPE_DOMAIN);
	nsys_put_text(t, RANGE_text, name);
	nsys_put_thread(source, range, RANGE_THREAD, RANGE_globalTid);
	nsys_put(t, RANGE_domainId, ++source->domains);
	nsys_row_end(t);
	return source->domains;
}

/* Ends of an optimizer's steps are marks of two domains, which an import knows (nsys_nvtx.c). */
static int32_t domain_of(struct nsys_source *source, const struct rows *range)
{
	struct text text;
	struct nsys_name *name = nsys_name_of(source, range, RANGE_DOMAIN, &text);
	int32_t *domain = &name->domain;
	if (rows_value(range, RANGE_CATEGORY) == BATON_RANGE_OPTIMIZER) {
		const bool again = text.bytes > 0;
		domain = &source->optimizers[again];
		text = nsys_text_of(again ? "baton.optimizer.again" : "baton.optimizer");
	}
	if (text.bytes > 0 && *domain == 0)
		*domain = new_domain(source, range, text);
	return *domain;
}

void nsys_write_range(struct nsys_source *source, const struct rows *range)
{
	struct nsys_tables *t = &source->out->tables;
	const int type = type_of(rows_value(range, RANGE_CATEGORY));
	struct text text;
	if (type == 0)
		return;
	const int32_t domain = domain_of(source, range);
	nsys_name_of(source, range, RANGE_NAME, &text);
	const struct nsys_collective *collective = nsys_payloads_of(source, range, text, domain);
	nsys_row(t, NSYS_TABLE_RANGE);
	nsys_put_times(source, range);
	if (type == TYPE_MARK || rows_optional(range, RANGE_UNCLOSED, 0) != 0)
		nsys_put_none(t, RANGE_end);
	nsys_put(t, RANGE_eventType, type);
	nsys_put_text(t, RANGE_text, text);
	nsys_put_thread(source, range, RANGE_THREAD, RANGE_globalTid);
	nsys_put(t, RANGE_domainId, domain);
	if (collective)
		nsys_payloads_put(source, collective);
	else
		nsys_put_inputs(source, range);
	nsys_row_end(t);
}

/* ---- synchronisation ---- */

static void put_event(struct nsys_source *source, const struct rows *sync, int column)
{
	nsys_put(&source->out->tables, column, rows_optional(sync, SYNC_EVENT, DOES_NOT_APPLY));
}

/* eventSyncId joins a wait to its record: the correlation id of the record, which is unique. */
static void write_record(struct nsys_source *source, const struct rows *sync)
{
	struct nsys_tables *t = &source->out->tables;
	nsys_row(t, NSYS_TABLE_EVENT);
	nsys_put(t, EVENT_timestamp, nsys_time(source, rows_value(sync, SYNC_START)));
	if (!nsys_put_stream(source, sync, SYNC_STREAM, EVENT_deviceId))
		nsys_put(t, EVENT_streamId, DOES_NOT_APPLY);
	nsys_put_correlation(source, sync, SYNC_CORRELATION, EVENT_correlationId);
	nsys_put(t, EVENT_globalPid, source->member->global);
	put_event(source, sync, EVENT_eventId);
	nsys_put_correlation(source, sync, SYNC_CORRELATION, EVENT_eventSyncId);
	nsys_row_end(t);
}

void nsys_write_sync(struct nsys_source *source, const struct rows *sync)
{
	static const uint8_t types[] = {[BATON_SYNC_STREAM_WAIT] = 2,
									[BATON_SYNC_EVENT] = 1,
									[BATON_SYNC_STREAM] = 3,
									[BATON_SYNC_CONTEXT] = 4};
	struct nsys_tables *t = &source->out->tables;
	const int64_t kind = rows_value(sync, SYNC_KIND);
	if (kind == BATON_SYNC_EVENT_RECORD)
		write_record(source, sync);
	if (kind < BATON_SYNC_STREAM_WAIT || kind > BATON_SYNC_CONTEXT)
		return; /* host functions and peers, which nsys does not have */
	nsys_row(t, NSYS_TABLE_SYNC);
	nsys_put_times(source, sync);
	if (!nsys_put_stream(source, sync, SYNC_STREAM, SYNC_deviceId))
		nsys_put(t, SYNC_streamId, DOES_NOT_APPLY);
	nsys_put_correlation(source, sync, SYNC_CORRELATION, SYNC_correlationId);
	nsys_put(t, SYNC_globalPid, source->member->global);
	nsys_put(t, SYNC_syncType, types[kind]);
	put_event(source, sync, SYNC_eventId);
	nsys_put_correlation(source, sync, SYNC_RECORD_CORRELATION, SYNC_eventSyncId);
	nsys_row_end(t);
}

/* ---- overhead ---- */

void nsys_write_overhead(struct nsys_source *source, const struct rows *overhead)
{
	struct nsys_tables *t = &source->out->tables;
	const int64_t kind = rows_value(overhead, OVERHEAD_KIND);
	struct text text;
	struct nsys_name *name = nsys_name_of(source, overhead, OVERHEAD_NAME, &text);
	if (!name->whole)
		name->whole = nsys_string(t, text);
	nsys_row(t, NSYS_TABLE_OVERHEAD);
	nsys_put_times(source, overhead);
	nsys_put_thread(source, overhead, OVERHEAD_THREAD, OVERHEAD_globalTid);
	if (name->whole)
		nsys_put(t, OVERHEAD_nameId, name->whole);
	nsys_put(t, OVERHEAD_overheadType,
			 kind == BATON_OVERHEAD_MODULE_LOAD   ? OVERHEAD_MODULE
			 : kind == BATON_OVERHEAD_BUFFER_FULL ? OVERHEAD_COMMANDS
												  : OVERHEAD_INSTRUMENTATION);
	nsys_row_end(t);
}
