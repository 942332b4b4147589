/* Tables of an nsys SQLite export, read by the columns they have: exports of 2021 to 2026 differ in
 * both, and a table without rows is often missing. The file is opened read-only as an immutable
 * one, so nothing is made beside it. One thread. */
#ifndef IMPORT_NSYS_SCHEMA_H
#define IMPORT_NSYS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

enum { NSYS_FIELDS = 16, NSYS_ENUM_IDS = 32, NSYS_LABEL_BYTES = 48 };

struct nsys_db {
	const char *path;
	struct sqlite3 *handle;
	uint64_t bytes;
	uint64_t rows;           /* read so far, all tables */
	uint32_t damaged_tables; /* that ended early */
	bool damaged;            /* said already */
	bool stop;               /* set by the user: every scan is at its end */
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
	/* Up to the first without a column; SQL sees them as f0, f1, ... */
	struct nsys_field fields[NSYS_FIELDS];
	const char *join; /* or NULL; used when the next two exist as well */
	const char *join_table;
	const char *join_column; /* of both tables */
	const char *tail;        /* WHERE and ORDER BY over f0, f1, ... or NULL */
};

struct nsys_scan {
	struct nsys_db *db;
	const char *name;
	struct sqlite3_stmt *statement; /* NULL: at the end */
	uint32_t present;               /* bit f: the export has field f */
	uint64_t rows;
};

/* 0, or -EBADMSG after saying what is wrong. nsys_db_close() in any case. */
int nsys_db_open(struct nsys_db *db, const char *path);
void nsys_db_close(struct nsys_db *db);
/* NULL when it has tables that are read; else why it is not taken, to put after its path. */
const char *nsys_db_refusal(struct nsys_db *db);
bool nsys_db_has_table(struct nsys_db *db, const char *table);
bool nsys_db_has_column(struct nsys_db *db, const char *table, const char *column);

/* A table that does not exist has no rows. After the last row, and after damage (said once for each
 * table), next is false and the scan is closed. nsys_scan_close() is for those who stop earlier. */
void nsys_scan_open(struct nsys_scan *scan, struct nsys_db *db, const struct nsys_table *table);
bool nsys_scan_next(struct nsys_scan *scan);
void nsys_scan_close(struct nsys_scan *scan);

/* Values of the row; anything that is NULL or of another type is absent. Text and bytes last until
 * the next row. */
bool nsys_int(const struct nsys_scan *scan, unsigned field, int64_t *value);
int64_t nsys_int_or(const struct nsys_scan *scan, unsigned field, int64_t absent);
/* NULL: absent. nsys_bytes() takes text and blobs. */
const char *nsys_text(const struct nsys_scan *scan, unsigned field, size_t *bytes);
const void *nsys_bytes(const struct nsys_scan *scan, unsigned field, size_t *bytes);

/* What the numbers of an ENUM_* table mean to us: by its names and labels, or by the numbers all
 * known versions have when the export lacks the table. 0: nothing known. */
struct nsys_enum_rule {
	const char *contains; /* any case */
	uint8_t value;
};

struct nsys_enum_spec {
	const char *table;
	struct nsys_enum_rule rules[24]; /* the first that fits; up to the first without text */
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
