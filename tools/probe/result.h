/* What a section found, told to the parent line by line: one write() a line, so that a section that
 * crashes or hangs loses nothing of what it said before. One section per process.
 *   S name unit round v v v...   samples; lines of one name add up
 *   V name unit value            one number
 *   T name text                  one fact in words
 *   D name a b                   the parent subtracts: series a minus series b, round by round
 *   E text                       something is missing or failed; the section goes on */
#ifndef PROBE_RESULT_H
#define PROBE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void result_open(int fd, int round);
void result_samples(const char *name, const char *unit, const int64_t *values, size_t count);
void result_value(const char *name, const char *unit, int64_t value);
void result_text(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_difference(const char *name, const char *a, const char *b);
void result_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* False, with a message, when a function that the section needs is not there. */
bool result_have(const char *symbol, const void *function);

/* True when rc is 0, else says so. */
bool result_ok(const char *what, int rc);

/* A series that grows while a section runs. */
struct series {
	int64_t *values;
	size_t count, capacity;
};

/* Memory for n more, touched: a timed loop then never waits for a page. */
void series_reserve(struct series *series, size_t n);
void series_add(struct series *series, int64_t value);
void series_tell(struct series *series, const char *name, const char *unit); /* and empties it */

#endif
