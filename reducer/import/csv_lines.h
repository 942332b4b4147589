/* Reads a CSV file line by line. A cell may be in quotes, but ends on its line. One thread. */
#ifndef IMPORT_CSV_LINES_H
#define IMPORT_CSV_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct csv_lines {
	/* Gives the text, as inflate_read() does. */
	ssize_t (*read)(void *context, void *buffer, size_t room);
	void *context;
	size_t most;     /* bytes of a line */
	uint64_t number; /* of the last line, from 1 */
	bool ended;      /* the last line had an end, so it is not cut off */
	int error;       /* of `read` */
	char *buffer;
	size_t at, end;
};

/* `read`, `context` and `most` have to be set, the rest zeroed. 0 or -ENOMEM. */
int csv_lines_open(struct csv_lines *lines);
void csv_lines_close(struct csv_lines *lines);
/* The next line without its end, valid until the next call. 1: a line; 0: the end of the text;
 * -EMSGSIZE: a line longer than `most`. What stands before damage without an end of line is no
 * line. */
int csv_lines_next(struct csv_lines *lines, const char **line, size_t *bytes);

struct csv_cell {
	const char *at; /* without blanks and quotes around it */
	size_t bytes;
	bool doubled; /* a quote in it stands twice */
	bool open;    /* a quote that begins it is never closed */
};

/* The cell at *at, which moves past its comma, or becomes NULL after the last cell. */
struct csv_cell csv_cell_next(const char **at, const char *end);
/* Copies the text of the cell, doubled quotes as one, to `out`, which has room for cell->bytes.
 * Returns its length. */
size_t csv_cell_text(const struct csv_cell *cell, char *out);

#endif
