#include "read/dump.h"

#include "base/utf8.h"
#include "read/records.h"
#include "read/rows.h"
#include "read/trace.h"

#include <baton/columns.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

struct dumping {
	FILE *out;    /* NULL: the line in hand is not printed */
	FILE *damage; /* the same for lines of damage */
	bool json;
	struct trace trace; /* only its reader and dictionaries */
	struct dump_result *result;
	const struct dump_window *window; /* rows that begin in it; NULL: all */
};

/* One line: begin, fields, end. */
static void line_begin(struct dumping *d, const char *record)
{
	if (d->out)
		fprintf(d->out, d->json ? "{\"record\":\"%s\"" : "%s", record);
}

static void line_end(struct dumping *d)
{
	if (d->out)
		fputs(d->json ? "}\n" : "\n", d->out);
}

static void field_name(struct dumping *d, const char *name)
{
	fprintf(d->out, d->json ? ",\"%s\":" : " %s=", name);
}

static void field_signed(struct dumping *d, const char *name, int64_t value)
{
	if (!d->out)
		return;
	field_name(d, name);
	fprintf(d->out, "%" PRId64, value);
}

static void field_unsigned(struct dumping *d, const char *name, uint64_t value)
{
	if (!d->out)
		return;
	field_name(d, name);
	fprintf(d->out, "%" PRIu64, value);
}

static void put_character(FILE *out, uint32_t code)
{
	static const char shorts[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	const char *found = code && code < 0x80 ? strchr(shorts, (int)code) : NULL;
	if (found)
		fprintf(out, "\\%c", letters[found - shorts]);
	else if (code >= 0x20 && code < 0x7f)
		fputc((int)code, out);
	else if (code < 0x10000)
		fprintf(out, "\\u%04x", code);
	else
		fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
				0xdc00 + ((code - 0x10000) & 0x3ff));
}

static void put_text(FILE *out, const char *text, size_t bytes)
{
	fputc('"', out);
	for (size_t i = 0; i < bytes;) {
		uint32_t code;
		size_t n = utf8_decode(text + i, bytes - i, &code);
		if (n == 0)
			fprintf(out, "\\udc%02x", (unsigned char)text[i]);
		else
			put_character(out, code);
		i += n ? n : 1;
	}
	fputc('"', out);
}

static void field_text(struct dumping *d, const char *name, const char *text, size_t bytes)
{
	if (!d->out)
		return;
	field_name(d, name);
	put_text(d->out, text, bytes);
}

static void field_string(struct dumping *d, const char *name, uint64_t id)
{
	if (!d->out)
		return;
	uint32_t index = id ? idmap_get(&d->trace.string_ids, id) : 0;
	struct text text = strings_get(&d->trace.strings, index);
	field_name(d, name);
	/* an empty string is interned like any other, so index 0 means "not defined" */
	if (index)
		put_text(d->out, text.at, text.bytes);
	else
		fputs("null", d->out);
}

/* The fields of the records, in order of offset: docs/FORMAT.md section 3. */
struct field {
	const char *name;
	uint16_t offset;
	char type; /* u i U I: 32 and 64 bits; s string id; b 16 bytes of hex; t the tail text; x the
				* tail as hex; f the tail's frames */
};

static const struct {
	const char *name;
	struct field fields[14];
} records[] = {
	[BATON_R_STRING] = {"string", {{"id", 8, 'u'}, {"value", 12, 't'}}},
	[BATON_R_THREAD] = {"thread",
						{{"id", 8, 'u'}, {"name", 12, 's'}, {"pid", 16, 'I'}, {"tid", 24, 'I'}}},
	[BATON_R_DEVICE] = {"device",
						{{"id", 8, 'u'},
						 {"ordinal", 12, 'i'},
						 {"name", 16, 's'},
						 {"uuid", 20, 's'},
						 {"memory_bytes", 24, 'U'},
						 {"sm_count", 32, 'u'}}},
	[BATON_R_STREAM] =
		{"stream",
		 {{"id", 8, 'u'}, {"device", 12, 'u'}, {"context", 16, 'I'}, {"stream", 24, 'I'}}},
	[BATON_R_COMM] = {"communicator",
					  {{"id", 8, 'u'},
					   {"size", 12, 'u'},
					   {"hash", 16, 'U'},
					   {"name", 24, 's'},
					   {"ranks", 28, 's'}}},
	[BATON_R_PROCESS] = {"process",
						 {{"pid", 8, 'I'},
						  {"start_time", 16, 'U'},
						  {"boot_id", 24, 'b'},
						  {"rank", 40, 'i'},
						  {"world_size", 44, 'i'},
						  {"local_rank", 48, 'i'},
						  {"generation", 52, 'u'},
						  {"host", 56, 's'},
						  {"source", 60, 's'},
						  {"source_version", 64, 's'},
						  {"run_id", 68, 's'}}},
	[BATON_R_META] = {"meta", {{"key", 8, 's'}, {"value", 12, 's'}}},
	[BATON_R_CLOCK] = {"clock",
					   {{"local_ns", 8, 'I'}, {"reference_ns", 16, 'I'}, {"kind", 24, 'u'}}},
	[BATON_R_LOSS] = {"loss", {{"kind", 8, 'u'}, {"what", 12, 's'}, {"count", 16, 'U'}}},
	[BATON_R_COST] = {"cost", {{"what", 8, 's'}, {"ns", 16, 'U'}}},
	[BATON_R_MODULE] = {"module", {{"id", 8, 'u'}, {"path", 12, 's'}, {"build_id", 16, 's'}}},
	[BATON_R_CODE] = {"code",
					  {{"id", 8, 'u'},
					   {"file", 12, 's'},
					   {"function", 16, 's'},
					   {"first_line", 20, 'i'},
					   {"python", 24, 'u'},
					   {"line_table", 28, 'x'}}},
	[BATON_R_STACK] = {"stack", {{"id", 8, 'u'}, {"frames", 12, 'f'}}},
	[BATON_R_SHAPE] = {"shape",
					   {{"id", 8, 'u'},
						{"registers", 12, 'u'},
						{"grid_x", 16, 'u'},
						{"grid_y", 20, 'u'},
						{"grid_z", 24, 'u'},
						{"block_x", 28, 'u'},
						{"block_y", 32, 'u'},
						{"block_z", 36, 'u'},
						{"cluster_x", 40, 'u'},
						{"cluster_y", 44, 'u'},
						{"cluster_z", 48, 'u'},
						{"static_shared", 52, 'u'},
						{"dynamic_shared", 56, 'u'}}},
	[BATON_R_KEPT] = {"kept",
					  {{"keep_ns", 8, 'I'},
					   {"begin_ns", 16, 'I'},
					   {"from_ns", 24, 'I'},
					   {"launches", 32, 'U'},
					   {"kernels", 40, 'U'}}},
	[BATON_R_PRIORITY] = {"priority",
						  {{"stream", 8, 'u'}, {"priority", 12, 'i'}, {"kind", 16, 'u'}}},
	[BATON_R_INPUTS] = {"inputs", {{"id", 8, 'u'}, {"shapes", 12, 's'}, {"types", 16, 's'}}},
};

enum { RECORD_TYPES = sizeof(records) / sizeof(records[0]) };

static void field_hex(struct dumping *d, const char *name, const uint8_t *bytes, size_t n)
{
	if (!d->out)
		return;
	field_name(d, name);
	fputc('"', d->out);
	for (size_t i = 0; i < n; i++)
		fprintf(d->out, "%02x", bytes[i]);
	fputc('"', d->out);
}

static void field_frames(struct dumping *d, const char *name, const uint8_t *frames, uint32_t n)
{
	struct baton_frame frame;
	if (!d->out)
		return;
	field_name(d, name);
	fputc('[', d->out);
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&frame, frames + i * sizeof(frame), sizeof(frame));
		fprintf(d->out, "%s{\"kind\":%" PRIu32 ",\"of\":%" PRIu32 ",\"offset\":%" PRIu64 "}",
				i ? "," : "", frame.kind, frame.of, frame.offset);
	}
	fputc(']', d->out);
}

static void dump_field(struct dumping *d, const struct field *field, const uint8_t *record)
{
	uint32_t u32;
	uint64_t u64 = 0;
	memcpy(&u32, record + field->offset, 4);
	if (field->type == 'U' || field->type == 'I')
		memcpy(&u64, record + field->offset, 8);
	switch (field->type) {
	case 'u':
		field_unsigned(d, field->name, u32);
		break;
	case 'i':
		field_signed(d, field->name, (int32_t)u32);
		break;
	case 'U':
		field_unsigned(d, field->name, u64);
		break;
	case 'I':
		field_signed(d, field->name, (int64_t)u64);
		break;
	case 's':
		field_string(d, field->name, u32);
		break;
	case 't':
		field_text(d, field->name, (const char *)record + field->offset + 4, u32);
		break;
	case 'x':
		field_hex(d, field->name, record + field->offset + 4, u32);
		break;
	case 'f':
		field_frames(d, field->name, record + field->offset + 4, u32);
		break;
	default:
		field_hex(d, field->name, record + field->offset, 16);
	}
}

static void dump_record(struct dumping *d, const struct baton_record *record)
{
	bool summary = record->type >= BATON_R_SUMMARY_FIRST && record->type <= BATON_R_SUMMARY_LAST;
	if (summary) {
		line_begin(d, "summary");
		field_unsigned(d, "type", record->type);
		field_unsigned(d, "size", record->size);
	} else if (record->type < RECORD_TYPES && records[record->type].name) {
		line_begin(d, records[record->type].name);
		for (const struct field *f = records[record->type].fields; f->name; f++)
			dump_field(d, f, (const uint8_t *)record);
	} else {
		return;
	}
	line_end(d);
	d->result->records++;
}

static int dump_records(struct dumping *d, const struct baton_block_header *header)
{
	uint32_t at = 0;
	const struct baton_record *record;
	while ((record = records_next(d->trace.reader.raw, header->raw_bytes, &at))) {
		if (record->type == BATON_R_STRING && trace_add_string(&d->trace, record) != 0)
			return -ENOMEM;
		dump_record(d, record);
	}
	return 0;
}

static void dump_row(struct dumping *d, const struct baton_table *table, int64_t *const columns[],
					 uint32_t present, uint32_t row)
{
	line_begin(d, table->name);
	for (unsigned c = 0; d->out && c < table->n_columns; c++) {
		if (!(present & 1u << c))
			continue;
		if (table->columns[c].type == BATON_T_STRING)
			field_string(d, table->columns[c].name, (uint64_t)columns[c][row]);
		else if (table->columns[c].type == BATON_T_U64)
			field_unsigned(d, table->columns[c].name, (uint64_t)columns[c][row]);
		else
			field_signed(d, table->columns[c].name, columns[c][row]);
	}
	line_end(d);
	d->result->rows++;
}

/* `stream`: the row's, 0: it has none. */
static bool is_wanted(const struct dump_window *w, int64_t start_ns, uint64_t stream)
{
	if (!w)
		return true;
	if (start_ns < w->from_ns || start_ns >= w->to_ns)
		return false;
	return !stream || !w->streams || w->streams[idmap_get(w->stream_ids, stream)];
}

/* *damage is set when the columns are bad. */
static int dump_rows(struct dumping *d, const struct baton_block_header *header,
					 enum baton_damage *damage)
{
	const struct baton_table *table = baton_table(header->kind);
	int64_t *columns[BATON_MAX_COLUMNS] = {NULL};
	uint32_t present;
	int64_t *values = malloc(((size_t)header->rows * table->n_columns + 1) * sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (unsigned c = 0; c < table->n_columns; c++)
		columns[c] = values + (size_t)c * header->rows;
	if (baton_columns_decode(table, header, d->trace.reader.raw, columns, &present) != 0)
		*damage = BATON_BAD_COLUMNS;
	const int stream = rows_stream_column(table->kind);
	const int64_t *streams = stream >= 0 && present & 1u << stream ? columns[stream] : NULL;
	for (uint32_t i = 0; *damage == BATON_INTACT && i < header->rows; i++)
		if (is_wanted(d->window, columns[ROW_START][i], streams ? (uint64_t)streams[i] : 0))
			dump_row(d, table, columns, present, i);
	free(values);
	return 0;
}

static void dump_damage(struct dumping *d, uint64_t offset, enum baton_damage damage)
{
	FILE *others = d->out;
	d->out = d->damage;
	line_begin(d, others || d->json ? "damage" : "  damage");
	field_unsigned(d, "offset", offset);
	const char *reason = baton_damage_name(damage);
	field_text(d, "reason", reason, strlen(reason));
	line_end(d);
	d->out = others;
	if (d->result->damages++ == 0) {
		d->result->first_damage = reason;
		d->result->first_damage_offset = offset;
	}
}

static int dump_entry(struct dumping *d, const struct baton_entry *entry)
{
	struct baton_block_header header;
	enum baton_damage damage;
	if (entry->damage != BATON_INTACT)
		dump_damage(d, entry->offset, entry->damage);
	if (entry->damage != BATON_INTACT && entry->damage != BATON_MISSING_BLOCKS)
		return 0;
	int error = baton_reader_load(&d->trace.reader, entry->offset, &header, &damage);
	if (error)
		return error;
	if (damage == BATON_INTACT && header.kind == BATON_END && header.raw_bytes < 8)
		damage = BATON_BAD_END;
	if (damage == BATON_INTACT && header.kind == BATON_RECORDS) {
		if (records_ok(d->trace.reader.raw, header.raw_bytes, header.rows))
			error = dump_records(d, &header);
		else
			damage = BATON_BAD_RECORD;
	}
	if (damage == BATON_INTACT && baton_table(header.kind))
		error = dump_rows(d, &header, &damage);
	if (damage != BATON_INTACT)
		dump_damage(d, entry->offset, damage);
	d->result->blocks += damage == BATON_INTACT;
	return error;
}

static void dump_verdict(struct dumping *d)
{
	const char *name = dump_verdict_name(d->result->verdict);
	line_begin(d, "verdict");
	field_text(d, "verdict", name, strlen(name));
	field_unsigned(d, "blocks", d->result->blocks);
	field_unsigned(d, "records", d->result->records);
	field_unsigned(d, "rows", d->result->rows);
	line_end(d);
}

static void dump_header(struct dumping *d, const char *path)
{
	const struct baton_file_header *header = &d->trace.reader.header;
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	static const char *const contents[] = {
		[BATON_TRACE] = "trace", [BATON_SUMMARY] = "summary", [BATON_GAUGES] = "gauges"};
	const char *content = contents[header->content];
	line_begin(d, "file");
	field_text(d, "name", base, strlen(base));
	field_text(d, "content", content, strlen(content));
	field_unsigned(d, "major", header->major);
	field_unsigned(d, "minor", header->minor);
	line_end(d);
}

static void dump(struct dumping *d, const char *path)
{
	struct dump_result *result = d->result;
	memset(result, 0, sizeof(*result));
	int error = baton_reader_open(&d->trace.reader, AT_FDCWD, path);
	if (error) {
		result->verdict = DUMP_UNREADABLE;
		result->error = error == -EBADMSG ? 0 : error;
		if (!result->error)
			dump_verdict(d);
		return;
	}
	error = strings_init(&d->trace.strings);
	dump_header(d, path);
	for (size_t i = 0; !error && i < d->trace.reader.n_entries; i++)
		error = dump_entry(d, &d->trace.reader.entries[i]);
	result->error = error;
	result->verdict = result->damages ? DUMP_DAMAGED : DUMP_OK;
	dump_verdict(d);
	trace_close(&d->trace);
}

void dump_file(const char *path, bool json, FILE *out, struct dump_result *result)
{
	struct dumping d = {.out = out, .damage = out, .json = json, .result = result};
	dump(&d, path);
}

void dump_part(const char *path, bool json, const struct dump_window *window,
			   struct dump_result *result)
{
	struct dumping d = {
		.out = stdout, .damage = stdout, .json = json, .result = result, .window = window};
	dump(&d, path);
}

void dump_damage_of(const char *path, bool json, FILE *out, struct dump_result *result)
{
	struct dumping d = {.damage = out, .json = json, .result = result};
	dump(&d, path);
}

const char *dump_verdict_name(enum dump_verdict verdict)
{
	static const char *const names[] = {"ok", "damaged", "unreadable"};
	return names[verdict];
}
