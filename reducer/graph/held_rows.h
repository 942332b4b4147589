/* The times at which host functions and peers held streams of a process up, sorted so that a file of
 * a million of them is asked in logarithmic time. */
#ifndef GRAPH_HELD_ROWS_H
#define GRAPH_HELD_ROWS_H

#include "graph/process.h"

struct held_times { /* of host functions: their sorted begins or ends, and the sums before each */
	int64_t *at;
	uint64_t *sums;
	size_t n;
};

struct held_rows {
	const struct held_row *rows;
	size_t n;
	uint32_t *by_end; /* numbers of rows */
	uint32_t *last;   /* a tree of maxima over them: the highest number of each half, and so on */
	struct held_times begins, ends;
};

/* 0 or -ENOMEM; what was made is freed by held_rows_close() in both cases. */
int held_rows_open(struct held_rows *held, const struct process *process);
void held_rows_close(struct held_rows *held);

/* The last row of the file that ended in [from, to]; NULL: none did. */
const struct held_row *held_rows_ended(const struct held_rows *held, int64_t from, int64_t to);
/* How long host functions ran in [from, to), each by itself: two side by side count twice. */
int64_t held_rows_ran(const struct held_rows *held, int64_t from, int64_t to);
/* How many began in [from, to). */
size_t held_rows_begun(const struct held_rows *held, int64_t from, int64_t to);

#endif
