#include "base/rank_list.h"

#include <errno.h>
#include <stdlib.h>

/* One part of a list, "7" or "4-7", at *at, which moves past it. */
static bool take_part(const char **at, long *from, long *to)
{
	char *end;
	errno = 0;
	if (**at < '0' || **at > '9')
		return false;
	*from = *to = strtol(*at, &end, 10);
	if (*end == '-') {
		if (end[1] < '0' || end[1] > '9')
			return false;
		*to = strtol(end + 1, &end, 10);
	}
	*at = end + (*end == ',');
	return errno == 0 && *from <= *to && *to <= INT32_MAX && (*end == 0 || *end == ',') &&
		   (*end == 0 || end[1] != 0);
}

bool rank_list_is(const char *list)
{
	long from, to;
	if (!*list)
		return false;
	while (*list)
		if (!take_part(&list, &from, &to))
			return false;
	return true;
}

bool rank_list_has(const char *list, int32_t rank)
{
	long from, to;
	if (!list)
		return true;
	while (*list && take_part(&list, &from, &to))
		if (rank >= from && rank <= to)
			return true;
	return false;
}
