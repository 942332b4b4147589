#include "doubles/driver/memory/budget.h"

#include "doubles/driver/core/settings.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t used[MAX_DEVICES];

bool budget_take(int device, size_t bytes)
{
	pthread_mutex_lock(&lock);
	bool enough = settings()->memory_bytes - used[device] >= bytes;
	if (enough)
		used[device] += bytes;
	pthread_mutex_unlock(&lock);
	return enough;
}

void budget_give(int device, size_t bytes)
{
	pthread_mutex_lock(&lock);
	used[device] -= bytes < used[device] ? bytes : used[device];
	pthread_mutex_unlock(&lock);
}

void budget_reset(int device)
{
	pthread_mutex_lock(&lock);
	used[device] = 0;
	pthread_mutex_unlock(&lock);
}

size_t budget_free(int device)
{
	pthread_mutex_lock(&lock);
	size_t left = settings()->memory_bytes - used[device];
	pthread_mutex_unlock(&lock);
	return left;
}
