/* Reads the fields of one JSON object that a table of keys names. Only json_event.cpp includes
 * simdjson. One thread per reader. */
#ifndef IMPORT_JSON_EVENT_H
#define IMPORT_JSON_EVENT_H

#include "import/json/json_text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JSON_EVENT_PADDING = 64 }; /* bytes after the text given that must be readable */

struct json_key {
	const char *name; /* as it is in the source; shorter than 64 bytes */
	bool in_args;     /* the key is in the object "args", else in the object itself */
};

struct json_event_reader;

/* Makes a reader of these n keys; `keys` must outlive it. NULL: out of memory. */
struct json_event_reader *json_event_new(const struct json_key *keys, size_t n);
void json_event_free(struct json_event_reader *reader);

/* values[i]: the value of keys[i] in the object [at, at + bytes), the last one when the key occurs
 * twice. The values point into the text. Where control characters or invalid UTF-8 had to be
 * replaced, they point into a copy, which is valid until the next call. 0; -EBADMSG: a syntax error
 * in the object or in its args (of deeper values only the brackets are checked); -ENOMEM. */
int json_event_read(struct json_event_reader *reader, const char *at, size_t bytes,
					struct json_text *values);

#ifdef __cplusplus
}
#endif

#endif
