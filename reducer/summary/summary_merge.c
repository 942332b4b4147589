#include "summary/summary.h"

#include "base/holds.h"
#include "base/sort.h"
#include "summary/merge_sums.h"
#include "summary/row_kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- merging ---- */

/* What is too large for a number is so for the loader too, which refuses it. */
static int64_t bounded_sum(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* -1 means not known and gives way to a number. */
static int64_t known_sum(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : bounded_sum(a, b);
}

static int64_t merged_number(enum field_merge rule, int64_t into, int64_t from)
{
	switch (rule) {
	case MERGE_SUM:
		return bounded_sum(into, from);
	case MERGE_MOST:
		return from > into ? from : into;
	case MERGE_LEAST:
		return from < into ? from : into;
	case MERGE_KNOWN_SUM:
		return known_sum(into, from);
	case MERGE_RECOUNTED:
		return 0;
	default:
		return into;
	}
}

/* Of two texts the first in order of bytes: no order of merging prefers another. */
static uint32_t first_text(const struct summary *s, uint32_t a, uint32_t b)
{
	bool take = b && (!a || strcmp(summary_text(s, b), summary_text(s, a)) < 0);
	return take ? b : a;
}

/* Two rows with the same key, of one pool. */
static void merge_fields(const struct summary *s, const struct record_kind *kind, void *into,
						 const void *from)
{
	for (unsigned f = 0; f < kind->n_fields; f++) {
		const struct field *field = &kind->fields[f];
		for (unsigned i = 0; i < field_numbers(field); i++) {
			int64_t a = field_get(field, into, i), b = field_get(field, from, i);
			int64_t number = field->merge == MERGE_FIRST_TEXT
								 ? first_text(s, (uint32_t)a, (uint32_t)b)
								 : merged_number((enum field_merge)field->merge, a, b);
			field_set(field, into, i, number);
		}
	}
}

/* Merges the fields of a row; the rest of it is the caller's. NULL: out of memory. */
static void *add_fields(struct summary *s, enum row_kind kind, const void *row)
{
	const struct record_kind *record = record_kind(row_rules[kind].type);
	size_t before = s->rows[kind].n;
	void *into = summary_row(s, kind, row);
	if (into && s->rows[kind].n > before)
		memcpy(into, row, record->bytes - sizeof(struct baton_record));
	else if (into) {
		if (row_rules[kind].choose)
			row_rules[kind].choose(s, into, row);
		merge_fields(s, record, into, row);
	}
	return into;
}

static int add_rest(enum row_kind kind, void *into, const void *row)
{
	if (!into)
		return -ENOMEM;
	return row_rules[kind].merge ? row_rules[kind].merge(into, row) : 0;
}

int summary_add(struct summary *summary, enum row_kind kind, const void *row)
{
	return add_rest(kind, add_fields(summary, kind, row), row);
}

/* The fields of a row, its texts as ids of another pool. */
static int translate(struct summary *into, const struct summary *from,
					 const struct record_kind *kind, const void *row, char out[RECORD_BYTES_MOST])
{
	int error = 0;
	memcpy(out, row, kind->bytes - sizeof(struct baton_record));
	for (unsigned i = 0; !error && i < kind->n_fields; i++) {
		const struct field *field = &kind->fields[i];
		uint32_t id;
		if (field->holds != HOLDS_TEXT)
			continue;
		error = summary_string(into, summary_text(from, (uint32_t)field_get(field, row, 0)), &id);
		field_set(field, out, 0, id);
	}
	return error;
}

static int merge_rows(struct summary *into, const struct summary *from, enum row_kind kind)
{
	const struct record_kind *record = record_kind(row_rules[kind].type);
	const size_t row_bytes = row_rules[kind].shape.row_bytes;
	int error = 0;
	for (size_t i = 0; !error && i < from->rows[kind].n; i++) {
		const char *row = (const char *)from->rows[kind].at + i * row_bytes;
		_Alignas(int64_t) char fields[RECORD_BYTES_MOST];
		error = translate(into, from, record, row, fields);
		if (!error)
			error = add_rest(kind, add_fields(into, kind, fields), row);
	}
	return error;
}

int summary_merge(struct summary *into, const struct summary *from)
{
	struct merge_sums parts = {0};
	int error = 0;
	if (HOLDS_TESTED) {
		merge_sums_add(&parts, into);
		merge_sums_add(&parts, from);
	}
	for (int kind = 0; !error && kind < ROW_KINDS; kind++)
		error = merge_rows(into, from, (enum row_kind)kind);
	merge_fields(into, record_kind(BATON_S_QUALITY), &into->quality, &from->quality);
	HOLDS(error || merge_sums_same(&parts, into));
	merge_sums_free(&parts);
	return error;
}

/* ---- the canonical order ---- */

struct ordering {
	const struct summary *summary;
	int64_t (*weight)(const void *row);
	unsigned n;
	struct {
		const struct field *field; /* NULL: the weight */
		bool descending;
	} by[ROW_ORDER_MOST];
};

static int compare(const void *a, const void *b, void *context)
{
	const struct ordering *o = context;
	int order = 0;
	for (unsigned i = 0; order == 0 && i < o->n; i++) {
		const struct field *field = o->by[i].field;
		int64_t x = field ? field_get(field, a, 0) : o->weight(a);
		int64_t y = field ? field_get(field, b, 0) : o->weight(b);
		if (field && field->holds == HOLDS_TEXT)
			order = x == y ? 0
						   : strcmp(summary_text(o->summary, (uint32_t)x),
									summary_text(o->summary, (uint32_t)y));
		else
			order = x < y ? -1 : x > y;
		order = o->by[i].descending ? -order : order;
	}
	return order;
}

static struct ordering ordering_of(const struct summary *s, enum row_kind kind)
{
	const struct row_rules *rules = &row_rules[kind];
	const struct record_kind *record = record_kind(rules->type);
	struct ordering o = {.summary = s, .weight = rules->weight};
	for (; o.n < ROW_ORDER_MOST && rules->order[o.n]; o.n++) {
		const char *name = rules->order[o.n];
		o.by[o.n].descending = name[0] == '-';
		name += name[0] == '-';
		for (unsigned f = 0; f < record->n_fields; f++)
			if (strcmp(name, record->fields[f].name) == 0)
				o.by[o.n].field = &record->fields[f];
	}
	return o;
}

/* How many tables are rounded depends on what they hold, not on how they were merged. */
static void count_rounded(struct summary *s)
{
	s->quality.rounded_quantiles = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		s->quality.rounded_quantiles += s->devices[i].step_ns.rounded;
	for (size_t i = 0; i < s->n_kernels; i++)
		s->quality.rounded_quantiles += s->kernels[i].dur_ns.rounded;
}

void summary_sort(struct summary *s)
{
	count_rounded(s);
	for (int kind = 0; kind < ROW_KINDS; kind++) {
		struct summary_rows *rows = &s->rows[kind];
		struct ordering order = ordering_of(s, (enum row_kind)kind);
		sort_rows_with(rows->at, rows->n, row_rules[kind].shape.row_bytes, compare, &order);
		table_free(&rows->index); /* row numbers changed: made anew when a row is added */
	}
}
