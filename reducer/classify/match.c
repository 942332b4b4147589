#include "classify/match.h"

#include <pthread.h>

bool match(const regex_t *pattern, const char *text, regmatch_t *groups, size_t n)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	int none = regexec(pattern, text, n, groups, 0);
	pthread_mutex_unlock(&lock);
	return none == 0;
}
