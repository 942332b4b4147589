#include "import/nsys/nsys_inputs.h"

#include "import/json/json_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint32_t nsys_inputs_of_text(struct trace_out *out, const char *text, size_t bytes)
{
	static const char before[] = ", sizes = [";
	char list[4096];
	size_t n = 0;
	int depth = 0;
	const char *at = bytes ? memmem(text, bytes, before, sizeof(before) - 1) : NULL;
	if (!at)
		return 0;
	for (at += sizeof(before) - 2; at < text + bytes; at++) {
		if (*at == ' ')
			continue;
		if (!*at || !strchr("[],-0123456789", *at) || n == sizeof(list))
			return 0;
		list[n++] = *at;
		depth += (*at == '[') - (*at == ']');
		if (depth == 0)
			return trace_out_inputs(out, trace_out_string(out, list, n), 0);
	}
	return 0;
}

/* The string after `key` at *at, and *at after it. False: there is none. */
static bool json_string(const char **at, const char *end, const char *key, struct json_text *value)
{
	const size_t bytes = strlen(key);
	const char *from = *at + bytes, *to = from;
	if ((size_t)(end - *at) <= bytes || memcmp(*at, key, bytes) != 0)
		return false;
	while (to < end && *to != '"')
		to += *to == '\\' && to + 1 < end ? 2 : 1;
	if (to >= end)
		return false;
	*value = (struct json_text){from, (uint32_t)(to - from), JSON_STRING};
	*at = to + 1;
	return true;
}

uint32_t nsys_inputs_of_json(struct trace_out *out, const char *json, size_t bytes)
{
	const char *at = json, *end = json + bytes;
	struct json_text shapes, types = {.at = "", .bytes = 0};
	if (bytes > UINT32_MAX / 2 || !json_string(&at, end, "{\"Input Dims\":\"", &shapes))
		return 0;
	json_string(&at, end, ",\"Input type\":\"", &types);
	char *text = malloc((size_t)shapes.bytes + types.bytes + 1);
	if (!text)
		return 0;
	const size_t n = json_unescape(shapes.at, shapes.bytes, text);
	const uint32_t of_shapes = trace_out_string(out, text, n);
	const size_t m = json_unescape(types.at, types.bytes, text);
	const uint32_t of_types = trace_out_string(out, text, m);
	free(text);
	return of_shapes || of_types ? trace_out_inputs(out, of_shapes, of_types) : 0;
}
