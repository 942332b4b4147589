/* Values of JSON as they are in the source text, and how to read them. Numbers never pass through a
 * double. */
#ifndef IMPORT_JSON_TEXT_H
#define IMPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum json_kind {
	JSON_ABSENT,
	JSON_STRING, /* without its quotes, escapes not resolved */
	JSON_NUMBER,
	JSON_WORD,  /* true, false, null, NaN, ... */
	JSON_NESTED /* an object or array, with its brackets */
};

struct json_text {
	const char *at;
	uint32_t bytes;
	uint32_t kind; /* enum json_kind */
};

bool json_is(struct json_text text, const char *string);

/* *value: a whole number, or the number in a string ("25738", "stream 7"). False when there is none
 * or it does not fit. */
bool json_integer(struct json_text text, int64_t *value);

/* Resolves escapes. `out` has room for `bytes` bytes. Returns the length. Invalid escapes stay as
 * they are; half a surrogate pair becomes U+FFFD. */
size_t json_unescape(const char *at, size_t bytes, char *out);

#ifdef __cplusplus
}
#endif

#endif
