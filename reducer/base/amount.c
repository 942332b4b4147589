#include "base/amount.h"

#include <inttypes.h>
#include <stdio.h>

const char *amount_grouped(uint64_t n, char text[32])
{
	char digits[24];
	int bytes = snprintf(digits, sizeof(digits), "%" PRIu64, n), out = 0;
	for (int i = 0; i < bytes; i++) {
		if (i > 0 && (bytes - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = 0;
	return text;
}

const char *amount_bytes(uint64_t bytes, char text[32])
{
	if (bytes < 1000000)
		snprintf(text, 32, "%.0f kB", (double)bytes * 1e-3);
	else if (bytes >= 1000000000)
		snprintf(text, 32, "%.2f GB", (double)bytes * 1e-9);
	else
		snprintf(text, 32, "%.1f MB", (double)bytes * 1e-6);
	return text;
}
