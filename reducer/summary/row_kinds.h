/* The fields of each kind of record, and the rules for each kind of row: the lists of
 * <baton/summary_format.h> as tables. Storing, loading, merging, sorting and printing walk them. */
#ifndef SUMMARY_ROW_KINDS_H
#define SUMMARY_ROW_KINDS_H

#include "summary/rows.h"

enum field_holds { HOLDS_NUMBERS, HOLDS_TEXT, HOLDS_LEAF, HOLDS_NOTHING };

enum field_merge {
	MERGE_KEY,
	MERGE_SUM,
	MERGE_MOST,
	MERGE_LEAST,
	MERGE_KNOWN_SUM,
	MERGE_FIRST_TEXT,
	MERGE_RECOUNTED,
	MERGE_OWN
};

struct field {
	const char *name;
	const char *json;  /* its JSON name where that differs, else NULL */
	uint8_t json_part; /* 0: not printed */
	uint8_t holds;     /* enum field_holds */
	uint8_t merge;     /* enum field_merge */
	bool totalled;
	uint16_t offset; /* in the row; in the record a record head further */
	uint16_t bytes;  /* 4 for one small number, or 8 for each of one or more */
	int64_t least, most;
};

struct record_kind {
	const struct field *fields;
	uint16_t n_fields;
	uint16_t bytes; /* what a record has at least, and what is written; 0: no such record */
};

/* The record kind of a type of <baton/summary_format.h>; unknown types give an empty one. */
const struct record_kind *record_kind(unsigned type);

enum { ROW_ORDER_MOST = 6, RECORD_BYTES_MOST = 256 /* fields and head */ };

/* Totals over the rows of several kinds. Loading checks that each stays within BATON_TIME_LIMIT_NS,
 * so that views can add without overflow. */
enum row_total {
	TOTAL_NONE,
	TOTAL_SITES,
	TOTAL_SPREADS,
	TOTAL_LATE,
	TOTAL_COPIES,
	TOTAL_PAIRS,
	TOTAL_SERIES,
	TOTALS
};

struct row_rules {
	unsigned type; /* type of its records */
	struct table_shape shape;
	/* The canonical order, as names of fields: ascending, or descending with "-" before the name.
	 * The result of `weight` is the field "weight". */
	const char *order[ROW_ORDER_MOST];
	int64_t (*weight)(const void *row);
	enum row_total total;
	bool (*ok)(const void *row); /* checks how its fields relate; NULL: nothing to check */
	/* Decides, before any field of `into` changes, the fields with rule OWN that depend on others
	 * or on texts, which are in the pool of this summary. NULL: there are none. */
	void (*choose)(const struct summary *, void *into, const void *from);
	/* Merges the fields with rule OWN and what lies outside of fields. 0 or -ENOMEM; NULL: nothing
	 * to merge. */
	int (*merge)(void *into, const void *from);
	void (*free)(void *row); /* frees what the row owns; NULL: nothing */
};

extern const struct row_rules row_rules[ROW_KINDS];

/* Number `i` of a field. */
int64_t field_get(const struct field *field, const void *row, unsigned i);
void field_set(const struct field *field, void *row, unsigned i, int64_t value);
unsigned field_numbers(const struct field *field);

#endif
