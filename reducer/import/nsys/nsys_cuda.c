/* CUPTI_ACTIVITY_KIND_* tables: API calls, synchronisation, overhead. */
#include "import/nsys/nsys_cuda.h"

#include "import/nsys/nsys_chains.h"
#include "import/nsys/nsys_nccl.h"
#include "import/nsys/nsys_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- calls ---- */

/* What the call allocated or gave back: the columns that it adds. */
static uint32_t take_usage(const struct nsys_usage *usage, const struct nsys_process *process,
						   int64_t *row)
{
	const struct nsys_usage_row *said = nsys_usage_find(usage, process, row[CALL_CORRELATION]);
	if (!said)
		return 0;
	row[CALL_BYTES] = said->bytes;
	row[CALL_MEMORY] = said->kind;
	return 1u << CALL_BYTES | 1u << CALL_MEMORY;
}

/* The table of runtime calls holds the driver's too. Names stay as they are, with their version
 * suffix. */
void nsys_read_calls(struct nsys_file *file)
{
	static const struct nsys_table table = {
		.name = "CUPTI_ACTIVITY_KIND_RUNTIME",
		.fields = {{.column = "start"},
				   {.column = "end"},
				   {.column = "globalTid"},
				   {.column = "correlationId"},
				   {"nameId", NSYS_STRING},
				   {.column = "returnValue"},
				   {.column = "callchainId"}},
	};
	struct nsys_usage usage;
	struct nsys_scan scan;
	nsys_usage_load(&usage, file);
	nsys_scan_open(&scan, &file->db, &table);
	while (nsys_scan_next(&scan)) {
		int64_t row[BATON_MAX_COLUMNS] = {0}, start_ns, end_ns;
		size_t bytes = 0;
		struct nsys_process *process = nsys_process_of(file, &scan, 2);
		if (!process)
			continue;
		if (!nsys_int(&scan, 0, &start_ns) || !nsys_int(&scan, 1, &end_ns)) {
			nsys_refuse(file, NSYS_NO_TIME);
			continue;
		}
		const char *name = nsys_text(&scan, 4, &bytes);
		row[CALL_THREAD] = nsys_thread_of(process, &scan, 2);
		row[CALL_NAME] = name ? trace_out_string(process->out, name, bytes) : 0;
		row[CALL_CORRELATION] = nsys_int_or(&scan, 3, 0);
		int64_t result = nsys_int_or(&scan, 5, -1);
		const bool has_result = result >= 0 && result <= UINT32_MAX;
		row[CALL_RESULT] = has_result ? result : 0;
		uint32_t present = has_result ? 1u << CALL_RESULT : 0;
		if (nsys_int(&scan, 6, &row[CALL_STACK]))
			row[CALL_STACK] = nsys_chains_stack(file->chains, process, row[CALL_STACK]);
		present |= row[CALL_STACK] ? 1u << CALL_STACK : 0;
		present |= take_usage(&usage, process, row);
		nsys_add_row(file, process, BATON_CALL, start_ns, end_ns, row, present);
		nsys_nccl_call(file->nccl, process, nsys_int_or(&scan, 2, 0),
					   &(struct nsys_interval){row[CALL_CORRELATION], start_ns, end_ns});
	}
	nsys_usage_free(&usage);
}

/* ---- synchronisation ---- */

#define INVALID_ID 4294967295 /* CUPTI's "does not apply" */

enum {
	SYNC_BEGIN,
	SYNC_END,
	SYNC_PROCESS,
	SYNC_DEVICE,
	SYNC_CONTEXT,
	SYNC_LANE,
	SYNC_CORR,
	SYNC_ID,
	SYNC_TYPE,
	SYNC_RECORD
};

#define SYNC_FIELDS                                                           \
	{.column = "globalPid"}, {.column = "deviceId"}, {.column = "contextId"}, \
		{.column = "streamId"}, {.column = "correlationId"},                  \
	{                                                                         \
		.column = "eventId"                                                   \
	}

static const struct nsys_table syncs = {
	.name = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
	.fields = {{.column = "start"},
			   {.column = "end"},
			   SYNC_FIELDS,
			   {.column = "syncType"},
			   {"e.correlation", NSYS_JOINED}},
	.join = "LEFT JOIN (SELECT globalPid AS process, eventSyncId AS id, max(correlationId) AS "
			"correlation "
			"FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT GROUP BY 1, 2) AS e "
			"ON e.process = t.globalPid AND e.id = t.eventSyncId AND t.eventSyncId > 0",
	.join_table = "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
	.join_column = "eventSyncId",
};

/* Only newer exports give the device's time of a record, and 0 where it was not collected. */
static const struct nsys_table events = {
	.name = "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
	.fields = {{.column = "timestamp"}, {.column = "timestamp"}, SYNC_FIELDS},
	.tail = "WHERE f0 > 0",
};

static const struct nsys_enum_spec sync_kinds = {
	.table = "ENUM_CUPTI_SYNC_TYPE",
	.rules = {{"STREAM_WAIT", BATON_SYNC_STREAM_WAIT},
			  {"Stream wait", BATON_SYNC_STREAM_WAIT},
			  {"EVENT_SYNC", BATON_SYNC_EVENT},
			  {"Event sync", BATON_SYNC_EVENT},
			  {"STREAM_SYNC", BATON_SYNC_STREAM},
			  {"Stream sync", BATON_SYNC_STREAM},
			  {"CONTEXT_SYNC", BATON_SYNC_CONTEXT},
			  {"Context sync", BATON_SYNC_CONTEXT}},
	.numbers = {0, BATON_SYNC_EVENT, BATON_SYNC_STREAM_WAIT, BATON_SYNC_STREAM, BATON_SYNC_CONTEXT},
};

static uint32_t sync_stream(struct nsys_file *file, struct nsys_process *process,
							const struct nsys_scan *scan)
{
	int64_t stream = nsys_int_or(scan, SYNC_LANE, INVALID_ID), context = 0, ordinal;
	if (stream == INVALID_ID)
		return 0;
	const struct nsys_context *known = NULL;
	if (nsys_int(scan, SYNC_CONTEXT, &context))
		known = nsys_context_of(process, context);
	const struct nsys_device *device = known ? &process->devices[known->device] : NULL;
	if (!device && nsys_int(scan, SYNC_DEVICE, &ordinal))
		device = nsys_device_of(file, process, ordinal);
	return device ? trace_out_stream(process->out, device->id, context, stream) : 0;
}

/* Some drivers give cudaDeviceSynchronize the type "Unknown": what names neither a stream nor an
 * event waits for its context. */
static int64_t sync_kind(const struct nsys_enum *kinds, const struct nsys_scan *scan)
{
	int64_t type = nsys_int_or(scan, SYNC_TYPE, 0), kind = nsys_enum_value(kinds, type);
	bool of_context = nsys_int_or(scan, SYNC_LANE, INVALID_ID) == INVALID_ID &&
					  nsys_int_or(scan, SYNC_ID, INVALID_ID) == INVALID_ID;
	return kind == 0 && type == 0 && of_context ? BATON_SYNC_CONTEXT : kind;
}

static void take_sync(struct nsys_file *file, const struct nsys_scan *scan, int64_t kind)
{
	int64_t row[BATON_MAX_COLUMNS] = {0}, start_ns, end_ns;
	struct nsys_process *process = nsys_process_of(file, scan, SYNC_PROCESS);
	if (!process)
		return;
	if (!nsys_int(scan, SYNC_BEGIN, &start_ns) || !nsys_int(scan, SYNC_END, &end_ns) || kind == 0) {
		nsys_refuse(file, kind == 0 ? NSYS_NO_KIND : NSYS_NO_TIME);
		return;
	}
	uint32_t present = 0;
	row[SYNC_KIND] = kind;
	row[SYNC_STREAM] = sync_stream(file, process, scan);
	if (nsys_int(scan, SYNC_CORR, &row[SYNC_CORRELATION]))
		present |= 1u << SYNC_CORRELATION;
	int64_t event = nsys_int_or(scan, SYNC_ID, INVALID_ID);
	if (event != INVALID_ID) {
		row[SYNC_EVENT] = event;
		present |= 1u << SYNC_EVENT;
	}
	if (kind != BATON_SYNC_EVENT_RECORD &&
		nsys_int(scan, SYNC_RECORD, &row[SYNC_RECORD_CORRELATION]))
		present |= 1u << SYNC_RECORD_CORRELATION;
	nsys_add_row(file, process, BATON_SYNC, start_ns, end_ns, row, present);
}

void nsys_read_syncs(struct nsys_file *file)
{
	struct nsys_enum kinds;
	struct nsys_scan scan;
	nsys_enum_load(&kinds, &file->db, &sync_kinds);
	nsys_scan_open(&scan, &file->db, &syncs);
	while (nsys_scan_next(&scan))
		take_sync(file, &scan, sync_kind(&kinds, &scan));
	nsys_scan_open(&scan, &file->db, &events);
	while (nsys_scan_next(&scan))
		take_sync(file, &scan, BATON_SYNC_EVENT_RECORD);
}

/* ---- overhead ---- */

/* Loading and compiling code is the program's own cost, which nsys lists beside the profiler's. */
static const struct nsys_enum_spec overheads = {
	.table = "ENUM_CUPTI_OVERHEAD_TYPE",
	.rules = {{"MODULE_LOAD", BATON_OVERHEAD_MODULE_LOAD},
			  {"module load", BATON_OVERHEAD_MODULE_LOAD},
			  {"Lazy", BATON_OVERHEAD_MODULE_LOAD},
			  {"COMPILER", BATON_OVERHEAD_MODULE_LOAD},
			  {"COMMAND_BUFFER_FULL", BATON_OVERHEAD_BUFFER_FULL},
			  {"Command buffer full", BATON_OVERHEAD_BUFFER_FULL}},
	.numbers = {[2] = BATON_OVERHEAD_MODULE_LOAD,
				[6] = BATON_OVERHEAD_MODULE_LOAD,
				[7] = BATON_OVERHEAD_MODULE_LOAD,
				[8] = BATON_OVERHEAD_BUFFER_FULL},
};

static void take_overhead(struct nsys_file *file, const struct nsys_scan *scan,
						  const struct nsys_enum *kinds)
{
	int64_t row[BATON_MAX_COLUMNS] = {0}, start_ns, end_ns;
	size_t bytes = 0;
	struct nsys_process *process = nsys_process_of(file, scan, 2);
	if (!process)
		return;
	if (!nsys_int(scan, 0, &start_ns) || !nsys_int(scan, 1, &end_ns)) {
		nsys_refuse(file, NSYS_NO_TIME);
		return;
	}
	int64_t type = nsys_int_or(scan, 4, -1);
	const char *name = nsys_text(scan, 3, &bytes), *label = nsys_enum_label(kinds, type);
	uint8_t kind = nsys_enum_value(kinds, type);
	kind = kind ? kind : nsys_enum_classify(&overheads, name);
	row[OVERHEAD_KIND] = kind ? kind : BATON_OVERHEAD_PROFILER;
	row[OVERHEAD_THREAD] = nsys_thread_of(process, scan, 2);
	row[OVERHEAD_NAME] =
		name ? trace_out_string(process->out, name, bytes) : trace_out_text(process->out, label);
	nsys_add_row(file, process, BATON_OVERHEAD, start_ns, end_ns, row, 1u << OVERHEAD_NAME);
}

void nsys_read_overhead(struct nsys_file *file)
{
	struct nsys_table table = {
		.fields = {{.column = "start"},
				   {.column = "end"},
				   {.column = "globalTid"},
				   {"nameId", NSYS_STRING},
				   {.column = "overheadType"}},
	};
	static const char *const names[] = {"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"};
	struct nsys_enum kinds;
	nsys_enum_load(&kinds, &file->db, &overheads);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct nsys_scan scan;
		table.name = names[i];
		nsys_scan_open(&scan, &file->db, &table);
		while (nsys_scan_next(&scan))
			take_overhead(file, &scan, &kinds);
	}
}

/* ---- streams ---- */

void nsys_read_streams(struct nsys_file *file)
{
	static const struct nsys_table table = {
		.name = "TARGET_INFO_CUDA_STREAM",
		.fields = {{.column = "vmId"},
				   {.column = "processId"},
				   {.column = "contextId"},
				   {.column = "streamId"},
				   {.column = "priority"},
				   {.column = "flag"}},
	};
	struct nsys_scan scan;
	nsys_scan_open(&scan, &file->db, &table);
	while (!file->error && nsys_scan_next(&scan)) {
		struct baton_r_stream of = {0};
		int64_t pid, priority;
		if (!nsys_int(&scan, 1, &pid) || !nsys_int(&scan, 2, &of.context) ||
			!nsys_int(&scan, 3, &of.stream) || !nsys_int(&scan, 4, &priority))
			continue;
		const struct nsys_process *process = nsys_process_on(file, nsys_int_or(&scan, 0, 0), pid);
		const struct nsys_context *context = process ? nsys_context_of(process, of.context) : NULL;
		if (!context)
			continue;
		of.device = process->devices[context->device].id;
		trace_out_priority(process->out, &of,
						   &(struct baton_r_priority){
							   .priority = (int32_t)priority,
							   .kind = (uint32_t)nsys_int_or(&scan, 5, BATON_STREAM_UNKNOWN)});
	}
	nsys_scan_close(&scan);
}
