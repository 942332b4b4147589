#include "summary/summary_io.h"

#include "summary/row_kinds.h"
#include "summary/series.h"
#include "summary/summary_inputs.h"

#include <baton/columns.h>
#include <baton/writer.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

enum { PAIRS_A_RECORD = 8192 }; /* of a distribution: below BATON_RECORD_BYTES at any values */

_Static_assert(sizeof(struct baton_s_distribution) + PAIRS_A_RECORD * 2 * BATON_VARINT_MAX <
				   BATON_RECORD_BYTES,
			   "a full distribution record fits");
_Static_assert(SERIES_CELLS <= 2 * PAIRS_A_RECORD, "the cells of a series fit");

struct storing {
	const char *dir;
	const struct summary *summary;
	const char *options_text;
	struct baton_writer writer;
	struct strings texts; /* in the file: ids are those of the file */
	uint8_t *pairs;       /* room for the varints of one distribution record */
};

#define PUT(s, type, ...) \
	baton_writer_record(&(s)->writer, type, &(__VA_ARGS__), sizeof(__VA_ARGS__), NULL, 0)

/* The file's id of a text. Numbered by first use, so that equal rows give equal bytes in whatever
 * order the summary's pool was filled. */
static uint32_t put_text(struct storing *s, const char *at, size_t bytes)
{
	struct baton_r_string record = {.bytes = (uint32_t)bytes};
	int is_new = 0;
	if (bytes == 0)
		return 0;
	int error = strings_add(&s->texts, at, bytes, &record.id, &is_new);
	if (!error && is_new)
		error = baton_writer_record(&s->writer, BATON_R_STRING, &record, sizeof(record), at, bytes);
	if (error && !s->writer.error)
		s->writer.error = error; /* without memory, or the text is larger than a record */
	return record.id;
}

static uint32_t text_id(struct storing *s, uint32_t pool_id)
{
	struct text text = strings_get(&s->summary->pool, pool_id);
	return put_text(s, text.at, text.bytes);
}

static uint32_t leaf_id(struct storing *s, enum leaf leaf)
{
	return put_text(s, leaf_name(leaf), strlen(leaf_name(leaf)));
}

/* The record of a row: its fields behind a head, texts and leaves by ids of the file. */
static int store_fields(struct storing *s, unsigned type, const void *row)
{
	const struct record_kind *kind = record_kind(type);
	union {
		struct baton_record head;
		char bytes[RECORD_BYTES_MOST];
	} record = {.head = {0}};
	void *fields = &record.head + 1;
	memcpy(fields, row, kind->bytes - sizeof(record.head));
	for (unsigned i = 0; i < kind->n_fields; i++) {
		const struct field *field = &kind->fields[i];
		if (field->holds == HOLDS_TEXT)
			field_set(field, fields, 0, text_id(s, (uint32_t)field_get(field, row, 0)));
		else if (field->holds == HOLDS_LEAF)
			field_set(field, fields, 0, leaf_id(s, (enum leaf)field_get(field, row, 0)));
	}
	return baton_writer_record(&s->writer, (uint16_t)type, &record, kind->bytes, NULL, 0);
}

static int store_run(struct storing *s)
{
	const struct run_summary *run = &s->summary->run;
	struct baton_s_reduction record = {.reducer_version = SUMMARY_REDUCER_VERSION,
									   .world_size = run->world_size,
									   .options_hash =
										   XXH3_64bits(s->options_text, strlen(s->options_text)),
									   .hosts = run->hosts,
									   .step_source = text_id(s, run->step_source),
									   .mode = text_id(s, run->mode),
									   .source = text_id(s, run->source),
									   .run_id = text_id(s, run->run_id)};
	return PUT(s, BATON_S_REDUCTION, record);
}

static int store_inputs(struct storing *s)
{
	struct summary_inputs inputs;
	if (!s->dir)
		return 0;
	int error = summary_inputs_open(&inputs, s->dir);
	for (size_t i = 0; !error && i < inputs.n; i++) {
		const struct summary_input *input = &inputs.at[i];
		struct baton_s_input record = {.name = put_text(s, input->name, strlen(input->name)),
									   .bytes = input->bytes,
									   .mtime_ns = input->young ? -1 : input->mtime_ns};
		error = PUT(s, BATON_S_INPUT, record);
	}
	summary_inputs_close(&inputs);
	return error;
}

static int store_ranks(struct storing *s)
{
	const struct run_summary *run = &s->summary->run;
	uint32_t seen = 0, missing = 0;
	while (seen < run->n_ranks || missing < run->n_missing_ranks) {
		bool take_seen = missing == run->n_missing_ranks ||
						 (seen < run->n_ranks && run->ranks[seen] < run->missing_ranks[missing]);
		struct baton_s_rank record = {.state = take_seen ? BATON_RANK_SEEN : BATON_RANK_MISSING};
		record.rank = take_seen ? run->ranks[seen++] : run->missing_ranks[missing++];
		PUT(s, BATON_S_RANK, record);
	}
	return s->writer.error;
}

static int store_counts(struct storing *s, const struct counts *counts)
{
	struct count *sorted;
	int error = counts_sorted(counts, &sorted);
	for (uint32_t at = 0; !error && at < counts->used; at += PAIRS_A_RECORD) {
		uint32_t left = counts->used - at, n = left < PAIRS_A_RECORD ? left : PAIRS_A_RECORD;
		uint8_t *end = s->pairs;
		for (uint32_t i = 0; i < n; i++) {
			int64_t before = i ? sorted[at + i - 1].value : 0;
			end = baton_varint_put(end, (uint64_t)(sorted[at + i].value - before));
			end = baton_varint_put(end, sorted[at + i].n);
		}
		struct baton_s_distribution record = {
			.pairs = n, .bytes = (uint32_t)(end - s->pairs), .rounded = counts->rounded};
		error = baton_writer_record(&s->writer, BATON_S_DISTRIBUTION, &record, sizeof(record),
									s->pairs, record.bytes);
	}
	free(sorted);
	return error;
}

static int store_cells(struct storing *s, const struct series *series)
{
	const size_t n = series_cells(series->steps, series->width);
	uint8_t *end = s->pairs;
	for (size_t i = 0; i < n; i++)
		end = baton_varint_put(end, (uint64_t)series->ns[i]);
	struct baton_s_cells record = {.cells = (uint32_t)n, .bytes = (uint32_t)(end - s->pairs)};
	return baton_writer_record(&s->writer, BATON_S_CELLS, &record, sizeof(record), s->pairs,
							   record.bytes);
}

static void store_readings(struct storing *s, const struct device_summary *d)
{
	for (int kind = 0; kind < READINGS; kind++) {
		const struct reading *reading = &d->readings[kind];
		const char *name = reading_name((enum reading_kind)kind);
		if (reading->looks == 0)
			continue;
		struct baton_s_reading record = {.name = put_text(s, name, strlen(name)),
										 .looks = reading->looks,
										 .sum = reading->sum,
										 .least = reading->least,
										 .most = reading->most};
		PUT(s, BATON_S_READING, record);
	}
}

/* What belongs to a device, behind it. */
static int store_device_parts(struct storing *s, const struct device_summary *d)
{
	for (uint32_t i = 0; i < d->n_processes; i++) {
		struct baton_s_driver driver = {.rank = d->ranks[i], .pid = d->pids[i]};
		PUT(s, BATON_S_DRIVER, driver);
	}
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		bool carried = d->carried & LEAF_BIT(leaf);
		if (!carried && d->time_ns[leaf] == 0)
			continue;
		struct baton_s_leaf time = {
			.leaf = leaf_id(s, (enum leaf)leaf), .carried = carried, .ns = d->time_ns[leaf]};
		PUT(s, BATON_S_LEAF, time);
	}
	store_readings(s, d);
	return store_counts(s, &d->step_ns);
}

static int store_rows(struct storing *s, enum row_kind kind)
{
	const struct row_rules *rules = &row_rules[kind];
	const struct summary_rows *rows = &s->summary->rows[kind];
	int error = 0;
	for (size_t i = 0; !error && i < rows->n; i++) {
		const void *row = (const char *)rows->at + i * rules->shape.row_bytes;
		error = store_fields(s, rules->type, row);
		if (!error && kind == ROW_DEVICE)
			error = store_device_parts(s, row);
		else if (!error && kind == ROW_KERNEL)
			error = store_counts(s, &((const struct kernel_summary *)row)->dur_ns);
		else if (!error && kind == ROW_SERIES)
			error = store_cells(s, row);
	}
	return error;
}

static int store_parts(struct storing *s)
{
	int error = store_run(s);
	if (!error)
		error = store_inputs(s);
	if (!error)
		error = store_ranks(s);
	if (!error)
		error = store_fields(s, BATON_S_QUALITY, &s->summary->quality);
	for (int kind = 0; !error && kind < ROW_KINDS; kind++)
		error = store_rows(s, (enum row_kind)kind);
	return error;
}

/* Writes all of it to `fd`, which is closed in any case. */
static int store_file(struct storing *s, int fd)
{
	uint64_t id = XXH3_64bits(s->options_text, strlen(s->options_text));
	int error = baton_writer_open(&s->writer, fd, BATON_SUMMARY, id);
	if (!error)
		error = store_parts(s);
	if (!error)
		return baton_writer_close(&s->writer);
	baton_writer_free(&s->writer);
	return error;
}

/* A name of its own first: two reducers of one directory never write into each other's file. */
static int store_renamed(struct storing *s, char *temporary, const char *path)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int error = store_file(s, fd);
	if (!error && rename(temporary, path) != 0)
		error = -errno;
	if (error)
		unlink(temporary);
	return error;
}

/* `path` NULL: into `fd`. */
static int store_to(struct storing *s, char *temporary, const char *path, int fd)
{
	int error = strings_init(&s->texts);
	s->pairs = malloc(PAIRS_A_RECORD * 2 * BATON_VARINT_MAX);
	if (!s->pairs && !error)
		error = -ENOMEM;
	if (error && !path)
		close(fd);
	if (!error)
		error = path ? store_renamed(s, temporary, path) : store_file(s, fd);
	free(s->pairs);
	strings_free(&s->texts);
	return error;
}

static int store_as(struct storing *s, char *temporary, const char *path)
{
	return temporary && path ? store_to(s, temporary, path, -1) : -ENOMEM;
}

int summary_write(int fd, const struct summary *summary, const char *options_text)
{
	struct storing s = {.summary = summary, .options_text = options_text};
	return store_to(&s, NULL, NULL, fd);
}

int summary_store(const char *dir, const struct summary *summary, const char *options_text)
{
	struct storing s = {.dir = dir, .summary = summary, .options_text = options_text};
	char *temporary = NULL, *path = NULL;
	if (asprintf(&path, "%s/summary.baton", dir) < 0)
		path = NULL;
	if (asprintf(&temporary, "%s/.summary.XXXXXX", dir) < 0)
		temporary = NULL;
	int error = store_as(&s, temporary, path);
	free(temporary);
	free(path);
	return error;
}

int summary_store_alone(const char *path, const struct summary *summary, const char *options_text)
{
	struct storing s = {.summary = summary, .options_text = options_text};
	char *temporary = NULL;
	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		temporary = NULL;
	int error = store_as(&s, temporary, path);
	free(temporary);
	return error;
}
