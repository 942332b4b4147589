/* Keys from the bytes that a terminal sends. */
#ifndef TOP_KEYS_H
#define TOP_KEYS_H

#include <stddef.h>

enum key {
	KEY_NONE, /* nothing that means something here */
	KEY_QUIT,
	KEY_SORT,
	KEY_PAUSE,
	KEY_HELP,
	KEY_TOPOLOGY,
	KEY_ESCAPE,
	KEY_UP,
	KEY_DOWN,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_FIRST,
	KEY_LAST
};

/* The key that the first bytes of bytes[0..n) are, n > 0; *used: how many. A sequence that is cut at
 * the end of what was read counts as KEY_ESCAPE if it is ESC alone, else as KEY_NONE. */
enum key key_of(const char *bytes, size_t n, size_t *used);

#endif
