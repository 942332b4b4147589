#include "classify/demangle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at, *end;
	char *out;
	size_t n, room;
};

static void put(struct reader *r, const char *text, size_t bytes)
{
	size_t left = r->room - 1 - r->n;
	if (bytes > left)
		bytes = left;
	memcpy(r->out + r->n, text, bytes);
	r->n += bytes;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at `at` as a length, 0 when that many bytes do not follow (a name cut short keeps what
 * is there). */
static size_t length_at(const struct reader *r, const char *at, const char **identifier)
{
	size_t length = 0;
	for (; at < r->end && is_digit(*at) && length < 65536; at++)
		length = 10 * length + (size_t)(*at - '0');
	*identifier = at;
	size_t left = (size_t)(r->end - at);
	return length < left ? length : left;
}

static void put_identifier(struct reader *r, const char *at, size_t bytes)
{
	if (bytes >= 10 && memcmp(at, "_GLOBAL__N", 10) == 0)
		put(r, "(anonymous namespace)", 21);
	else
		put(r, at, bytes);
}

/* Std and substitution prefixes, qualifiers and the start of a nested or local name. */
static void skip_prefix(struct reader *r)
{
	while (r->at < r->end && strchr("ZNKVrL", *r->at))
		r->at++;
	if (r->at + 1 < r->end && *r->at == 'S' && r->at[1] == 't') {
		put(r, "std::", 5);
		r->at += 2;
	}
}

/* The qualified name before the first template or parameter list. */
static void put_name(struct reader *r)
{
	bool first = true;
	/* one identifier without N or Z: what follows are the parameters' types */
	bool nested = r->at < r->end && (*r->at == 'N' || *r->at == 'Z');
	skip_prefix(r);
	while (r->at < r->end && (first || nested)) {
		const char *identifier;
		if (*r->at == 'L' && r->at + 1 < r->end && is_digit(r->at[1]))
			r->at++; /* internal linkage */
		if (!is_digit(*r->at))
			return;
		size_t length = length_at(r, r->at, &identifier);
		if (!first)
			put(r, "::", 2);
		put_identifier(r, identifier, length);
		r->at = identifier + length;
		first = false;
	}
}

/* Li4E, S1_, T0_: digits that are no length. */
static bool is_length(const struct reader *r, const char *start, const char *at)
{
	const char *after = at;
	while (after < r->end && is_digit(*after))
		after++;
	if (after == r->end)
		return false;
	char before = at > start ? at[-1] : 0;
	bool literal = at - start >= 2 && (at[-2] == 'L' || before == 'n') && *after == 'E';
	bool reference = (before == 'S' || before == 'T') && *after == '_';
	return !literal && !reference;
}

static void put_rest(struct reader *r)
{
	const char *start = r->at;
	while (r->at < r->end && r->n + 1 < r->room) {
		const char *identifier;
		if (!is_digit(*r->at)) {
			put(r, r->at++, 1);
		} else if (!is_length(r, start, r->at)) {
			while (r->at < r->end && is_digit(*r->at))
				put(r, r->at++, 1);
		} else {
			size_t length = length_at(r, r->at, &identifier);
			put(r, "::", 2);
			put_identifier(r, identifier, length);
			put(r, " ", 1);
			r->at = identifier + length;
		}
	}
}

size_t mangled_text(const char *name, size_t bytes, char *out, size_t room)
{
	struct reader r = {.at = name, .end = name + bytes, .out = out, .room = room};
	out[0] = 0;
	while (r.at < r.end && *r.at == '_') /* "_Z", and "__Z" of some tools */
		r.at++;
	if (r.at == name || r.at == r.end || *r.at != 'Z')
		return 0;
	r.at++;
	put_name(&r);
	if (r.n == 0)
		return 0;
	put(&r, "<", 1);
	put_rest(&r);
	out[r.n] = 0;
	return r.n;
}

char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

enum {
	MANGLED_MOST_BYTES = 512,
	REFERENCES_MOST = 16 /* each can double what is printed */
};

/* References to an earlier part of the name ("S0_", "T_"): a few nested ones print gigabytes. */
static unsigned references(const char *name)
{
	unsigned n = 0;
	for (; *name; name++)
		n += (*name == 'S' || *name == 'T') &&
			 (name[1] == '_' || (name[1] >= '0' && name[1] <= '9') ||
			  (*name == 'S' && name[1] >= 'A' && name[1] <= 'Z'));
	return n;
}

void demangle(const char *name, char *out, size_t room)
{
	size_t bytes = strlen(name);
	bool mangled = strncmp(name, "_Z", 2) == 0;
	char *text = NULL;
	if (mangled && bytes <= MANGLED_MOST_BYTES && references(name) <= REFERENCES_MOST)
		text = __cxa_demangle(name, NULL, NULL, NULL);
	if (text)
		snprintf(out, room, "%s", text);
	else if (!mangled || !mangled_text(name, bytes, out, room))
		snprintf(out, room, "%s", name);
	free(text);
}
