#include "classify/class_cache.h"

#include "base/room.h"
#include "base/strings.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct cached_class {
	struct kernel_class class;
	bool known;
};

struct class_cache {
	const struct classifier *classifier;
	pthread_mutex_t lock;
	struct strings names;
	struct cached_class *classes; /* by id of the name */
	size_t room;
};

int class_cache_open(const struct classifier *classifier, struct class_cache **out)
{
	struct class_cache *cache = calloc(1, sizeof(*cache));
	if (!cache || strings_init(&cache->names) != 0) {
		free(cache);
		return -ENOMEM;
	}
	cache->classifier = classifier;
	pthread_mutex_init(&cache->lock, NULL);
	*out = cache;
	return 0;
}

void class_cache_close(struct class_cache *cache)
{
	if (!cache)
		return;
	pthread_mutex_destroy(&cache->lock);
	strings_free(&cache->names);
	free(cache->classes);
	free(cache);
}

/* The place of a name, made when it is new. NULL without memory: then it is not cached. */
static struct cached_class *place(struct class_cache *cache, const char *name, size_t name_bytes)
{
	uint32_t id;
	if (strings_add(&cache->names, name, name_bytes, &id, NULL) != 0)
		return NULL;
	if (room_reach((void **)&cache->classes, &cache->room, id, sizeof(*cache->classes)) != 0)
		return NULL;
	return &cache->classes[id];
}

void class_cache_name(struct class_cache *cache, const char *name, size_t name_bytes,
					  struct kernel_class *out)
{
	pthread_mutex_lock(&cache->lock);
	const struct cached_class *found = place(cache, name, name_bytes);
	bool known = found && found->known;
	if (known)
		*out = found->class;
	pthread_mutex_unlock(&cache->lock);
	if (known)
		return;
	classifier_name(cache->classifier, name, name_bytes, out); /* without the lock: it is slow */
	pthread_mutex_lock(&cache->lock);
	struct cached_class *new = place(cache, name, name_bytes);
	if (new)
		*new = (struct cached_class){.class = *out, .known = true};
	pthread_mutex_unlock(&cache->lock);
}
