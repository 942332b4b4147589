#include "doubles/driver/memory/pool.h"

#include "doubles/driver/core/core.h"
#include "doubles/driver/core/settings.h"

enum { REUSE_FIRST = 1, REUSE_LAST = 3, THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH };

struct pool {
	int reuse[REUSE_LAST + 1];
	uint64_t threshold, used, high;
};

static struct pool pools[MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct pool *pool_of(int device)
{
	return device >= 0 && device < settings()->devices ? &pools[device] : NULL;
}

bool pool_valid(const struct pool *pool)
{
	return pool >= pools && pool < pools + MAX_DEVICES;
}

static int get(const struct pool *pool, int attribute, void *value)
{
	switch (attribute) {
	case THRESHOLD:
		*(uint64_t *)value = pool->threshold;
		return CUDA_OK;
	case RESERVED:
	case USED:
		*(uint64_t *)value = pool->used;
		return CUDA_OK;
	case RESERVED_HIGH:
	case USED_HIGH:
		*(uint64_t *)value = pool->high;
		return CUDA_OK;
	}
	if (attribute < REUSE_FIRST || attribute > REUSE_LAST)
		return CUDA_INVALID_VALUE;
	*(int *)value = pool->reuse[attribute];
	return CUDA_OK;
}

static int set(struct pool *pool, int attribute, const void *value)
{
	if (attribute == THRESHOLD)
		pool->threshold = *(const uint64_t *)value;
	else if (attribute == RESERVED_HIGH || attribute == USED_HIGH)
		pool->high = pool->used;
	else if (attribute >= REUSE_FIRST && attribute <= REUSE_LAST)
		pool->reuse[attribute] = *(const int *)value;
	else
		return CUDA_INVALID_VALUE;
	return CUDA_OK;
}

int pool_get(struct pool *pool, int attribute, void *value)
{
	if (!pool_valid(pool) || !value)
		return CUDA_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	int result = get(pool, attribute, value);
	pthread_mutex_unlock(&lock);
	return result;
}

int pool_set(struct pool *pool, int attribute, const void *value)
{
	if (!pool_valid(pool) || !value)
		return CUDA_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	int result = set(pool, attribute, value);
	pthread_mutex_unlock(&lock);
	return result;
}

void pool_took(int device, size_t bytes)
{
	struct pool *pool = &pools[device];
	pthread_mutex_lock(&lock);
	pool->used += bytes;
	if (pool->used > pool->high)
		pool->high = pool->used;
	pthread_mutex_unlock(&lock);
}

void pool_gave(int device, size_t bytes)
{
	pthread_mutex_lock(&lock);
	pools[device].used -= bytes < pools[device].used ? bytes : pools[device].used;
	pthread_mutex_unlock(&lock);
}
