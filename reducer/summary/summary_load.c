#include "summary/summary_io.h"

#include "base/room.h"
#include "read/records.h"
#include "read/trace.h"
#include "summary/row_kinds.h"
#include "summary/series.h"
#include "summary/summary_inputs.h"

#include <baton/bounds.h>
#include <baton/columns.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct summary_loading {
	struct summary *summary;
	struct summary_inputs inputs;
	size_t n_inputs;
	uint64_t options_hash;
	bool alone;    /* it stands for itself: no trace files are looked at */
	unsigned part; /* type of the last record that stands for itself */
	int32_t last_rank;
	bool has_quality;
	__int128 totals[TOTALS]; /* whatever adds them up stays within BATON_TIME_LIMIT_NS */
};

/* ---- what a record may hold ---- */

static bool find_leaf(const struct summary *s, uint32_t id, enum leaf *leaf)
{
	for (int i = 0; i < LEAF_COUNT; i++)
		if (strcmp(summary_text(s, id), leaf_name((enum leaf)i)) == 0) {
			*leaf = (enum leaf)i;
			return true;
		}
	return false;
}

/* A field of a row as it lies in the file: may it be so? What the file holds otherwise than memory
 * is put right. */
static bool take_field(const struct summary *s, const struct field *field, void *row)
{
	bool ok = true;
	enum leaf leaf;
	switch ((enum field_holds)field->holds) {
	case HOLDS_NUMBERS:
		for (unsigned i = 0; i < field_numbers(field); i++) {
			int64_t number = field_get(field, row, i);
			ok &= number >= field->least && number <= field->most;
		}
		return ok;
	case HOLDS_TEXT:
		return field_get(field, row, 0) < s->pool.n;
	case HOLDS_LEAF:
		ok = field_get(field, row, 0) < s->pool.n &&
			 find_leaf(s, (uint32_t)field_get(field, row, 0), &leaf);
		if (ok)
			field_set(field, row, 0, leaf);
		return ok;
	case HOLDS_NOTHING:
		field_set(field, row, 0, 0);
		return true;
	}
	return false;
}

/* The fields of a record as a row has them. */
static bool take_fields(const struct summary *s, const struct baton_record *record, void *row)
{
	const struct record_kind *kind = record_kind(record->type);
	bool ok = true;
	memcpy(row, record + 1, kind->bytes - sizeof(*record));
	for (unsigned i = 0; ok && i < kind->n_fields; i++)
		ok = take_field(s, &kind->fields[i], row);
	return ok;
}

/* Likewise, as a record. */
#define TAKE(l, record, out) take_fields((l)->summary, record, &(out)->head + 1)

/* One more row behind n: zeros. */
static void *next_row(void **rows, size_t n, size_t bytes)
{
	if (room_next(rows, n, bytes) != 0)
		return NULL;
	return memset((char *)*rows + n * bytes, 0, bytes);
}

#define NEXT_ROW(array, n) next_row((void **)&(array), n, sizeof((array)[0]))

/* ---- one function per type: 0, -ESTALE, -EBADMSG, -ENOMEM ---- */

static int load_string(struct summary_loading *l, const struct baton_record *record)
{
	const struct baton_r_string *r = (const void *)record;
	uint32_t id;
	int error = strings_add(&l->summary->pool, (const char *)(r + 1), r->bytes, &id, NULL);
	return error ? error : id == r->id && r->bytes > 0 ? 0 : -EBADMSG;
}

static int load_reduction(struct summary_loading *l, const struct baton_record *record)
{
	struct baton_s_reduction r;
	bool ok = TAKE(l, record, &r);
	if (r.options_hash != l->options_hash)
		return l->alone ? -EINVAL : -ESTALE;
	struct run_summary *run = &l->summary->run;
	run->world_size = r.world_size;
	run->hosts = r.hosts;
	run->step_source = r.step_source;
	run->mode = r.mode;
	run->source = r.source;
	run->run_id = r.run_id;
	return ok ? 0 : -EBADMSG;
}

static int load_input(struct summary_loading *l, const struct baton_record *record)
{
	struct baton_s_input r;
	if (!TAKE(l, record, &r))
		return -EBADMSG;
	if (l->alone)
		return 0;
	if (l->n_inputs == l->inputs.n)
		return -ESTALE;
	const struct summary_input *now = &l->inputs.at[l->n_inputs++];
	bool same = strcmp(summary_text(l->summary, r.name), now->name) == 0 && r.bytes == now->bytes &&
				r.mtime_ns == now->mtime_ns && r.mtime_ns != -1;
	return same ? 0 : -ESTALE;
}

static int load_rank(struct summary_loading *l, const struct baton_record *record)
{
	struct run_summary *run = &l->summary->run;
	struct baton_s_rank r;
	bool first = run->n_ranks == 0 && run->n_missing_ranks == 0;
	if (!TAKE(l, record, &r) || (!first && r.rank <= l->last_rank))
		return -EBADMSG;
	l->last_rank = r.rank;
	bool seen = r.state == BATON_RANK_SEEN;
	int32_t *rank = seen ? NEXT_ROW(run->ranks, run->n_ranks)
						 : NEXT_ROW(run->missing_ranks, run->n_missing_ranks);
	if (!rank)
		return -ENOMEM;
	*rank = r.rank;
	if (seen)
		run->n_ranks++;
	else
		run->n_missing_ranks++;
	return 0;
}

static int load_quality(struct summary_loading *l, const struct baton_record *record)
{
	l->has_quality = take_fields(l->summary, record, &l->summary->quality);
	return l->has_quality ? 0 : -EBADMSG;
}

/* Adds the fields of a row that are TOTALLED. */
static bool totals_ok(struct summary_loading *l, const struct record_kind *kind,
					  enum row_total total, const void *row)
{
	for (unsigned f = 0; f < kind->n_fields; f++)
		for (unsigned i = 0; kind->fields[f].totalled && i < field_numbers(&kind->fields[f]); i++)
			l->totals[total] += field_get(&kind->fields[f], row, i);
	return total == TOTAL_NONE || l->totals[total] <= BATON_TIME_LIMIT_NS;
}

/* Of any kind: ROW_ of its type. */
static int load_row(struct summary_loading *l, const struct baton_record *record)
{
	enum row_kind kind = 0;
	while (kind < ROW_KINDS && row_rules[kind].type != record->type)
		kind++;
	if (kind == ROW_KINDS)
		return -EBADMSG;
	const struct row_rules *rules = &row_rules[kind];
	struct summary_rows *rows = &l->summary->rows[kind];
	void *row = next_row(&rows->at, rows->n, rules->shape.row_bytes);
	if (!row)
		return -ENOMEM;
	if (!take_fields(l->summary, record, row) || (rules->ok && !rules->ok(row)) ||
		!totals_ok(l, record_kind(record->type), rules->total, row))
		return -EBADMSG;
	rows->n++;
	return 0;
}

static struct device_summary *last_device(const struct summary_loading *l)
{
	return &l->summary->devices[l->summary->n_devices - 1];
}

static int load_driver(struct summary_loading *l, const struct baton_record *record)
{
	struct device_summary *d = last_device(l);
	struct baton_s_driver r;
	if (!TAKE(l, record, &r))
		return -EBADMSG;
	int32_t *rank = NEXT_ROW(d->ranks, d->n_processes);
	int64_t *pid = NEXT_ROW(d->pids, d->n_processes);
	if (!rank || !pid)
		return -ENOMEM;
	*rank = r.rank;
	*pid = r.pid;
	d->n_processes++;
	return 0;
}

static int load_leaf(struct summary_loading *l, const struct baton_record *record)
{
	struct device_summary *d = last_device(l);
	struct baton_s_leaf r;
	if (!TAKE(l, record, &r))
		return -EBADMSG;
	d->time_ns[r.leaf] = r.ns;
	d->carried |= r.carried ? LEAF_BIT(r.leaf) : 0;
	return 0;
}

static int load_reading(struct summary_loading *l, const struct baton_record *record)
{
	struct device_summary *d = last_device(l);
	struct baton_s_reading r;
	if (!TAKE(l, record, &r) || r.least > r.most || r.most > r.sum)
		return -EBADMSG;
	for (int kind = 0; kind < READINGS; kind++) {
		if (strcmp(summary_text(l->summary, r.name), reading_name((enum reading_kind)kind)) != 0)
			continue;
		if (kind >= READING_SLOWED && (r.most > 1 || r.sum > (int64_t)r.looks))
			return -EBADMSG;
		d->readings[kind] = (struct reading){r.looks, r.sum, r.least, r.most};
	}
	return 0;
}

static int load_pairs(const struct baton_s_distribution *r, struct counts *counts)
{
	const uint8_t *at = (const uint8_t *)(r + 1), *end = at + r->bytes;
	uint64_t value = 0;
	int error = 0;
	for (uint32_t i = 0; !error && i < r->pairs; i++) {
		uint64_t step, n;
		at = baton_varint_get(at, end, &step);
		at = at ? baton_varint_get(at, end, &n) : NULL;
		if (!at || n == 0 || (i > 0 && step == 0) || step > (uint64_t)BATON_TIME_LIMIT_NS)
			return -EBADMSG;
		value += step;
		if (value > (uint64_t)BATON_TIME_LIMIT_NS)
			return -EBADMSG;
		error = counts_add(counts, (int64_t)value, n);
	}
	return error ? error : at == end ? 0 : -EBADMSG;
}

static int load_distribution(struct summary_loading *l, const struct baton_record *record)
{
	const struct baton_s_distribution *in_file = (const void *)record;
	struct summary *s = l->summary;
	struct counts *counts =
		l->part == BATON_S_KERNEL ? &s->kernels[s->n_kernels - 1].dur_ns : &last_device(l)->step_ns;
	struct baton_s_distribution r;
	if (!TAKE(l, record, &r) || !baton_holds(record->size, sizeof(r), r.bytes, 1) ||
		(counts->used && counts->rounded != (r.rounded == 1)))
		return -EBADMSG;
	counts->rounded = r.rounded == 1;
	return load_pairs(in_file, counts);
}

/* The cells of the last series; each is a number, and so is the sum over all series. */
static int load_cells(struct summary_loading *l, const struct baton_record *record)
{
	struct series *series = &l->summary->series[l->summary->n_series - 1];
	const size_t n = series_cells(series->steps, series->width);
	const uint8_t *at = (const uint8_t *)record + sizeof(struct baton_s_cells), *end;
	struct baton_s_cells r;
	__int128 *total = &l->totals[TOTAL_SERIES];
	uint64_t ns;
	if (!TAKE(l, record, &r) || !baton_holds(record->size, sizeof(r), r.bytes, 1) || r.cells != n ||
		series->ns)
		return -EBADMSG;
	series->ns = calloc(n, sizeof(*series->ns));
	if (!series->ns)
		return -ENOMEM;
	end = at + r.bytes;
	for (size_t i = 0; i < n; i++) {
		at = baton_varint_get(at, end, &ns);
		if (!at || ns > (uint64_t)BATON_TIME_LIMIT_NS - (uint64_t)*total)
			return -EBADMSG;
		*total += ns;
		series->ns[i] = (int64_t)ns;
	}
	return at == end ? 0 : -EBADMSG;
}

/* ---- the file ---- */

#define BEHIND(part) (1u << ((part)-BATON_S_REDUCTION))

static const struct {
	int (*load)(struct summary_loading *, const struct baton_record *record);
	uint32_t behind; /* it belongs to a record of one of these parts; 0: it is a part itself */
} types[] = {
	[BATON_S_REDUCTION] = {load_reduction, 0},
	[BATON_S_INPUT] = {load_input, 0},
	[BATON_S_RANK] = {load_rank, 0},
	[BATON_S_QUALITY] = {load_quality, 0},
	[BATON_S_DRIVER] = {load_driver, BEHIND(BATON_S_DEVICE)},
	[BATON_S_LEAF] = {load_leaf, BEHIND(BATON_S_DEVICE)},
	[BATON_S_DISTRIBUTION] = {load_distribution, BEHIND(BATON_S_DEVICE) | BEHIND(BATON_S_KERNEL)},
	[BATON_S_READING] = {load_reading, BEHIND(BATON_S_DEVICE)},
	[BATON_S_CELLS] = {load_cells, BEHIND(BATON_S_SERIES)},
	[BATON_S_END] = {NULL, 0},
};

/* Records of other versions may be shorter. */
static bool is_stale(const struct baton_record *record)
{
	const struct baton_s_reduction *r = (const void *)record;
	return record->type == BATON_S_REDUCTION &&
		   record->size >= offsetof(struct baton_s_reduction, world_size) &&
		   r->reducer_version != SUMMARY_REDUCER_VERSION;
}

/* One record, in the order of the file. 0, -ESTALE, -EBADMSG, -ENOMEM. */
static int load_record(struct summary_loading *l, const struct baton_record *record)
{
	unsigned type = record->type;
	if (type == BATON_R_STRING)
		return load_string(l, record);
	if (record_kind(type)->bytes == 0)
		return 0; /* of a later minor version */
	if (is_stale(record))
		return -ESTALE;
	if (record->size < record_kind(type)->bytes)
		return -EBADMSG;
	if (types[type].behind) {
		if (l->part == 0 || !(types[type].behind & BEHIND(l->part)))
			return -EBADMSG;
	} else {
		bool once = type == BATON_S_REDUCTION || type == BATON_S_QUALITY;
		if ((l->part == 0) != (type == BATON_S_REDUCTION) || type < l->part ||
			(once && type == l->part))
			return -EBADMSG;
		l->part = type;
	}
	return types[type].load ? types[type].load(l, record) : load_row(l, record);
}

static int load_block(struct summary_loading *l, struct baton_reader *reader, uint64_t offset)
{
	struct baton_block_header header;
	enum baton_damage damage;
	uint32_t at = 0;
	int error = baton_reader_load(reader, offset, &header, &damage);
	if (error)
		return error;
	if (damage != BATON_INTACT || !records_ok(reader->raw, header.raw_bytes, header.rows))
		return -EBADMSG;
	const struct baton_record *record;
	while (!error && (record = records_next(reader->raw, header.raw_bytes, &at)))
		error = load_record(l, record);
	return error;
}

/* Merging and searching take the key of a row for its only one. One row after the other, so that a
 * file with many of one key ends at its second. 0, -EBADMSG, -ENOMEM. */
static int check_keys(const struct summary_rows *rows, struct table_shape shape)
{
	struct table index = {0};
	int error = 0;
	for (size_t i = 0; !error && i < rows->n; i++) {
		const char *row = (const char *)rows->at + i * shape.row_bytes;
		error = table_reserve(&index);
		if (error)
			break;
		const uint32_t hash = table_hash(&index, row, shape.key_bytes);
		if (table_find_hash(&index, rows->at, shape, row, hash))
			error = -EBADMSG;
		else
			table_put(&index, hash, (uint32_t)i + 1);
	}
	table_free(&index);
	return error;
}

/* What only the whole file can show. */
static int check_whole(const struct summary_loading *l)
{
	int error = 0;
	if (l->part == 0 || !l->has_quality)
		return -EBADMSG;
	for (size_t i = 0; i < l->summary->n_devices; i++)
		if (!summary_device_adds_up(&l->summary->devices[i]))
			return -EBADMSG;
	for (size_t i = 0; i < l->summary->n_series; i++)
		if (!l->summary->series[i].ns)
			return -EBADMSG;
	for (int kind = 0; !error && kind < ROW_KINDS; kind++)
		error = check_keys(&l->summary->rows[kind], row_rules[kind].shape);
	if (error)
		return error;
	return l->alone || l->n_inputs == l->inputs.n ? 0 : -ESTALE;
}

static int load_file(struct summary_loading *l, struct baton_reader *reader)
{
	int error = reader->closed && reader->header.content == BATON_SUMMARY ? 0 : -EBADMSG;
	for (size_t i = 0; !error && i < reader->n_entries; i++) {
		const struct baton_entry *entry = &reader->entries[i];
		if (entry->damage != BATON_INTACT)
			error = -EBADMSG;
		else if (entry->kind == BATON_RECORDS)
			error = load_block(l, reader, entry->offset);
	}
	return error ? error : check_whole(l);
}

/* `dir`: where its trace files lie; NULL: it stands for itself. */
static int load_path(const char *path, const char *dir, const char *options_text,
					 struct summary *out)
{
	struct summary_loading l = {.summary = out,
								.alone = !dir,
								.options_hash = XXH3_64bits(options_text, strlen(options_text))};
	struct baton_reader reader;
	memset(out, 0, sizeof(*out));
	int error = baton_reader_open(&reader, AT_FDCWD, path);
	if (error)
		return error == -ENOTDIR ? -ENOENT : error;
	error = summary_init(out);
	if (!error && dir)
		error = summary_inputs_open(&l.inputs, dir);
	if (!error)
		error = load_file(&l, &reader);
	if (error)
		summary_free(out);
	if (dir)
		summary_inputs_close(&l.inputs);
	baton_reader_close(&reader);
	return error;
}

int summary_load(const char *dir, const char *options_text, struct summary *out)
{
	char *path = NULL;
	if (asprintf(&path, "%s/summary.baton", dir) < 0) {
		memset(out, 0, sizeof(*out));
		return -ENOMEM;
	}
	int error = load_path(path, dir, options_text, out);
	free(path);
	return error;
}

int summary_load_alone(const char *path, const char *options_text, struct summary *out)
{
	return load_path(path, NULL, options_text, out);
}
