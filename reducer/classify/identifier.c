#include "classify/identifier.h"

#include "classify/demangle.h"

#include <string.h>

static const char ANONYMOUS[] = "(anonymous namespace)";
static const char UNNAMED[] = "<unnamed>";

static bool starts_with(const char *at, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);
	return (size_t)(end - at) >= n && memcmp(at, prefix, n) == 0;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Bracket depth without a stack: inside round, square or curly brackets '<' and '>' may be
 * operators and are not counted, and such brackets balance by themselves. Behind ')' a '<' is an
 * operator too: "(4)<(8)". */
struct depth {
	size_t round, angle;
};

static void depth_step(struct depth *depth, const char *start, const char *at)
{
	switch (*at) {
	case '(':
	case '[':
	case '{':
		depth->round++;
		break;
	case ')':
	case ']':
	case '}':
		depth->round -= depth->round > 0;
		break;
	case '<':
		depth->angle += depth->round == 0 && (at == start || !strchr(")<", at[-1]));
		break;
	case '>':
		depth->angle -= depth->round == 0 && depth->angle > 0 && at[-1] != '-';
		break;
	default:
		break;
	}
}

/* "(anonymous namespace)" and "<unnamed>" in full, or the first when the name was cut inside it. */
static size_t anonymous_at(const char *at, const char *end)
{
	if (starts_with(at, end, ANONYMOUS))
		return sizeof(ANONYMOUS) - 1;
	if (starts_with(at, end, UNNAMED))
		return sizeof(UNNAMED) - 1;
	size_t left = (size_t)(end - at);
	if (left >= 3 && left < sizeof(ANONYMOUS) && memcmp(at, ANONYMOUS, left) == 0)
		return left;
	return 0;
}

/* The qualified name with its template arguments: what stands before the parameter list, after the
 * return type. */
static void find_qualified(const char *text, const char *end, const char **from, const char **to)
{
	struct depth depth = {0};
	bool blank = false;
	*from = text;
	*to = end;
	for (const char *at = text; at < end; at++) {
		bool outside = depth.round == 0 && depth.angle == 0;
		size_t skip = outside ? anonymous_at(at, end) : 0;
		bool type = at - text >= 8 && memcmp(at - 8, "decltype", 8) == 0;
		if (outside && *at == '(' && !skip && !type) {
			*to = at;
			return;
		}
		if (outside && *at == ' ') {
			blank = true;
			continue;
		}
		if (blank && outside && (is_word(*at) || skip))
			*from = at;
		blank = false;
		if (skip)
			at += skip - 1;
		else
			depth_step(&depth, text, at);
	}
}

/* Splits "a::b<c>::d" at depth 0; the last component is the base. */
static void split_qualified(struct identifier *out, const char *from, const char *to)
{
	struct depth depth = {0};
	const char *base = from, *base_end = from, *scope_last = NULL;
	size_t scope_last_bytes = 0;
	for (const char *at = from; at < to; at++) {
		bool outside = depth.round == 0 && depth.angle == 0;
		size_t skip = outside ? anonymous_at(at, to) : 0;
		if (skip) {
			at += skip - 1;
			continue;
		}
		if (outside && *at == ':' && at + 1 < to && at[1] == ':') {
			if (base_end > base) {
				folded_append(&out->scope, base, (size_t)(base_end - base));
				folded_append(&out->scope, "::", 2);
				scope_last = base;
				scope_last_bytes = (size_t)(base_end - base);
			}
			base = base_end = ++at + 1;
			continue;
		}
		depth_step(&depth, from, at);
		if (depth.round == 0 && depth.angle == 0 && is_word(*at))
			base_end = at + 1;
	}
	size_t bytes = (size_t)(base_end - base);
	out->base_at = (size_t)(base - out->text);
	out->base_bytes = bytes;
	if (scope_last && bytes >= 6 && bytes <= 7 &&
		(memcmp(base, "kernel", 6) == 0 || memcmp(base, "Kernel", 6) == 0)) {
		folded_append(&out->base, scope_last, scope_last_bytes);
		folded_append(&out->base, "::", 2);
	}
	folded_append(&out->base, base, bytes);
	folded_append(&out->args, base_end, (size_t)(out->text + out->n - base_end));
}

/* " [clone .kd]", ".kd", nvprof's " [4158]". */
static size_t without_suffix(const char *name, size_t bytes)
{
	for (;;) {
		size_t before = bytes;
		while (bytes && strchr(" \t\r\n", name[bytes - 1]) && name[bytes - 1])
			bytes--;
		if (bytes > 3 && memcmp(name + bytes - 3, ".kd", 3) == 0)
			bytes -= 3;
		const char *open = bytes > 2 && name[bytes - 1] == ']' ? memrchr(name, '[', bytes) : NULL;
		if (open && open > name && open[-1] == ' ' &&
			(starts_with(open, name + bytes, "[clone") || (open[1] >= '0' && open[1] <= '9')))
			bytes = (size_t)(open - name);
		if (bytes == before)
			return bytes;
	}
}

void identifier_parse(struct identifier *out, const char *name, size_t bytes)
{
	while (bytes && (*name == ' ' || *name == '\t')) {
		name++;
		bytes--;
	}
	if (bytes > 4 * IDENTIFIER_TEXT)
		bytes = 4 * IDENTIFIER_TEXT;
	bytes = without_suffix(name, bytes);
	out->n = mangled_text(name, bytes, out->text, IDENTIFIER_TEXT);
	if (out->n == 0) {
		out->n = bytes < IDENTIFIER_TEXT ? bytes : IDENTIFIER_TEXT - 1;
		memcpy(out->text, name, out->n);
		out->text[out->n] = 0;
	}
	folded_clear(&out->whole);
	folded_clear(&out->scope);
	folded_clear(&out->base);
	folded_clear(&out->args);
	folded_append(&out->whole, out->text, out->n);
	const char *from, *to;
	find_qualified(out->text, out->text + out->n, &from, &to);
	split_qualified(out, from, to);
	if (out->base.n == 0)
		out->base = out->whole;
}
