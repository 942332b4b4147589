/* Prints a file as text, record by record, for `baton dump` and the differential tests
 * (docs/FORMAT.md section 5). */
#ifndef READ_DUMP_H
#define READ_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum dump_verdict { DUMP_OK, DUMP_DAMAGED, DUMP_UNREADABLE };

struct dump_result {
	enum dump_verdict verdict;
	uint64_t blocks, records, rows, damages;
	uint64_t first_damage_offset;
	const char *first_damage; /* its reason; NULL: no damage */
	int error;                /* -errno of I/O; 0: none */
};

/* Prints the file `path` to `out`. `json`: one object per line, else `name key=value ...`. Fills
 * `result`. */
void dump_file(const char *path, bool json, FILE *out, struct dump_result *result);
struct idmap;
struct dump_window {
	int64_t from_ns, to_ns;
	const struct idmap *stream_ids;
	const bool *streams; /* whose rows are wanted, by what the map says of their ids; NULL: all */
};

/* The same to stdout, of the rows that begin in [from, to), and of those of a stream only where that
 * is wanted; NULL: of all. */
void dump_part(const char *path, bool json, const struct dump_window *window,
			   struct dump_result *result);
/* The same, but prints only the lines of damage, as text with two blanks before each. With `out`
 * NULL it only checks the file. */
void dump_damage_of(const char *path, bool json, FILE *out, struct dump_result *result);

const char *dump_verdict_name(enum dump_verdict verdict);

#endif
