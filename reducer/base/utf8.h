/* Decodes UTF-8. Shared by all code that prints text of unknown origin. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the valid sequence at the beginning of `text`, which has `left` > 0 bytes; 0 when
 * there is none. *code: its character. */
static inline size_t utf8_decode(const char *text, size_t left, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)text;
	size_t n = at[0] < 0x80       ? 1
			   : at[0] >> 5 == 6  ? 2
			   : at[0] >> 4 == 14 ? 3
			   : at[0] >> 3 == 30 ? 4
								  : 0;
	if (n == 0 || n > left)
		return 0;
	*code = n == 1 ? at[0] : at[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if (at[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	int surrogate = *code >= 0xd800 && *code < 0xe000;
	return *code < least[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

#endif
