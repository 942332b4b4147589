/* Messages for people: one line each on stderr, beginning with "baton: ". Data never goes here.
 * Callable from any thread. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdint.h>

enum status { /* exit statuses, a contract with scripts (docs/man) */
			  STATUS_OK = 0,
			  STATUS_GATE = 1,
			  STATUS_USAGE = 2,
			  STATUS_INPUT = 3,   /* unreadable or corrupt, nothing was used */
			  STATUS_PARTIAL = 4, /* answered, but not from everything */
			  STATUS_OUTPUT = 5
};

void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "baton: PATH: offset 0x1a40: what" */
void diag_at(const char *path, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The more serious of two outcomes of one command: output error, input, partial, ok. */
enum status status_worse(enum status a, enum status b);

/* One line of progress on stderr, at most 5 a second and only on a terminal; progress_done clears
 * it. */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_done(void);

#endif
