#include "base/shell.h"

#include <string.h>

struct shell_word shell_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"_-./%+=:,@";
	struct shell_word out;
	size_t n = 0;
	const char *at = word;
	while (*at && ((*at & 0x80) || strchr(plain, *at)))
		at++;
	const char *quote = *at || at == word ? "'" : "";
	out.at[0] = *quote;
	n += *quote != 0;
	for (at = word; *at && n < sizeof(out.at) - 6; at++) {
		const char *piece = *at == '\'' ? "'\\''" : "";
		size_t bytes = *piece ? strlen(piece) : 1;
		memcpy(out.at + n, *piece ? piece : at, bytes);
		n += bytes;
	}
	memcpy(out.at + n, quote, strlen(quote) + 1);
	return out;
}
