#include "summary/merge_sums.h"

#include "summary/row_kinds.h"

#include <stdlib.h>

typedef void take(struct merge_sums *sums, size_t place, int64_t value);

/* The leaves of devices are no fields. */
static size_t walk_leaves(const struct summary *s, take *each, struct merge_sums *sums)
{
	for (size_t i = 0; each && i < s->n_devices; i++)
		for (size_t leaf = 0; leaf < LEAF_COUNT; leaf++)
			each(sums, leaf, s->devices[i].time_ns[leaf]);
	return LEAF_COUNT;
}

/* Calls `each` for every number of a field that is a sum, of every row and of the quality counters;
 * `place` counts the numbers of all fields. Returns how many there are. */
static size_t walk(const struct summary *s, take *each, struct merge_sums *sums)
{
	size_t place = walk_leaves(s, each, sums);
	for (int kind = 0; kind <= ROW_KINDS; kind++) {
		const bool rows = kind < ROW_KINDS;
		const struct record_kind *record =
			record_kind(rows ? row_rules[kind].type : (unsigned)BATON_S_QUALITY);
		const size_t bytes = rows ? row_rules[kind].shape.row_bytes : 0;
		const char *first = rows ? (const char *)s->rows[kind].at : (const char *)&s->quality;
		for (unsigned f = 0; f < record->n_fields; f++) {
			const struct field *field = &record->fields[f];
			if (field->merge != MERGE_SUM)
				continue;
			for (size_t i = 0; each && i < (rows ? s->rows[kind].n : 1); i++)
				for (unsigned k = 0; k < field_numbers(field); k++)
					each(sums, place + k, field_get(field, first + i * bytes, k));
			place += field_numbers(field);
		}
	}
	return place;
}

static void add(struct merge_sums *sums, size_t place, int64_t value)
{
	sums->at[place].sum += value;
	sums->at[place].bounded |= value == INT64_MAX;
}

void merge_sums_add(struct merge_sums *sums, const struct summary *summary)
{
	if (!sums->at) {
		sums->n = walk(summary, NULL, NULL);
		sums->at = calloc(sums->n + 1, sizeof(*sums->at));
	}
	if (!sums->at)
		return;
	walk(summary, add, sums);
	for (int kind = 0; kind < ROW_KINDS; kind++)
		if (summary->rows[kind].n > sums->most_rows[kind])
			sums->most_rows[kind] = summary->rows[kind].n;
}

void merge_sums_free(struct merge_sums *sums)
{
	free(sums->at);
	*sums = (struct merge_sums){0};
}

bool merge_sums_same(const struct merge_sums *parts, const struct summary *merged)
{
	struct merge_sums whole = {0};
	bool same = true;
	merge_sums_add(&whole, merged);
	for (size_t i = 0; parts->at && whole.at && i < parts->n; i++)
		same &= whole.at[i].bounded || whole.at[i].sum == parts->at[i].sum;
	for (int kind = 0; whole.at && kind < ROW_KINDS; kind++)
		same &= whole.most_rows[kind] >= parts->most_rows[kind];
	merge_sums_free(&whole);
	return same;
}
