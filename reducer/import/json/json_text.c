#include "import/json/json_text.h"

#include <string.h>

bool json_is(struct json_text text, const char *string)
{
	return text.kind == JSON_STRING && strlen(string) == text.bytes &&
		   memcmp(text.at, string, text.bytes) == 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool json_integer(struct json_text text, int64_t *value)
{
	if (text.kind != JSON_NUMBER && text.kind != JSON_STRING)
		return false; /* a value that is not there has no place at all */
	const char *p = text.at, *end = text.at + text.bytes;
	if (text.kind == JSON_STRING)
		while (p < end && !is_digit(*p) && *p != '-')
			p++;
	bool minus = p < end && *p == '-';
	p += minus;
	if (p == end || !is_digit(*p))
		return false;
	int64_t sum = 0;
	for (; p < end && is_digit(*p); p++)
		if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *p - '0', &sum))
			return false;
	if (text.kind == JSON_NUMBER && p < end) { /* "8.0" is whole; "8.5" and "1e3" are refused */
		if (*p++ != '.')
			return false;
		while (p < end && *p == '0')
			p++;
		if (p < end)
			return false;
	}
	*value = minus ? -sum : sum;
	return true;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The code unit of \uXXXX at `at`, -1 when it is none. */
static int32_t code_unit(const char *at, const char *end)
{
	int32_t unit = 0;
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = hex_digit(at[i]);
		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* One \uXXXX or a pair of them; returns the source bytes used. */
static size_t unescape_unit(const char *at, const char *end, int32_t unit, char **out)
{
	if (unit < 0xd800 || unit > 0xdfff) {
		*out = put_utf8(*out, (uint32_t)unit);
		return 6;
	}
	int32_t low = unit < 0xdc00 ? code_unit(at + 6, end) : -1;
	if (low < 0xdc00 || low > 0xdfff) {
		*out = put_utf8(*out, 0xfffd);
		return 6;
	}
	*out = put_utf8(*out, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	return 12;
}

size_t json_unescape(const char *at, size_t bytes, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *end = at + bytes, *begin = out;
	while (at < end) {
		const char *slash = memchr(at, '\\', (size_t)(end - at));
		size_t plain = (size_t)((slash ? slash : end) - at);
		memmove(out, at, plain);
		out += plain;
		at += plain;
		if (!slash)
			break;
		int32_t unit = code_unit(at, end);
		const char *found = end - at >= 2 && at[1] ? strchr(from, at[1]) : NULL;
		if (unit >= 0) {
			at += unescape_unit(at, end, unit, &out);
		} else if (found) {
			*out++ = to[found - from];
			at += 2;
		} else {
			*out++ = *at++;
		}
	}
	return (size_t)(out - begin);
}
