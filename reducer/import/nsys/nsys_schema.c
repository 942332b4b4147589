#include "import/nsys/nsys_schema.h"

#include "base/diag.h"
#include "base/progress.h"

#include <baton/bounds.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 100,     /* of a SQLite file */
	VALUE_BYTES = 64 << 20, /* a longer one in the file is an error, not an allocation */
	PROGRESS_ROWS = 1 << 12,
	ROUND_STEPS = 1 << 20, /* of SQLite's machine between two looks */
	LEAST_ROUNDS = 64,
	STEPS_OF_BYTE = 64,
	LOCK_BYTE = 0x40000000, /* the first of those that SQLite locks, and how many */
	LOCK_BYTES = 512,
	WAL_HEADER_BYTES = 32
};

/* ---- opening ---- */

static uint32_t big_endian(const unsigned char *at, int bytes)
{
	uint32_t value = 0;
	for (int i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

/* Is the file shorter than its header says? SQLite by itself reads nothing of such a file. */
static bool ends_early(struct nsys_db *db)
{
	unsigned char header[HEADER_BYTES];
	struct stat info;
	int fd = open(db->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool whole = fstat(fd, &info) == 0 && pread(fd, header, sizeof(header), 0) == HEADER_BYTES;
	close(fd);
	if (!whole)
		return false;
	db->bytes = (uint64_t)info.st_size;
	uint64_t page = big_endian(header + 16, 2), pages = big_endian(header + 28, 4);
	page = page == 1 ? 65536 : page;
	bool counted = big_endian(header + 24, 4) == big_endian(header + 92, 4);
	if (!counted || !page || baton_holds(db->bytes, 0, pages, page))
		return false;
	diag_at(db->path, db->bytes, "the file ends here, %" PRIu64 " bytes short",
			page * pages - db->bytes);
	return true;
}

/* Does PATH-journal begin as SQLite begins one whose write is not over, or PATH-wal hold pages? */
static bool has_beside(const char *path, const char *ending, char name[PATH_MAX])
{
	static const unsigned char hot[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	unsigned char header[sizeof(hot)];
	struct stat info;
	char *real = realpath(path, NULL); /* of a link: SQLite's files lie beside what it leads to */
	const int bytes = real ? snprintf(name, PATH_MAX, "%s-%s", real, ending) : PATH_MAX;
	const int fd = bytes < PATH_MAX ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	free(real);
	if (fd < 0)
		return false;
	bool has = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > WAL_HEADER_BYTES;
	if (has && strcmp(ending, "journal") == 0)
		has = pread(fd, header, sizeof(header), 0) == sizeof(header) &&
			  memcmp(header, hot, sizeof(hot)) == 0;
	close(fd);
	return has;
}

/* Another program's lock for writing, on the bytes that SQLite locks. */
static bool is_written(const char *path)
{
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = LOCK_BYTES};
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const bool written = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
	close(fd);
	return written;
}

/* SQLite looks for no lock and no journal of an immutable file: what is in it may be half of a
 * write. Says so. */
static bool is_unfinished(const char *path)
{
	char name[PATH_MAX];
	const bool written = is_written(path);
	if (written)
		diag("%s: another program is writing it, so rows may be missing or half changed; import "
			 "it again when that has ended",
			 path);
	else if (has_beside(path, "journal", name))
		diag("%s: a write to it was cut off (%s): rows may be missing or half changed; export it "
			 "again",
			 path, name);
	else if (has_beside(path, "wal", name))
		diag("%s: what is in %s is not read: sqlite3 %s 'PRAGMA wal_checkpoint(TRUNCATE)' puts it "
			 "into the file",
			 path, name, path);
	else
		return false;
	return true;
}

static int open_handle(struct nsys_db *db)
{
	char *real = realpath(db->path, NULL);
	char *uri = NULL;
	int code = SQLITE_CANTOPEN;
	if (real) {
		sqlite3_str *text = sqlite3_str_new(NULL);
		sqlite3_str_appendall(text, "file:");
		for (const char *c = real; *c; c++)
			sqlite3_str_appendf(text, strchr("%?#", *c) ? "%%%02x" : "%c", (unsigned char)*c);
		sqlite3_str_appendall(text, "?immutable=1&mode=ro");
		uri = sqlite3_str_finish(text);
	}
	if (uri)
		code = sqlite3_open_v2(uri, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	sqlite3_free(uri);
	free(real);
	return code;
}

/* Pages that refer to each other and texts with one id make a small file as long as one likes:
 * SQLite takes as many steps as a file of this size can mean, then it stops. */
static int take_round(void *context)
{
	struct nsys_db *db = context;
	return ++db->rounds > LEAST_ROUNDS + db->bytes * STEPS_OF_BYTE / ROUND_STEPS;
}

int nsys_db_open(struct nsys_db *db, const char *path)
{
	*db = (struct nsys_db){.path = path};
	const bool cut = ends_early(db);
	db->damaged = is_unfinished(path) || cut;
	int code = open_handle(db);
	if (code == SQLITE_OK) {
		sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
		sqlite3_progress_handler(db->handle, ROUND_STEPS, take_round, db);
		sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
		sqlite3_exec(db->handle, "PRAGMA cell_size_check=ON", NULL, NULL, NULL);
		if (cut) /* the one switch that makes SQLite read the pages that are there */
			sqlite3_db_config(db->handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
		code = sqlite3_exec(db->handle, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
	}
	if (code == SQLITE_OK)
		return 0;
	diag("%s: %s", path, sqlite3_errstr(code));
	return -EBADMSG;
}

void nsys_db_close(struct nsys_db *db)
{
	sqlite3_close(db->handle);
	db->handle = NULL;
}

/* Does this query have a row? */
static bool has_row(struct nsys_db *db, const char *sql, const char *first, const char *second)
{
	sqlite3_stmt *statement = NULL;
	bool found = false;
	if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) == SQLITE_OK) {
		sqlite3_bind_text(statement, 1, first, -1, SQLITE_STATIC);
		if (second) /* unbound is NULL, which equals nothing */
			sqlite3_bind_text(statement, 2, second, -1, SQLITE_STATIC);
		found = sqlite3_step(statement) == SQLITE_ROW;
	}
	sqlite3_finalize(statement);
	return found;
}

static bool has_tables(struct nsys_db *db, const char *pattern, const char *other)
{
	return has_row(
		db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND (name GLOB ?1 OR name = ?2)",
		pattern, other);
}

const char *nsys_db_refusal(struct nsys_db *db)
{
	if (has_tables(db, "CUPTI_ACTIVITY_KIND_*", "NVTX_EVENTS"))
		return has_tables(db, "StringTable", NULL) && !has_tables(db, "StringIds", NULL)
				   ? "a profile of nvprof: print it as CSV, nvprof --csv --print-gpu-trace "
					 "--print-api-trace -i FILE 2>FILE.csv, and import that"
				   : NULL;
	if (has_tables(db, "StringIds", NULL) && has_tables(db, "TARGET_INFO_*", NULL))
		return "an nsys export without CUDA or NVTX events: profile with nsys -t cuda,nvtx";
	if (has_tables(db, "rocpd_*", NULL))
		return "a database of rocprofv3: a profile of nsys or of the PyTorch profiler is read";
	return "an SQLite file without CUPTI_ACTIVITY_KIND_* or NVTX_EVENTS tables: not an nsys export";
}

/* The number of the last row of a table. */
static uint64_t last_row(struct nsys_db *db, const char *table)
{
	sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\"", table);
	int64_t last = 0;
	if (sql && sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW)
		last = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return last > 0 ? (uint64_t)last : 0;
}

uint64_t nsys_db_expected_rows(struct nsys_db *db)
{
	sqlite3_stmt *statement = NULL;
	uint64_t rows = 0;
	if (sqlite3_prepare_v2(db->handle,
						   "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
						   "AND (name GLOB 'CUPTI_ACTIVITY_KIND_*' OR name = 'NVTX_EVENTS')",
						   -1, &statement, NULL) != SQLITE_OK)
		return 0;
	while (sqlite3_step(statement) == SQLITE_ROW)
		rows += last_row(db, (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return rows;
}

bool nsys_db_has_table(struct nsys_db *db, const char *table)
{
	/* A view or a virtual table runs what its maker wrote; nsys makes neither. */
	return has_row(
		db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 AND rootpage > 0",
		table, NULL);
}

bool nsys_db_has_column(struct nsys_db *db, const char *table, const char *column)
{
	return nsys_db_has_table(db, table) &&
		   has_row(db, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2", table, column);
}

/* ---- scanning ---- */

struct query {
	sqlite3_str *fields;
	sqlite3_str *joins;
};

static void put_field(struct query *query, struct nsys_scan *scan, const struct nsys_table *table,
					  unsigned f, bool joined)
{
	const struct nsys_field *field = &table->fields[f];
	bool there = field->kind == NSYS_JOINED
					 ? joined
					 : nsys_db_has_column(scan->db, table->name, field->column);
	if (there && field->kind == NSYS_STRING)
		there = nsys_db_has_column(scan->db, "StringIds", "value") &&
				nsys_db_has_column(scan->db, "StringIds", "id");
	sqlite3_str_appendall(query->fields, f > 0 ? ", " : "");
	if (!there)
		sqlite3_str_appendall(query->fields, "NULL");
	else if (field->kind == NSYS_JOINED)
		sqlite3_str_appendall(query->fields, field->column);
	else if (field->kind == NSYS_PLAIN)
		sqlite3_str_appendf(query->fields, "t.\"%w\"", field->column);
	else {
		sqlite3_str_appendf(query->fields, "s%u.value", f);
		sqlite3_str_appendf(query->joins, " LEFT JOIN StringIds AS s%u ON s%u.id = t.\"%w\"", f, f,
							field->column);
	}
	sqlite3_str_appendf(query->fields, " AS f%u", f);
	scan->present |= (uint32_t)there << f;
}

static char *make_sql(struct nsys_scan *scan, const struct nsys_table *table)
{
	struct query query = {sqlite3_str_new(NULL), sqlite3_str_new(NULL)};
	bool joined = table->join &&
				  nsys_db_has_column(scan->db, table->join_table, table->join_column) &&
				  nsys_db_has_column(scan->db, table->name, table->join_column);
	for (unsigned f = 0; f < NSYS_FIELDS && table->fields[f].column; f++)
		put_field(&query, scan, table, f, joined);
	char *fields = sqlite3_str_finish(query.fields), *joins = sqlite3_str_finish(query.joins);
	char *sql = sqlite3_mprintf("SELECT %s FROM \"%w\" AS t%s %s %s", fields ? fields : "NULL",
								table->name, joins ? joins : "", joined ? table->join : "",
								table->tail ? table->tail : "");
	sqlite3_free(fields);
	sqlite3_free(joins);
	return sql;
}

static void say_damage(struct nsys_scan *scan, int code)
{
	struct nsys_db *db = scan->db;
	db->damaged = true;
	db->damaged_tables++;
	diag("%s: table %s: %s after %" PRIu64 " rows; those are used", db->path, scan->name,
		 sqlite3_errstr(code), scan->rows);
}

void nsys_scan_open(struct nsys_scan *scan, struct nsys_db *db, const struct nsys_table *table)
{
	*scan = (struct nsys_scan){.db = db, .name = table->name};
	if (!nsys_db_has_table(db, table->name))
		return;
	char *sql = make_sql(scan, table);
	int code = sql ? sqlite3_prepare_v2(db->handle, sql, -1, &scan->statement, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	if (code != SQLITE_OK)
		say_damage(scan, code);
}

bool nsys_scan_next(struct nsys_scan *scan)
{
	if (!scan->statement)
		return false;
	if (scan->db->stop) {
		nsys_scan_close(scan);
		return false;
	}
	int code = sqlite3_step(scan->statement);
	if (code == SQLITE_ROW) {
		scan->rows++;
		if (++scan->db->rows % PROGRESS_ROWS == 0)
			progress_reach(scan->db->rows);
		return true;
	}
	if (code != SQLITE_DONE)
		say_damage(scan, code);
	nsys_scan_close(scan);
	return false;
}

void nsys_scan_close(struct nsys_scan *scan)
{
	sqlite3_finalize(scan->statement);
	scan->statement = NULL;
}

bool nsys_int(const struct nsys_scan *scan, unsigned field, int64_t *value)
{
	if (sqlite3_column_type(scan->statement, (int)field) != SQLITE_INTEGER)
		return false;
	*value = sqlite3_column_int64(scan->statement, (int)field);
	return true;
}

int64_t nsys_int_or(const struct nsys_scan *scan, unsigned field, int64_t absent)
{
	int64_t value = absent;
	nsys_int(scan, field, &value);
	return value;
}

const char *nsys_text(const struct nsys_scan *scan, unsigned field, size_t *bytes)
{
	if (sqlite3_column_type(scan->statement, (int)field) != SQLITE_TEXT)
		return NULL;
	const unsigned char *text = sqlite3_column_text(scan->statement, (int)field);
	*bytes = (size_t)sqlite3_column_bytes(scan->statement, (int)field);
	return (const char *)text;
}

const void *nsys_bytes(const struct nsys_scan *scan, unsigned field, size_t *bytes)
{
	int type = sqlite3_column_type(scan->statement, (int)field);
	if (type != SQLITE_TEXT && type != SQLITE_BLOB)
		return NULL;
	const void *at = sqlite3_column_blob(scan->statement, (int)field);
	*bytes = (size_t)sqlite3_column_bytes(scan->statement, (int)field);
	return at;
}

/* ---- enumerations ---- */

uint8_t nsys_enum_classify(const struct nsys_enum_spec *spec, const char *text)
{
	for (const struct nsys_enum_rule *rule = spec->rules; text && rule->contains; rule++)
		if (strcasestr(text, rule->contains))
			return rule->value;
	return 0;
}

void nsys_enum_load(struct nsys_enum *out, struct nsys_db *db, const struct nsys_enum_spec *spec)
{
	struct nsys_table table = {
		.name = spec->table, .fields = {{.column = "id"}, {.column = "name"}, {.column = "label"}}};
	struct nsys_scan scan;
	memset(out, 0, sizeof(*out));
	memcpy(out->values, spec->numbers, sizeof(spec->numbers));
	nsys_scan_open(&scan, db, &table);
	while (nsys_scan_next(&scan)) {
		size_t bytes;
		int64_t id = nsys_int_or(&scan, 0, -1);
		if (id < 0 || id >= NSYS_ENUM_IDS)
			continue;
		const char *label = nsys_text(&scan, 2, &bytes);
		snprintf(out->labels[id], NSYS_LABEL_BYTES, "%s", label ? label : "");
		out->values[id] = nsys_enum_classify(spec, nsys_text(&scan, 1, &bytes));
		if (!out->values[id])
			out->values[id] = nsys_enum_classify(spec, label);
	}
}

uint8_t nsys_enum_value(const struct nsys_enum *map, int64_t id)
{
	return id >= 0 && id < NSYS_ENUM_IDS ? map->values[id] : 0;
}

const char *nsys_enum_label(const struct nsys_enum *map, int64_t id)
{
	return id >= 0 && id < NSYS_ENUM_IDS && map->labels[id][0] ? map->labels[id] : NULL;
}
