#include "base/started.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Field `number` (from 3) of /proc/PID/stat, after the name, which may hold anything. */
static const char *stat_field(const char *text, int number)
{
	const char *at = strrchr(text, ')');
	for (int field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : "";
}

uint64_t started_at(uint64_t pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	char state = *stat_field(text, 3);
	bool over = state == 'X' || (state == 'Z' && strtol(stat_field(text, 20), NULL, 10) <= 1);
	return over ? 0 : strtoull(stat_field(text, 22), NULL, 10);
}
