/* Messages for people: one line each on stderr, beginning with "baton: ". Never write data with
 * them. Any thread may call them. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

enum status { /* exit statuses: scripts rely on them (docs/man) */
			  STATUS_OK = 0,
			  STATUS_GATE = 1,
			  STATUS_USAGE = 2,
			  STATUS_INPUT = 3,   /* the input is unreadable or corrupt, and nothing was used */
			  STATUS_PARTIAL = 4, /* the answer is based on only part of the input */
			  STATUS_OUTPUT = 5
};

/* Whether diag() and diag_at() leave out what they have said before, numbers and offsets aside: for
 * a command that looks at one thing again and again. */
void diag_once(bool once);
/* From now on lines show `shown` where they have `path`, as standard input that was copied there.
 * Both stay the caller's; NULL ends it. */
void diag_alias(const char *path, const char *shown);

/* While it is quiet, diag() and diag_at() say nothing: for a second look at an input of which all was
 * said at the first. */
void diag_quiet(bool quiet);

void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "baton: PATH: offset 0x1a40: what" */
void diag_at(const char *path, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The more serious of two outcomes of one command, in the order output error, input, partial,
 * ok. */
enum status status_worse(enum status a, enum status b);

#endif
