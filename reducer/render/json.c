#include "render/json.h"

#include "base/plain.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_escaped(FILE *out, uint32_t code)
{
	if (code >= 0x10000)
		fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
	else
		fprintf(out, "\\u%04x", code);
}

/* Valid UTF-8 passes through, what a terminal would obey or hide is escaped, and anything else
 * becomes U+FFFD. */
static void put_text(FILE *out, const char *text)
{
	size_t left = strlen(text);
	fputc('"', out);
	while (left > 0) {
		uint32_t code;
		size_t n = utf8_decode(text, left, &code);
		if (n == 0)
			fputs("\\ufffd", out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (plain_is_hidden(code))
			put_escaped(out, code);
		else
			fwrite(text, 1, n, out);
		n = n ? n : 1;
		text += n;
		left -= n;
	}
	fputc('"', out);
}

static void begin_value(struct json *json, const char *key)
{
	if (json->comma)
		fputc(',', json->out);
	json->comma = true;
	if (!key)
		return;
	put_text(json->out, key);
	fputc(':', json->out);
}

void json_object(struct json *json, const char *key)
{
	begin_value(json, key);
	fputc('{', json->out);
	json->comma = false;
}

void json_array(struct json *json, const char *key)
{
	begin_value(json, key);
	fputc('[', json->out);
	json->comma = false;
}

void json_end_object(struct json *json)
{
	fputc('}', json->out);
	json->comma = true;
}

void json_end_array(struct json *json)
{
	fputc(']', json->out);
	json->comma = true;
}

void json_number(struct json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_decimal(struct json *json, const char *key, double value, int digits)
{
	begin_value(json, key);
	if (isfinite(value))
		fprintf(json->out, "%.*f", digits, value);
	else
		fputs("null", json->out);
}

void json_ratio(struct json *json, const char *key, double value)
{
	json_decimal(json, key, value, 6);
}

void json_text(struct json *json, const char *key, const char *text)
{
	begin_value(json, key);
	put_text(json->out, text);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_value(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	begin_value(json, key);
	fputs("null", json->out);
}

void json_known(struct json *json, const char *key, int64_t value)
{
	if (value == -1)
		json_null(json, key);
	else
		json_number(json, key, value);
}
