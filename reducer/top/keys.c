#include "top/keys.h"

#include <string.h>

static enum key letter(char c)
{
	switch (c) {
	case 'q':
	case 'Q':
		return KEY_QUIT;
	case 's':
		return KEY_SORT;
	case 'p':
	case ' ':
		return KEY_PAUSE;
	case '?':
	case 'h':
		return KEY_HELP;
	case 't':
		return KEY_TOPOLOGY;
	case 'k':
		return KEY_UP;
	case 'j':
		return KEY_DOWN;
	case 'g':
		return KEY_FIRST;
	case 'G':
		return KEY_LAST;
	default:
		return KEY_NONE;
	}
}

/* ESC [ or ESC O, parameters, and a byte that ends it. */
static enum key sequence(const char *body, size_t n)
{
	static const struct {
		const char *text;
		enum key key;
	} known[] = {{"A", KEY_UP},       {"B", KEY_DOWN},       {"H", KEY_FIRST},  {"F", KEY_LAST},
				 {"5~", KEY_PAGE_UP}, {"6~", KEY_PAGE_DOWN}, {"1~", KEY_FIRST}, {"4~", KEY_LAST}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].text) == n && memcmp(known[i].text, body, n) == 0)
			return known[i].key;
	return KEY_NONE;
}

enum key key_of(const char *bytes, size_t n, size_t *used)
{
	size_t end = 2;
	*used = 1;
	if (bytes[0] != '\033')
		return letter(bytes[0]);
	if (n == 1)
		return KEY_ESCAPE;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return KEY_ESCAPE;
	while (end < n && (bytes[end] < '@' || bytes[end] > '~'))
		end++;
	*used = end < n ? end + 1 : n;
	return end < n ? sequence(bytes + 2, *used - 2) : KEY_NONE;
}
