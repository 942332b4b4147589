/* The border to simdjson: takes one JSON object apart into the fields a table asks for. Nothing of
 * simdjson is seen outside json_event.cpp. One thread per reader. */
#ifndef IMPORT_JSON_EVENT_H
#define IMPORT_JSON_EVENT_H

#include "import/json/json_text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { JSON_EVENT_PADDING = 64 }; /* readable bytes after the text given */

struct json_key {
	const char *name; /* as it stands in the source; shorter than 64 bytes */
	bool in_args;     /* inside the object "args", else of the object itself */
};

struct json_event_reader;

/* NULL without memory. `keys` must outlive the reader. */
struct json_event_reader *json_event_new(const struct json_key *keys, size_t n);
void json_event_free(struct json_event_reader *reader);

/* values[i] is what keys[i] holds (the last one when it occurs twice). The slices point into the
 * text, or, where control characters or bytes that are no UTF-8 had to be replaced, into a copy that
 * holds until the next call. 0; -EBADMSG: a syntax error somewhere in the object or its args (inside deeper values only
 * the brackets are looked at); -ENOMEM. */
int json_event_read(struct json_event_reader *reader, const char *at, size_t bytes,
					struct json_text *values);

#ifdef __cplusplus
}
#endif

#endif
