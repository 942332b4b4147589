#include "classify/pattern.h"

#include <string.h>

struct alternative {
	const char *at; /* parts with '*' between them */
	size_t n;
	bool veto, at_start, at_end, words;
};

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return is_lower(c) || is_upper(c);
}

/* A word begins at text[i]: "fooBar", "RMSNorm" (at N), "sm90", "90a", and around punctuation. */
static bool word_begins(const char *text, size_t bytes, size_t i)
{
	char c = text[i];
	if (i == 0)
		return true;
	char before = text[i - 1];
	if (!is_letter(c) && !is_digit(c))
		return true;
	if (is_letter(c) != is_letter(before) || is_digit(c) != is_digit(before))
		return true;
	if (is_upper(c) && is_lower(before))
		return true;
	return is_upper(c) && is_upper(before) && i + 1 < bytes && is_lower(text[i + 1]);
}

void folded_clear(struct folded *folded)
{
	folded->n = 0;
	folded->text[0] = 0;
	folded->starts[0] = true;
}

void folded_append(struct folded *folded, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes && folded->n + 1 < FOLDED_ROOM; i++) {
		char c = text[i];
		if (c == '_' || c == ' ' || c == '\t')
			continue;
		if (c < ' ' || c > '~')
			c = '?';
		folded->starts[folded->n] = word_begins(text, bytes, i);
		folded->text[folded->n++] = is_upper(c) ? (char)(c - 'A' + 'a') : c;
	}
	folded->text[folded->n] = 0;
	folded->starts[folded->n] = true;
}

/* The first place at or after `from` where the part stands, or -1. */
static long find_part(const struct folded *folded, size_t from, struct alternative part)
{
	for (size_t i = from; i + part.n <= folded->n; i++) {
		const char *hit = memchr(folded->text + i, part.at[0], folded->n - part.n - i + 1);
		if (!hit)
			return -1;
		i = (size_t)(hit - folded->text);
		if (part.at_start && i != 0)
			return -1;
		if (memcmp(hit, part.at, part.n) != 0)
			continue;
		if (part.at_end && i + part.n != folded->n)
			continue;
		if (!part.words || (folded->starts[i] && folded->starts[i + part.n]))
			return (long)i;
	}
	return -1;
}

static bool alternative_matches(const struct folded *folded, struct alternative whole)
{
	const char *end = whole.at + whole.n;
	size_t from = 0;
	struct alternative part = whole;
	while (part.at < end) {
		part.words = *part.at == '=';
		part.at += part.words;
		const char *star = memchr(part.at, '*', (size_t)(end - part.at));
		const char *stop = star ? star : end;
		part.n = (size_t)(stop - part.at);
		part.at_end = whole.at_end && !star;
		long i = part.n ? find_part(folded, from, part) : (long)from;
		if (i < 0)
			return false;
		from = (size_t)i + part.n;
		part.at = star ? star + 1 : end;
		part.at_start = false;
	}
	return true;
}

static struct alternative alternative_read(const char *at, size_t n)
{
	struct alternative out = {.at = at, .n = n};
	for (; out.n && strchr("!^", *out.at); out.at++, out.n--) {
		out.veto |= *out.at == '!';
		out.at_start |= *out.at == '^';
	}
	if (out.n && out.at[out.n - 1] == '$') {
		out.at_end = true;
		out.n--;
	}
	return out;
}

bool pattern_matches(const char *pattern, const struct folded *folded)
{
	bool found = false;
	bool only_vetoes = true;
	while (*pattern) {
		size_t n = strcspn(pattern, " ");
		if (n > 0) {
			struct alternative one = alternative_read(pattern, n);
			only_vetoes &= one.veto;
			if ((one.veto || !found) && alternative_matches(folded, one)) {
				if (one.veto)
					return false;
				found = true;
			}
		}
		pattern += n + (pattern[n] == ' ');
	}
	return found || only_vetoes;
}
