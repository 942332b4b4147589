/* A JSON emitter: objects, arrays, values, in the order in which they are written. Any bytes make
 * valid JSON. */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool comma; /* the next value follows another one */
};

/* `key` is NULL inside arrays and at the top. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_end_array(struct json *json);
void json_number(struct json *json, const char *key, int64_t value);
void json_ratio(struct json *json, const char *key,
				double value); /* six digits; null when not finite */
void json_decimal(struct json *json, const char *key, double value, int digits); /* the same */
void json_text(struct json *json, const char *key, const char *text);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* `value`, or null when it is -1 (not known). */
void json_known(struct json *json, const char *key, int64_t value);

#endif
