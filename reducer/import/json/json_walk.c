#include "import/json/json_walk.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool is_structure(char c)
{
	return c == '"' || c == '{' || c == '}' || c == '[' || c == ']';
}

static bool is_string_end(char c)
{
	return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

const char *json_find_structure(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
				  fold = _mm_set1_epi8(0x20); /* [ and ] become { and } */
	for (; end - at >= 16; at += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i folded = _mm_or_si128(v, fold);
		__m128i hit =
			_mm_or_si128(_mm_cmpeq_epi8(v, quote),
						 _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);
		if (mask)
			return at + __builtin_ctz(mask);
	}
#endif
	while (at < end && !is_structure(*at))
		at++;
	return at;
}

/* The first quote, backslash or control character. */
static const char *find_string_end(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'),
				  control = _mm_set1_epi8(0x1f);
	for (; end - at >= 16; at += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i hit =
			_mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(v, control), v),
						 _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);
		if (mask)
			return at + __builtin_ctz(mask);
	}
#endif
	while (at < end && !is_string_end(*at))
		at++;
	return at;
}

static bool may_follow_string(char c)
{
	return c == ',' || c == ':' || c == '}' || c == ']' || json_is_space(c);
}

static enum json_walk_result broken(struct json_walk *walk, const char *what)
{
	walk->what = what;
	return JSON_WALK_BROKEN;
}

/* From inside a string to after its closing quote. */
static enum json_walk_result walk_string(struct json_walk *walk, const char **at, const char *end)
{
	for (;;) {
		*at = find_string_end(*at, end);
		if (*at == end || end - *at < 2) /* the byte after a quote or backslash counts too */
			return JSON_WALK_MORE;
		if (**at == '\\') {
			*at += 2;
			continue;
		}
		if (**at == '\n')
			return broken(walk, "a string without end (a line ends inside)");
		if (**at != '"') { /* profilers print names as they are: others are mended later */
			++*at;
			continue;
		}
		if (!may_follow_string((*at)[1]))
			return broken(walk, "a string without end (or a quote too many)");
		walk->in_string = false;
		++*at;
		return JSON_WALK_DONE;
	}
}

/* In an object a bracket comes after a colon; after a comma it is the next event after a lost
 * bracket. */
static bool open_is_legal(const struct json_walk *walk, const char *begin, const char *at)
{
	if (walk->depth == 0 || walk->arrays & 1)
		return true;
	while (at > begin && json_is_space(at[-1]))
		at--;
	return at == begin || at[-1] == ':';
}

static enum json_walk_result walk_open(struct json_walk *walk, const char *begin, const char *at)
{
	if (walk->depth == JSON_WALK_DEPTH)
		return broken(walk, "nested too deeply");
	if (!open_is_legal(walk, begin, at))
		return broken(walk, "an object without end");
	walk->arrays = walk->arrays << 1 | (*at == '[');
	walk->depth++;
	return JSON_WALK_MORE;
}

static enum json_walk_result walk_close(struct json_walk *walk, char c)
{
	if (walk->depth == 0 || (walk->arrays & 1) != (c == ']'))
		return broken(walk, "brackets that do not match");
	walk->arrays >>= 1;
	walk->depth--;
	return walk->depth == 0 ? JSON_WALK_DONE : JSON_WALK_MORE;
}

enum json_walk_result json_walk_value(struct json_walk *walk, const char *begin, const char **at,
									  const char *end)
{
	for (;;) {
		enum json_walk_result result;
		if (walk->in_string) {
			result = walk_string(walk, at, end);
			if (result != JSON_WALK_DONE || walk->depth == 0)
				return result;
		}
		*at = json_find_structure(*at, end);
		if (*at == end)
			return JSON_WALK_MORE;
		char c = **at;
		if (c == '"') {
			walk->in_string = true;
			++*at;
			continue;
		}
		result = c == '{' || c == '[' ? walk_open(walk, begin, *at) : walk_close(walk, c);
		if (result == JSON_WALK_BROKEN)
			return result;
		++*at;
		if (result == JSON_WALK_DONE)
			return result;
	}
}
