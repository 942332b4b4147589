/* Reads the tables of an nsys SQLite export by the columns that they have: exports of 2021 to 2026
 * differ in tables and columns, and a table without rows is often missing. The file is opened
 * read-only as an immutable one, so that SQLite makes no files beside it. One thread. */
#ifndef IMPORT_NSYS_SCHEMA_H
#define IMPORT_NSYS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

enum { NSYS_FIELDS = 24, NSYS_ENUM_IDS = 32, NSYS_LABEL_BYTES = 48 };

struct nsys_db {
	const char *path;
	struct sqlite3 *handle;
	uint64_t bytes;
	uint64_t rows;           /* read so far, all tables */
	uint64_t rounds;         /* of SQLite's machine so far */
	uint32_t damaged_tables; /* tables whose reading ended early */
	bool damaged;            /* the damage, or that it is being written, was reported */
	bool stop;               /* set by the caller: every scan ends */
};

enum nsys_field_kind {
	NSYS_PLAIN,
	NSYS_STRING, /* an id of StringIds: the field is its text */
	NSYS_JOINED  /* an expression over the table's join */
};

struct nsys_field {
	const char *column;
	enum nsys_field_kind kind;
};

struct nsys_table {
	const char *name;
	/* Ends with the first field without a column. SQL sees the fields as f0, f1, ... */
	struct nsys_field fields[NSYS_FIELDS];
	const char *join; /* or NULL; used only if the next two exist as well */
	const char *join_table;
	const char *join_column; /* the column's name in both tables */
	const char *tail;        /* WHERE and ORDER BY over f0, f1, ... or NULL */
};

struct nsys_scan {
	struct nsys_db *db;
	const char *name;
	struct sqlite3_stmt *statement; /* NULL: at the end */
	uint32_t present;               /* bit f: the export has field f */
	uint64_t rows;
};

/* Opens an export. 0, or -EBADMSG after printing what is wrong. Call nsys_db_close() in any
 * case. */
int nsys_db_open(struct nsys_db *db, const char *path);
void nsys_db_close(struct nsys_db *db);
/* NULL when the export has tables that are read; else the reason for refusing it, to print after
 * its path. */
const char *nsys_db_refusal(struct nsys_db *db);
/* About how many rows its large tables have; 0: not known. */
uint64_t nsys_db_expected_rows(struct nsys_db *db);
bool nsys_db_has_table(struct nsys_db *db, const char *table);
bool nsys_db_has_column(struct nsys_db *db, const char *table, const char *column);

/* Scans a table; one that does not exist has no rows. After the last row, and after damage
 * (reported once for each table), nsys_scan_next() returns false and closes the scan. Call
 * nsys_scan_close() to stop earlier. */
void nsys_scan_open(struct nsys_scan *scan, struct nsys_db *db, const struct nsys_table *table);
bool nsys_scan_next(struct nsys_scan *scan);
void nsys_scan_close(struct nsys_scan *scan);

/* Values of the current row. A NULL, or a value of another type, counts as absent. Text and bytes
 * are valid until the next row. */
bool nsys_int(const struct nsys_scan *scan, unsigned field, int64_t *value);
int64_t nsys_int_or(const struct nsys_scan *scan, unsigned field, int64_t absent);
/* NULL: absent. nsys_bytes() takes text and blobs. */
const char *nsys_text(const struct nsys_scan *scan, unsigned field, size_t *bytes);
const void *nsys_bytes(const struct nsys_scan *scan, unsigned field, size_t *bytes);

/* The meaning of the numbers of an ENUM_* table: by its names and labels, or when the export lacks
 * the table by the numbers that all known versions have. 0: unknown. */
struct nsys_enum_rule {
	const char *contains; /* any case */
	uint8_t value;
};

struct nsys_enum_spec {
	const char *table;
	/* the first one that fits decides; ends with the first one without text */
	struct nsys_enum_rule rules[24];
	uint8_t numbers[16];
};

struct nsys_enum {
	uint8_t values[NSYS_ENUM_IDS];
	char labels[NSYS_ENUM_IDS][NSYS_LABEL_BYTES]; /* empty: unknown */
};

void nsys_enum_load(struct nsys_enum *out, struct nsys_db *db, const struct nsys_enum_spec *spec);
uint8_t nsys_enum_value(const struct nsys_enum *map, int64_t id);
const char *nsys_enum_label(const struct nsys_enum *map, int64_t id); /* NULL: unknown */
uint8_t nsys_enum_classify(const struct nsys_enum_spec *spec, const char *text);

#endif
