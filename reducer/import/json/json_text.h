/* Pieces of JSON text as they stand in the source, and what can be read from them without ever
 * passing through a double. */
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
	JSON_STRING, /* without its quotes, escapes as they stand */
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

/* A whole number, or the number in a string ("25738", "stream 7"). False when there is none or it
 * is beyond i64. */
bool json_integer(struct json_text text, int64_t *value);

/* Resolves escapes; `out` has room for `bytes`. Returns the length. What is no valid escape stays
 * as it is; half a surrogate pair becomes U+FFFD. */
size_t json_unescape(const char *at, size_t bytes, char *out);

#ifdef __cplusplus
}
#endif

#endif
