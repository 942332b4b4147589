/* Finds the end of one JSON value in text that arrives in pieces. It looks only at strings and
 * brackets; the user of the value parses it. Some damage is noticed early, so that a lost quote or
 * bracket does not swallow the rest of the text. */
#ifndef IMPORT_JSON_WALK_H
#define IMPORT_JSON_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum json_walk_result { JSON_WALK_DONE, JSON_WALK_MORE, JSON_WALK_BROKEN };

enum { JSON_WALK_DEPTH = 64 };

struct json_walk {
	uint64_t arrays; /* the open brackets, innermost in bit 0: 1 array, 0 object */
	uint32_t depth;
	bool in_string;
	const char *what; /* JSON_WALK_BROKEN: what is wrong */
};

/* Goes on at *at. `begin`: the first byte before it that may be read again. JSON_WALK_DONE: *at is
 * after the value (a string, object or array). JSON_WALK_MORE: *at is where to go on when more text
 * is there. JSON_WALK_BROKEN: *at is the offending byte. */
enum json_walk_result json_walk_value(struct json_walk *walk, const char *begin, const char **at,
									  const char *end);

/* The first of " { } [ ] in [at, end), or end. */
const char *json_find_structure(const char *at, const char *end);

static inline bool json_is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

#endif
