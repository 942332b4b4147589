#include "export/nsys_tables.h"

#include "base/room.h"
#include "base/utf8.h"
#include "classify/identifier.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct column {
	const char *name, *type;
};

#define COLUMN(table, column, type) {#column, type},
#define COLUMNS(table, name, columns) \
	static const struct column table##_columns[] = {columns(COLUMN){NULL, NULL}};
#define TABLE(table, name, columns) {name, table##_columns},

NSYS_TABLES(COLUMNS)

static const struct {
	const char *name;
	const struct column *columns;
} specs[] = {NSYS_TABLES(TABLE)};

/* ---- the file ---- */

static int error_of(struct sqlite3 *db, int code)
{
	int number = 0;
	if (code == SQLITE_NOMEM)
		return -ENOMEM;
	if (code == SQLITE_FULL)
		return -ENOSPC;
	if (db)
		sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
	if (db && number == 0) /* it was not opened */
		number = sqlite3_system_errno(db);
	return -(number ? number : EIO);
}

/* Notes the first error. */
static bool fine(struct nsys_tables *tables, int code)
{
	const bool ok = code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW;
	if (!ok && !tables->error)
		tables->error = error_of(tables->db, code);
	return ok && !tables->error;
}

static void execute(struct nsys_tables *tables, const char *sql)
{
	if (!sql && !tables->error)
		tables->error = -ENOMEM;
	if (!tables->error)
		fine(tables, sqlite3_exec(tables->db, sql, NULL, NULL, NULL));
}

int nsys_tables_open(struct nsys_tables *tables, const char *path)
{
	*tables = (struct nsys_tables){0};
	tables->error = strings_init(&tables->pool);
	if (tables->error)
		return tables->error;
	fine(tables,
		 sqlite3_open_v2(path, &tables->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
	/* It is thrown away if it does not become whole: nothing needs to be undone. */
	execute(tables, "PRAGMA journal_mode=OFF");
	execute(tables, "PRAGMA synchronous=OFF");
	execute(tables, "PRAGMA locking_mode=EXCLUSIVE");
	execute(tables, "PRAGMA cache_size=-8192");
	execute(tables, "BEGIN");
	return tables->error;
}

int nsys_tables_close(struct nsys_tables *tables)
{
	for (int i = 0; i < NSYS_TABLES_END; i++)
		sqlite3_finalize(tables->inserts[i]);
	execute(tables, "COMMIT");
	fine(tables, sqlite3_close(tables->db));
	strings_free(&tables->pool);
	free(tables->clean);
	return tables->error;
}

/* ---- rows ---- */

static char *create_sql(enum nsys_table_number table)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	sqlite3_str_appendf(text, "CREATE TABLE \"%w\" (", specs[table].name);
	for (const struct column *c = specs[table].columns; c->name; c++)
		sqlite3_str_appendf(text, "%s\"%w\" %s", c == specs[table].columns ? "" : ", ", c->name,
							c->type);
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}

static char *insert_sql(enum nsys_table_number table)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	sqlite3_str_appendf(text, "INSERT INTO \"%w\" VALUES (", specs[table].name);
	for (const struct column *c = specs[table].columns; c->name; c++)
		sqlite3_str_appendall(text, c == specs[table].columns ? "?" : ", ?");
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}

void nsys_make_table(struct nsys_tables *tables, enum nsys_table_number table)
{
	if (tables->error || tables->inserts[table])
		return;
	char *sql = create_sql(table);
	execute(tables, sql);
	sqlite3_free(sql);
	sql = insert_sql(table);
	if (sql && !tables->error)
		fine(tables, sqlite3_prepare_v2(tables->db, sql, -1, &tables->inserts[table], NULL));
	sqlite3_free(sql);
}

void nsys_row(struct nsys_tables *tables, enum nsys_table_number table)
{
	nsys_make_table(tables, table);
	tables->now = tables->error ? NULL : tables->inserts[table];
	if (tables->now)
		sqlite3_clear_bindings(tables->now);
}

void nsys_put(struct nsys_tables *tables, int column, int64_t value)
{
	if (tables->now)
		fine(tables, sqlite3_bind_int64(tables->now, column + 1, value));
}

void nsys_put_none(struct nsys_tables *tables, int column)
{
	if (tables->now)
		fine(tables, sqlite3_bind_null(tables->now, column + 1));
}

void nsys_put_bytes(struct nsys_tables *tables, int column, const void *bytes, size_t n)
{
	if (tables->now)
		fine(tables, sqlite3_bind_blob(tables->now, column + 1, bytes, (int)n, SQLITE_TRANSIENT));
}

void nsys_row_end(struct nsys_tables *tables)
{
	if (!tables->now || tables->error)
		return;
	fine(tables, sqlite3_step(tables->now));
	sqlite3_reset(tables->now);
	tables->now = NULL;
}

/* ---- texts ---- */

/* Readers refuse a text that is no UTF-8, and end it at a NUL: such bytes become U+FFFD. */
static struct text cleaned(struct nsys_tables *tables, struct text text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	uint32_t code, good = 0;
	size_t n = 0;
	while (good < text.bytes && text.at[good] &&
		   (n = utf8_decode(text.at + good, text.bytes - good, &code)) > 0)
		good += (uint32_t)n;
	if (good == text.bytes)
		return text;
	if (room_reach((void **)&tables->clean, &tables->clean_room, (size_t)text.bytes * 3, 1) != 0) {
		tables->error = tables->error ? tables->error : -ENOMEM;
		return (struct text){"", 0};
	}
	uint32_t used = 0;
	for (uint32_t at = 0; at < text.bytes; at += n ? (uint32_t)n : 1) {
		n = text.at[at] ? utf8_decode(text.at + at, text.bytes - at, &code) : 0;
		const size_t bytes = n ? n : sizeof(replacement) - 1;
		memcpy(tables->clean + used, n ? text.at + at : replacement, bytes);
		used += (uint32_t)bytes;
	}
	return (struct text){tables->clean, used};
}

void nsys_put_text(struct nsys_tables *tables, int column, struct text text)
{
	if (!tables->now)
		return;
	text = cleaned(tables, text);
	fine(tables,
		 sqlite3_bind_text(tables->now, column + 1, text.at, (int)text.bytes, SQLITE_TRANSIENT));
}

uint32_t nsys_string(struct nsys_tables *tables, struct text text)
{
	uint32_t id = 0;
	int is_new = 0;
	if (text.bytes == 0 || tables->error)
		return 0;
	text = cleaned(tables, text);
	if (strings_add(&tables->pool, text.at, text.bytes, &id, &is_new) != 0)
		tables->error = tables->error ? tables->error : -ENOMEM;
	if (!is_new)
		return tables->error ? 0 : id;
	struct sqlite3_stmt *outer = tables->now;
	nsys_row(tables, NSYS_TABLE_STRING);
	nsys_put(tables, STRING_id, id);
	nsys_put_text(tables, STRING_value, text);
	nsys_row_end(tables);
	tables->now = outer;
	return tables->error ? 0 : id;
}

uint32_t nsys_short_string(struct nsys_tables *tables, struct text name)
{
	struct identifier *parts = name.bytes ? malloc(sizeof(*parts)) : NULL;
	if (!parts) {
		if (name.bytes && !tables->error)
			tables->error = -ENOMEM;
		return 0;
	}
	identifier_parse(parts, name.at, name.bytes);
	if (parts->base_bytes > 0)
		name = (struct text){parts->text + parts->base_at, (uint32_t)parts->base_bytes};
	const uint32_t number = nsys_string(tables, name);
	free(parts);
	return number;
}

void nsys_put_words(struct nsys_tables *tables, const char *table, const struct nsys_word *words)
{
	char *sql = sqlite3_mprintf(
		"CREATE TABLE \"%w\" (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT)", table);
	execute(tables, sql);
	sqlite3_free(sql);
	for (; words->name; words++) {
		sql = sqlite3_mprintf("INSERT INTO \"%w\" VALUES (%d, %Q, %Q)", table, words->number,
							  words->name, words->label);
		execute(tables, sql);
		sqlite3_free(sql);
	}
}
