/* The JSON emitter: whatever the bytes of a name, the output is valid UTF-8 without control
 * characters and the quotes balance. */
#include "base/utf8.h"
#include "check.h"
#include "render/json.h"

#include <stdlib.h>
#include <string.h>

static char *emit(const char *name)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct json j = {.out = out};
	json_array(&j, NULL);
	json_text(&j, NULL, name);
	json_end_array(&j);
	fclose(out);
	return text;
}

/* ["..."] with nothing inside that a strict parser would refuse. */
static bool valid(const char *text)
{
	size_t n = strlen(text), i = 2;
	if (n < 4 || memcmp(text, "[\"", 2) != 0 || memcmp(text + n - 2, "\"]", 2) != 0)
		return false;
	while (i < n - 2) {
		uint32_t code;
		size_t length = utf8_decode(text + i, n - i, &code);
		if (length == 0 || code < 0x20 || code == '"')
			return false;
		if (code == '\\') {
			if (!strchr("\"\\u", text[i + 1]))
				return false;
			length = text[i + 1] == 'u' ? 6 : 2;
			if (length == 6 && strspn(text + i + 2, "0123456789abcdef") < 4)
				return false;
		}
		i += length;
	}
	return i == n - 2;
}

static void any_bytes(void)
{
	srand(5);
	for (int round = 0; round < 20000; round++) {
		char name[24];
		size_t n = (size_t)rand() % (sizeof(name) - 1);
		for (size_t i = 0; i < n; i++)
			name[i] = (char)(1 + rand() % 255);
		name[n] = 0;
		char *text = emit(name);
		CHECK(valid(text), "not valid: %s", text);
		free(text);
	}
}

static void each(const char *name, const char *expected)
{
	char *text = emit(name);
	CHECK(strcmp(text, expected) == 0, "%s instead of %s", text, expected);
	free(text);
}

int main(void)
{
	any_bytes();
	each("", "[\"\"]");
	each("a\"b\\c\t\x7f", "[\"a\\\"b\\\\c\\u0009\\u007f\"]");
	each("\xe2\x82\xac \xf0\x9f\x9a\x80", "[\"\xe2\x82\xac \xf0\x9f\x9a\x80\"]");
	each("\xc0\x80", "[\"\\ufffd\\ufffd\"]");            /* overlong */
	each("\xed\xa0\x80", "[\"\\ufffd\\ufffd\\ufffd\"]"); /* surrogate */
	each("\xe2\x82", "[\"\\ufffd\\ufffd\"]");            /* cut */
	return finish();
}
