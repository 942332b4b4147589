#include "base/plain.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

struct span {
	uint32_t first, last;
};

/* soft hyphen; joiner, Arabic letter mark; fillers; Mongolian selectors; zero width, directions;
 * line ends, directions; joiners and isolates; fillers; byte order mark; annotations; tags */
static const struct span hidden[] = {
	{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},
	{0x115f, 0x1160}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
	{0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
static const struct span combining[] = {{0x300, 0x36f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
										{0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
static const struct span wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
								   {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
								   {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
								   {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

#define IS_IN(code, spans) is_in(code, spans, sizeof(spans) / sizeof((spans)[0]))

static bool is_in(uint32_t code, const struct span *spans, size_t n)
{
	for (size_t i = 0; i < n && spans[i].first <= code; i++)
		if (code <= spans[i].last)
			return true;
	return false;
}

bool plain_is_hidden(uint32_t code)
{
	return IS_IN(code, hidden);
}

void plain_text(char *text)
{
	size_t left = strlen(text);
	char *to = text;
	while (left > 0) {
		uint32_t code = 0;
		size_t n = utf8_decode(text, left, &code);
		if (n == 0 || IS_IN(code, hidden)) {
			*to++ = '?';
			n = n ? n : 1;
		} else {
			memmove(to, text, n);
			to += n;
		}
		text += n;
		left -= n;
	}
	*to = 0;
}

void plain_put(const char *text, FILE *out)
{
	char *copy = strdup(text);
	if (!copy)
		return;
	plain_text(copy);
	fputs(copy, out);
	free(copy);
}

/* Bytes of the character at the beginning of the text, which is not empty. */
static size_t character(const char *text, size_t left, int *columns)
{
	uint32_t code = 0;
	const size_t n = utf8_decode(text, left, &code);
	*columns = n == 0 || !IS_IN(code, combining);
	*columns += n > 0 && IS_IN(code, wide);
	return n ? n : 1;
}

int plain_columns(const char *text)
{
	int columns = 0;
	for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
		int more;
		n = character(text, left, &more);
		columns += more;
	}
	return columns;
}

size_t plain_head(const char *text, int columns)
{
	const size_t all = strlen(text);
	size_t bytes = 0;
	while (bytes < all) {
		int more;
		const size_t n = character(text + bytes, all - bytes, &more);
		if (more > columns)
			break;
		columns -= more;
		bytes += n;
	}
	return bytes;
}

size_t plain_tail(const char *text, int columns)
{
	const size_t all = strlen(text);
	int over = plain_columns(text) - columns;
	size_t from = 0;
	while (from < all && over > 0) {
		int more;
		from += character(text + from, all - from, &more);
		over -= more;
	}
	for (int more = 0; from > 0 && from < all;) { /* marks belong to the character before them */
		const size_t n = character(text + from, all - from, &more);
		if (more)
			break;
		from += n;
	}
	return from;
}
