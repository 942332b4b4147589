/* The tables (kinds 16 to 31): the name and the type of each column, and which a block must have
 * (docs/FORMAT.md section 4). */
#ifndef BATON_FORMAT_TABLES_H
#define BATON_FORMAT_TABLES_H

#include <baton/format/columns.h>
#include <baton/format/file.h>

enum baton_column_type {
	BATON_T_TIME,
	BATON_T_DURATION,
	BATON_T_U8,
	BATON_T_U32,
	BATON_T_U64,
	BATON_T_STRING,
	BATON_T_ID
};

struct baton_column {
	const char *name;
	uint8_t type;     /* enum baton_column_type */
	uint8_t required; /* 1: a block without it is damaged */
};

#define BATON_MAX_COLUMNS 14

struct baton_table {
	uint16_t kind;
	uint16_t n_columns;
	const char *name;
	struct baton_column columns[BATON_MAX_COLUMNS];
	/* columns of the stream, thread, ... that a row follows others of, and of what it is called:
	 * they predict others (baton/predict.h) */
	uint8_t chain, name_of;
};

static const struct baton_table baton_tables[] = {
	{BATON_OP,
	 OP_COLUMNS,
	 "op",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"op_kind", BATON_T_U8, 1},
	  {"stream", BATON_T_ID, 1},
	  {"correlation", BATON_T_U64, 1},
	  {"name", BATON_T_STRING, 1},
	  {"bytes", BATON_T_U64, 0},
	  {"copy_dir", BATON_T_U8, 0},
	  {"pageable", BATON_T_U8, 0},
	  {"graph_node", BATON_T_U64, 0},
	  {"shape", BATON_T_ID, 0},
	  {"memory", BATON_T_U8, 0},
	  {"source", BATON_T_ID, 0},
	  {"target", BATON_T_ID, 0}},
	 OP_STREAM,
	 OP_NAME},
	{BATON_CALL,
	 CALL_COLUMNS,
	 "call",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"name", BATON_T_STRING, 1},
	  {"correlation", BATON_T_U64, 1},
	  {"stack", BATON_T_ID, 0},
	  {"device", BATON_T_ID, 0},
	  {"result", BATON_T_U32, 0},
	  {"bytes", BATON_T_U64, 0},
	  {"memory", BATON_T_U8, 0}},
	 CALL_THREAD,
	 CALL_NAME},
	{BATON_RANGE,
	 RANGE_COLUMNS,
	 "range",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"name", BATON_T_STRING, 1},
	  {"category", BATON_T_U8, 1},
	  {"domain", BATON_T_STRING, 0},
	  {"unclosed", BATON_T_U8, 0},
	  {"inputs", BATON_T_ID, 0}},
	 RANGE_THREAD,
	 RANGE_NAME},
	{BATON_COLLECTIVE,
	 COLL_COLUMNS,
	 "collective",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"correlation", BATON_T_U64, 1},
	  {"comm", BATON_T_ID, 1},
	  {"coll", BATON_T_U8, 1},
	  {"bytes", BATON_T_U64, 0},
	  {"out_bytes", BATON_T_U64, 0},
	  {"dtype", BATON_T_STRING, 0},
	  {"sequence", BATON_T_U64, 0},
	  {"peer", BATON_T_U32, 0}},
	 COLL_COMM,
	 COLL_KIND},
	{BATON_SYNC,
	 SYNC_COLUMNS,
	 "sync",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"sync_kind", BATON_T_U8, 1},
	  {"stream", BATON_T_ID, 1},
	  {"correlation", BATON_T_U64, 0},
	  {"event", BATON_T_U64, 0},
	  {"record_correlation", BATON_T_U64, 0}},
	 SYNC_STREAM,
	 SYNC_KIND},
	{BATON_OVERHEAD,
	 OVERHEAD_COLUMNS,
	 "overhead",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"overhead_kind", BATON_T_U8, 1},
	  {"name", BATON_T_STRING, 0}},
	 OVERHEAD_THREAD,
	 OVERHEAD_KIND},
	{BATON_SCHED,
	 SCHED_COLUMNS,
	 "sched",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"slept_ns", BATON_T_U64, 1},
	  {"waited_ns", BATON_T_U64, 1},
	  {"stack", BATON_T_ID, 0},
	  {"holder", BATON_T_ID, 0},
	  {"holder_stack", BATON_T_ID, 0}},
	 SCHED_THREAD,
	 SCHED_THREAD},
	{BATON_GAUGE,
	 GAUGE_COLUMNS,
	 "gauge",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"device", BATON_T_ID, 1},
	  {"gauge", BATON_T_U8, 1},
	  {"value", BATON_T_U64, 1}},
	 GAUGE_DEVICE,
	 GAUGE_WHICH},
};

#define BATON_TABLES (sizeof(baton_tables) / sizeof(baton_tables[0]))

/* Columns of all tables together. */
enum {
	BATON_ALL_COLUMNS = (int)OP_COLUMNS + (int)CALL_COLUMNS + (int)RANGE_COLUMNS +
						(int)COLL_COLUMNS + (int)SYNC_COLUMNS + (int)OVERHEAD_COLUMNS +
						(int)SCHED_COLUMNS + (int)GAUGE_COLUMNS
};

/* The table of a block kind, NULL when this version defines none. */
static inline const struct baton_table *baton_table(unsigned kind)
{
	if (kind < BATON_OP || kind >= BATON_KINDS_END)
		return NULL;
	return &baton_tables[kind - BATON_OP];
}

#endif
