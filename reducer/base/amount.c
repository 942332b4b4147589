#include "base/amount.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const char *amount_duration(int64_t ns, char text[32])
{
	const int64_t s = ns / 1000000000, minutes = s / 60, hours = minutes / 60;
	if (s < 10)
		snprintf(text, 32, "%.1f s", (double)ns * 1e-9);
	else if (s < 120)
		snprintf(text, 32, "%" PRId64 " s", s);
	else if (minutes < 60)
		snprintf(text, 32, "%" PRId64 " min", minutes);
	else if (hours < 48)
		snprintf(text, 32, "%" PRId64 " h %" PRId64 " min", hours, minutes % 60);
	else
		snprintf(text, 32, "%" PRId64 " d %" PRId64 " h", hours / 24, hours % 24);
	return text;
}

long amount_seconds(const char *text)
{
	static const struct {
		const char *unit;
		long seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
	const long year = 366 * 86400;
	char *end;
	const long n = strtol(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && strcmp(end, units[i].unit) == 0 && n > 0 && n <= year / units[i].seconds)
			return n * units[i].seconds;
	return 0;
}
