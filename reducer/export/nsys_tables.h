/* The tables of an export in the schema of nsys 2023.4, and the file that they are written to.
 * Columns of later versions stand where those have something that baton knows. As in nsys a table
 * is there when it has a row. A column that is not put is NULL. */
#ifndef EXPORT_NSYS_TABLES_H
#define EXPORT_NSYS_TABLES_H

#include "base/strings.h"

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* X(table, column, type): what an op of the GPU says in all tables. */
#define NSYS_PLACE(X, t) \
	X(t, start, "INTEGER NOT NULL") \
	X(t, end, "INTEGER NOT NULL") \
	X(t, deviceId, "INTEGER") \
	X(t, contextId, "INTEGER") X(t, greenContextId, "INTEGER") X(t, streamId, "INTEGER") \
	X(t, correlationId, "INTEGER") X(t, globalPid, "INTEGER")

#define NSYS_STRING_COLUMNS(X) \
	X(STRING, id, "INTEGER NOT NULL PRIMARY KEY") X(STRING, value, "TEXT NOT NULL")
#define NSYS_KERNEL_COLUMNS(X) \
	NSYS_PLACE(X, KERNEL) \
	X(KERNEL, demangledName, "INTEGER") \
	X(KERNEL, shortName, "INTEGER") \
	X(KERNEL, mangledName, "INTEGER") \
	X(KERNEL, launchType, "INTEGER") \
	X(KERNEL, cacheConfig, "INTEGER") X(KERNEL, registersPerThread, "INTEGER") \
	X(KERNEL, gridX, "INTEGER") X(KERNEL, gridY, "INTEGER") X(KERNEL, gridZ, "INTEGER") \
	X(KERNEL, blockX, "INTEGER") X(KERNEL, blockY, "INTEGER") X(KERNEL, blockZ, "INTEGER") \
	X(KERNEL, staticSharedMemory, "INTEGER") X(KERNEL, dynamicSharedMemory, "INTEGER") \
	X(KERNEL, localMemoryPerThread, "INTEGER") \
	X(KERNEL, localMemoryTotal, "INTEGER") X(KERNEL, gridId, "INTEGER") \
	X(KERNEL, sharedMemoryExecuted, "INTEGER") \
	X(KERNEL, graphNodeId, "INTEGER") \
	X(KERNEL, sharedMemoryLimitConfig, "INTEGER") \
	X(KERNEL, clusterX, "INTEGER") \
	X(KERNEL, clusterY, "INTEGER") \
	X(KERNEL, clusterZ, "INTEGER")
#define NSYS_MEMCPY_COLUMNS(X) \
	NSYS_PLACE(X, MEMCPY) \
	X(MEMCPY, bytes, "INTEGER") \
	X(MEMCPY, copyKind, "INTEGER NOT NULL") \
	X(MEMCPY, deprecatedSrcId, "INTEGER") \
	X(MEMCPY, srcKind, "INTEGER") \
	X(MEMCPY, dstKind, "INTEGER") X(MEMCPY, srcDeviceId, "INTEGER") \
	X(MEMCPY, srcContextId, "INTEGER") X(MEMCPY, dstDeviceId, "INTEGER") \
	X(MEMCPY, dstContextId, "INTEGER") X(MEMCPY, migrationCause, "INTEGER") \
	X(MEMCPY, graphNodeId, "INTEGER") X(MEMCPY, virtualAddress, "INTEGER")
#define NSYS_MEMSET_COLUMNS(X) \
	NSYS_PLACE(X, MEMSET) \
	X(MEMSET, value, "INTEGER") \
	X(MEMSET, bytes, "INTEGER") X(MEMSET, graphNodeId, "INTEGER") X(MEMSET, memKind, "INTEGER")
#define NSYS_GRAPH_COLUMNS(X) \
	NSYS_PLACE(X, GRAPH) \
	X(GRAPH, graphId, "INTEGER") X(GRAPH, graphExecId, "INTEGER")
#define NSYS_SYNC_COLUMNS(X) \
	NSYS_PLACE(X, SYNC) \
	X(SYNC, syncType, "INTEGER NOT NULL") \
	X(SYNC, eventId, "INTEGER NOT NULL") X(SYNC, eventSyncId, "INTEGER")
#define NSYS_EVENT_COLUMNS(X) \
	X(EVENT, timestamp, "INTEGER NOT NULL") \
	X(EVENT, deviceId, "INTEGER") \
	X(EVENT, contextId, "INTEGER") \
	X(EVENT, greenContextId, "INTEGER") X(EVENT, streamId, "INTEGER") \
	X(EVENT, correlationId, "INTEGER") X(EVENT, globalPid, "INTEGER") \
	X(EVENT, eventId, "INTEGER NOT NULL") X(EVENT, eventSyncId, "INTEGER")
#define NSYS_RUNTIME_COLUMNS(X) \
	X(RUNTIME, start, "INTEGER NOT NULL") \
	X(RUNTIME, end, "INTEGER NOT NULL") \
	X(RUNTIME, eventClass, "INTEGER") \
	X(RUNTIME, globalTid, "INTEGER") X(RUNTIME, correlationId, "INTEGER") \
	X(RUNTIME, nameId, "INTEGER") X(RUNTIME, returnValue, "INTEGER") \
	X(RUNTIME, callchainId, "INTEGER")
#define NSYS_USAGE_COLUMNS(X) \
	X(USAGE, start, "INTEGER NOT NULL") X(USAGE, globalPid, "INTEGER NOT NULL") \
	X(USAGE, deviceId, "INTEGER NOT NULL") X(USAGE, contextId, "INTEGER NOT NULL") \
	X(USAGE, address, "INTEGER NOT NULL") X(USAGE, pc, "INTEGER NOT NULL") \
	X(USAGE, bytes, "INTEGER NOT NULL") X(USAGE, memKind, "INTEGER NOT NULL") \
	X(USAGE, memoryOperationType, "INTEGER NOT NULL") X(USAGE, name, "TEXT") \
	X(USAGE, correlationId, "INTEGER")
#define NSYS_CHAIN_COLUMNS(X) \
	X(CHAIN, id, "INTEGER NOT NULL") X(CHAIN, symbol, "INTEGER") X(CHAIN, module, "INTEGER") \
	X(CHAIN, unresolved, "INTEGER") X(CHAIN, originalIP, "INTEGER") \
	X(CHAIN, stackDepth, "INTEGER NOT NULL")
#define NSYS_RANGE_COLUMNS(X) \
	X(RANGE, start, "INTEGER NOT NULL") \
	X(RANGE, end, "INTEGER") \
	X(RANGE, eventType, "INTEGER NOT NULL") \
	X(RANGE, rangeId, "INTEGER") X(RANGE, category, "INTEGER") X(RANGE, color, "INTEGER") \
	X(RANGE, text, "TEXT") X(RANGE, globalTid, "INTEGER") X(RANGE, endGlobalTid, "INTEGER") \
	X(RANGE, textId, "INTEGER") X(RANGE, domainId, "INTEGER") \
	X(RANGE, uint64Value, "INTEGER") X(RANGE, int64Value, "INTEGER") \
	X(RANGE, doubleValue, "REAL") X(RANGE, uint32Value, "INTEGER") \
	X(RANGE, int32Value, "INTEGER") X(RANGE, floatValue, "REAL") \
	X(RANGE, jsonTextId, "INTEGER") X(RANGE, jsonText, "TEXT") X(RANGE, binaryData, "TEXT")
#define NSYS_SCHEMA_COLUMNS(X) \
	X(SCHEMA, domainId, "INTEGER") X(SCHEMA, schemaId, "INTEGER") X(SCHEMA, name, "TEXT") \
	X(SCHEMA, type, "INTEGER") X(SCHEMA, flags, "INTEGER") X(SCHEMA, numEntries, "INTEGER") \
	X(SCHEMA, payloadSize, "INTEGER") X(SCHEMA, alignTo, "INTEGER")
#define NSYS_ENTRY_COLUMNS(X) \
	X(ENTRY, domainId, "INTEGER NOT NULL") \
	X(ENTRY, schemaId, "INTEGER NOT NULL") \
	X(ENTRY, idx, "INTEGER NOT NULL") \
	X(ENTRY, flags, "INTEGER") X(ENTRY, type, "INTEGER") X(ENTRY, name, "TEXT") \
	X(ENTRY, description, "TEXT") X(ENTRY, arrayOrUnionDetail, "INTEGER") \
	X(ENTRY, offset, "INTEGER")
#define NSYS_OVERHEAD_COLUMNS(X) \
	X(OVERHEAD, start, "INTEGER NOT NULL") \
	X(OVERHEAD, end, "INTEGER NOT NULL") \
	X(OVERHEAD, globalTid, "INTEGER") \
	X(OVERHEAD, nameId, "INTEGER") X(OVERHEAD, overheadType, "INTEGER NOT NULL")
#define NSYS_THREAD_COLUMNS(X) \
	X(THREAD, nameId, "INTEGER NOT NULL") \
	X(THREAD, priority, "INTEGER") X(THREAD, globalTid, "INTEGER")
#define NSYS_PROCESS_COLUMNS(X) \
	X(PROCESS, globalPid, "INTEGER") X(PROCESS, pid, "INTEGER") X(PROCESS, name, "TEXT")
#define NSYS_ENVIRONMENT_COLUMNS(X) \
	X(ENVIRONMENT, globalVid, "INTEGER") \
	X(ENVIRONMENT, devStateName, "TEXT NOT NULL") \
	X(ENVIRONMENT, name, "TEXT NOT NULL") \
	X(ENVIRONMENT, nameEnum, "INTEGER NOT NULL") X(ENVIRONMENT, value, "TEXT NOT NULL")
#define NSYS_SESSION_COLUMNS(X) \
	X(SESSION, utcEpochNs, "INTEGER") X(SESSION, utcTime, "TEXT") X(SESSION, localTime, "TEXT")
#define NSYS_ANALYSIS_COLUMNS(X) \
	X(ANALYSIS, globalVid, "INTEGER NOT NULL") \
	X(ANALYSIS, duration, "INTEGER NOT NULL") \
	X(ANALYSIS, startTime, "INTEGER NOT NULL") X(ANALYSIS, stopTime, "INTEGER NOT NULL")
#define NSYS_GPU_COLUMNS(X) \
	X(GPU, vmId, "INTEGER NOT NULL") \
	X(GPU, id, "INTEGER NOT NULL") \
	X(GPU, name, "TEXT") \
	X(GPU, busLocation, "TEXT") X(GPU, isDiscrete, "INTEGER") X(GPU, l2CacheSize, "INTEGER") \
	X(GPU, totalMemory, "INTEGER") X(GPU, memoryBandwidth, "INTEGER") \
	X(GPU, clockRate, "INTEGER") X(GPU, smCount, "INTEGER") X(GPU, pwGpuId, "INTEGER") \
	X(GPU, uuid, "TEXT") X(GPU, luid, "INTEGER") X(GPU, chipName, "TEXT") \
	X(GPU, cuDevice, "INTEGER")
#define NSYS_STREAM_COLUMNS(X) \
	X(STREAM, streamId, "INTEGER NOT NULL") X(STREAM, hwId, "INTEGER NOT NULL") \
	X(STREAM, vmId, "INTEGER NOT NULL") X(STREAM, processId, "INTEGER NOT NULL") \
	X(STREAM, contextId, "INTEGER NOT NULL") \
	X(STREAM, priority, "INTEGER NOT NULL") X(STREAM, flag, "INTEGER NOT NULL")
#define NSYS_CAPTURE_COLUMNS(X) X(CAPTURE, name, "TEXT NOT NULL") X(CAPTURE, value, "TEXT")
#define NSYS_MADE_COLUMNS(X) X(MADE, name, "TEXT NOT NULL") X(MADE, value, "TEXT")

/* T(table, its name in the file, columns) */
#define NSYS_TABLES(T) \
	T(STRING, "StringIds", NSYS_STRING_COLUMNS) \
	T(KERNEL, "CUPTI_ACTIVITY_KIND_KERNEL", NSYS_KERNEL_COLUMNS) \
	T(MEMCPY, "CUPTI_ACTIVITY_KIND_MEMCPY", NSYS_MEMCPY_COLUMNS) \
	T(MEMSET, "CUPTI_ACTIVITY_KIND_MEMSET", NSYS_MEMSET_COLUMNS) \
	T(GRAPH, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NSYS_GRAPH_COLUMNS) \
	T(SYNC, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", NSYS_SYNC_COLUMNS) \
	T(EVENT, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", NSYS_EVENT_COLUMNS) \
	T(RUNTIME, "CUPTI_ACTIVITY_KIND_RUNTIME", NSYS_RUNTIME_COLUMNS) \
	T(USAGE, "CUDA_GPU_MEMORY_USAGE_EVENTS", NSYS_USAGE_COLUMNS) \
	T(CHAIN, "CUDA_CALLCHAINS", NSYS_CHAIN_COLUMNS) \
	T(RANGE, "NVTX_EVENTS", NSYS_RANGE_COLUMNS) \
	T(SCHEMA, "NVTX_PAYLOAD_SCHEMAS", NSYS_SCHEMA_COLUMNS) \
	T(ENTRY, "NVTX_PAYLOAD_SCHEMA_ENTRIES", NSYS_ENTRY_COLUMNS) \
	T(OVERHEAD, "PROFILER_OVERHEAD", NSYS_OVERHEAD_COLUMNS) \
	T(THREAD, "ThreadNames", NSYS_THREAD_COLUMNS) \
	T(PROCESS, "PROCESSES", NSYS_PROCESS_COLUMNS) \
	T(ENVIRONMENT, "TARGET_INFO_SYSTEM_ENV", NSYS_ENVIRONMENT_COLUMNS) \
	T(SESSION, "TARGET_INFO_SESSION_START_TIME", NSYS_SESSION_COLUMNS) \
	T(ANALYSIS, "ANALYSIS_DETAILS", NSYS_ANALYSIS_COLUMNS) \
	T(GPU, "TARGET_INFO_GPU", NSYS_GPU_COLUMNS) \
	T(STREAM, "TARGET_INFO_CUDA_STREAM", NSYS_STREAM_COLUMNS) \
	T(CAPTURE, "META_DATA_CAPTURE", NSYS_CAPTURE_COLUMNS) \
	T(MADE, "META_DATA_EXPORT", NSYS_MADE_COLUMNS)
/* clang-format on */

#define NSYS_TABLE_NUMBER(table, name, columns) NSYS_TABLE_##table,
#define NSYS_COLUMN_NUMBER(table, column, type) table##_##column,
#define NSYS_COLUMN_NUMBERS(table, name, columns) \
	enum { columns(NSYS_COLUMN_NUMBER) NSYS_##table##_COLUMNS_END };

enum nsys_table_number { NSYS_TABLES(NSYS_TABLE_NUMBER) NSYS_TABLES_END };
NSYS_TABLES(NSYS_COLUMN_NUMBERS)

struct sqlite3;
struct sqlite3_stmt;

struct nsys_tables {
	struct sqlite3 *db;
	struct sqlite3_stmt *inserts[NSYS_TABLES_END]; /* NULL: the table is not made yet */
	struct sqlite3_stmt *now;                      /* of the row that is put; NULL after an error */
	struct strings pool;                           /* StringIds */
	char *clean;                                   /* of a text that is no UTF-8 */
	size_t clean_room;
	int error; /* the first one, -errno */
};

/* Makes the file, which must not exist. Call nsys_tables_close() in any case. 0 or -errno. */
int nsys_tables_open(struct nsys_tables *tables, const char *path);
/* Ends the file. 0 or the first -errno. */
int nsys_tables_close(struct nsys_tables *tables);

/* A row: nsys_row(), nsys_put...() for each column that is known, nsys_row_end(). After an error
 * they do nothing. */
void nsys_row(struct nsys_tables *tables, enum nsys_table_number table);
void nsys_put(struct nsys_tables *tables, int column, int64_t value);
void nsys_put_none(struct nsys_tables *tables, int column); /* takes back what was put */
void nsys_put_text(struct nsys_tables *tables, int column, struct text text);
void nsys_put_bytes(struct nsys_tables *tables, int column, const void *bytes, size_t n);
void nsys_row_end(struct nsys_tables *tables);

/* A text's number in StringIds, also in the middle of a row; 0: it is empty, or after an error. */
uint32_t nsys_string(struct nsys_tables *tables, struct text text);
/* The same of a kernel's name without return type, namespaces and arguments. */
uint32_t nsys_short_string(struct nsys_tables *tables, struct text name);

/* Makes an ENUM_* table: the names and labels of numbers. Ends with one without a name. */
struct nsys_word {
	int number;
	const char *name, *label;
};
void nsys_put_words(struct nsys_tables *tables, const char *table, const struct nsys_word *words);
/* Makes a table without rows, for readers that ask for it. */
void nsys_make_table(struct nsys_tables *tables, enum nsys_table_number table);

static inline struct text nsys_text_of(const char *text)
{
	return (struct text){text, (uint32_t)__builtin_strlen(text)};
}

#endif
