#include "record/totals.h"

#include "base/room.h"
#include "read/kept.h"

#include <baton/columns.h>
#include <baton/reader.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* String ids are small numbers, counted up; those of a salvage stand at the other end, each before
 * its use. */
struct names {
	uint8_t *bits; /* by string id */
	size_t room;
	uint32_t salvaged; /* the last text of a salvage that counts launches, 0: none */
};
enum name_bit { IS_LAUNCH = 1, COUNTS_LAUNCHES = 2 };
enum { MOST_NAMES = 1 << 28 };

/* What meta records say of a window (docs/FORMAT.md): texts stand before their use, the numbers
 * right before it. */
struct window_notes {
	uint32_t key, begin, end; /* string ids */
	uint32_t number_id;       /* of the last text that is a number */
	uint64_t number, begin_ns;
};

static void note_text(struct window_notes *notes, uint32_t id, const char *text, uint32_t bytes)
{
	const struct {
		const char *text;
		uint32_t *id;
	} keys[] = {{"window", &notes->key},
				{"window's begin, ns", &notes->begin},
				{"window's end, ns", &notes->end}};
	char digits[24] = "";
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].text) == bytes && memcmp(keys[i].text, text, bytes) == 0)
			*keys[i].id = id;
	if (bytes == 0 || bytes > 19)
		return;
	memcpy(digits, text, bytes);
	if (strspn(digits, "0123456789") != bytes)
		return;
	notes->number_id = id;
	notes->number = strtoull(digits, NULL, 10);
}

static void note_meta(struct window_notes *notes, const struct baton_r_meta *row,
					  struct totals *totals)
{
	totals->windows += notes->key && row->key == notes->key;
	if (!notes->number_id || row->value != notes->number_id)
		return;
	if (row->key == notes->begin) {
		totals->opened++;
		notes->begin_ns = notes->number;
	} else if (row->key == notes->end && notes->number > notes->begin_ns) {
		uint64_t ns = notes->number - notes->begin_ns;
		totals->window_ns = ns > totals->window_ns ? ns : totals->window_ns;
	}
}

static void note_name(struct names *names, uint32_t id, const char *text, uint32_t bytes)
{
	static const char loss[] = "launches "; /* docs/FORMAT.md: loss */
	bool launch = memmem(text, bytes, "Launch", 6) && !memmem(text, bytes, "HostFunc", 8);
	bool counts = bytes > sizeof(loss) - 1 && memcmp(text, loss, sizeof(loss) - 1) == 0;
	if (id >= MOST_NAMES)
		names->salvaged = counts ? id : names->salvaged;
	if ((!launch && !counts) || id >= MOST_NAMES)
		return;
	if (room_reach((void **)&names->bits, &names->room, id, sizeof(*names->bits)) != 0)
		return;
	names->bits[id] = (uint8_t)(launch * IS_LAUNCH | counts * COUNTS_LAUNCHES);
}

static void add_loss(const struct names *names, const struct baton_r_loss *row,
					 struct totals *totals)
{
	bool launches = row->what < names->room ? names->bits[row->what] & COUNTS_LAUNCHES
											: row->what && row->what == names->salvaged;
	if (row->kind == BATON_LOSS_DROPPED && launches)
		totals->dropped += row->count;
	else if (row->kind == BATON_LOSS_DROPPED)
		totals->dropped_others += row->count;
}

static void note_kept(const struct baton_reader *reader, const struct baton_r_kept *row,
					  struct totals *totals)
{
	const struct kept_part kept = kept_part_of(reader, row);
	totals->kept_ns = kept.kept_ns > totals->kept_ns ? kept.kept_ns : totals->kept_ns;
	totals->before_ns = kept.before_ns > totals->before_ns ? kept.before_ns : totals->before_ns;
}

static void read_records(const struct baton_reader *reader, size_t bytes, struct names *names,
						 struct window_notes *notes, struct totals *totals)
{
	const uint8_t *raw = reader->raw;
	struct baton_record head;
	for (size_t at = 0; at + sizeof(head) <= bytes; at += head.size) {
		memcpy(&head, raw + at, sizeof(head));
		if (head.size < sizeof(head) || head.size % 8 || head.size > bytes - at)
			return;
		if (head.type == BATON_R_STRING && head.size >= sizeof(struct baton_r_string)) {
			struct baton_r_string row;
			memcpy(&row, raw + at, sizeof(row));
			if (row.bytes > head.size - sizeof(row))
				continue;
			note_name(names, row.id, (const char *)raw + at + sizeof(row), row.bytes);
			note_text(notes, row.id, (const char *)raw + at + sizeof(row), row.bytes);
		} else if (head.type == BATON_R_META && head.size >= sizeof(struct baton_r_meta)) {
			struct baton_r_meta row;
			memcpy(&row, raw + at, sizeof(row));
			note_meta(notes, &row, totals);
		} else if (head.type == BATON_R_LOSS && head.size >= sizeof(struct baton_r_loss)) {
			struct baton_r_loss row;
			memcpy(&row, raw + at, sizeof(row));
			add_loss(names, &row, totals);
		} else if (head.type == BATON_R_KEPT && head.size >= sizeof(struct baton_r_kept)) {
			struct baton_r_kept row;
			memcpy(&row, raw + at, sizeof(row));
			note_kept(reader, &row, totals);
		}
	}
}

static void read_calls(struct baton_reader *reader, const struct baton_block_header *header,
					   const struct names *names, struct totals *totals)
{
	static int64_t room[BATON_MAX_COLUMNS][BATON_MAX_ROWS / 64];
	int64_t *columns[BATON_MAX_COLUMNS];
	uint32_t present;
	if (header->rows > BATON_MAX_ROWS / 64) /* more than any block that we write */
		return;
	for (int c = 0; c < BATON_MAX_COLUMNS; c++)
		columns[c] = room[c];
	if (baton_columns_decode(baton_table(BATON_CALL), header, reader->raw, columns, &present) != 0)
		return;
	for (uint32_t i = 0; i < header->rows; i++) {
		uint32_t name = (uint32_t)columns[CALL_NAME][i];
		totals->launches += name < names->room && (names->bits[name] & IS_LAUNCH);
	}
}

static int read_blocks(struct baton_reader *reader, struct totals *totals)
{
	struct names names = {0};
	struct window_notes notes = {0};
	int error = 0;
	for (size_t i = 0; i < reader->n_entries && !error; i++) {
		uint32_t kind = reader->entries[i].kind;
		struct baton_block_header header;
		enum baton_damage damage;
		if (kind != BATON_RECORDS && kind != BATON_CALL)
			continue;
		error = baton_reader_load(reader, reader->entries[i].offset, &header, &damage);
		if (error || damage != BATON_INTACT)
			continue;
		if (kind == BATON_RECORDS)
			read_records(reader, header.raw_bytes, &names, &notes, totals);
		else
			read_calls(reader, &header, &names, totals);
	}
	free(names.bits);
	return error;
}

static void read_file(int dirfd, const char *name, struct totals *totals)
{
	struct baton_reader reader;
	if (baton_reader_open(&reader, dirfd, name) != 0) {
		totals->processes++;
		totals->incomplete++;
		return;
	}
	if (reader.header.content == BATON_TRACE) { /* somebody may have made a summary already */
		totals->processes++;
		totals->bytes += reader.file_bytes;
		totals->incomplete += read_blocks(&reader, totals) != 0 || !reader.closed;
	}
	baton_reader_close(&reader);
}

static bool is_unrecorded(const char *name)
{
	static const char mark[] = ".baton-unrecorded-";
	return strncmp(name, mark, sizeof(mark) - 1) == 0;
}

void totals_clear(const char *directory)
{
	DIR *dir = opendir(directory);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		if (is_unrecorded(e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
}

int totals_count(const char *directory, struct totals *totals)
{
	DIR *dir = opendir(directory);
	*totals = (struct totals){0};
	if (!dir)
		return -errno;
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		size_t n = strlen(e->d_name);
		totals->unrecorded += is_unrecorded(e->d_name);
		if (n > 6 && e->d_name[0] != '.' && strcmp(e->d_name + n - 6, ".baton") == 0)
			read_file(dirfd(dir), e->d_name, totals);
	}
	closedir(dir);
	return 0;
}
