#include "read/damage.h"

#include "base/room.h"
#include "base/diag.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>

enum {
	MOST_PLACES = 1024
}; /* then only the first place of each other file: more lines help nobody */

struct damage_log {
	pthread_mutex_t lock;
	struct damage_place *places;
	size_t n;
	uint64_t files;
	bool more; /* places that have no line */
};

int damage_log_open(struct damage_log **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	pthread_mutex_init(&(*out)->lock, NULL);
	return 0;
}

void damage_log_close(struct damage_log *log)
{
	if (!log)
		return;
	if (log->more)
		diag("more than %d places are damaged: only the first one of each other file is listed",
			 MOST_PLACES);
	pthread_mutex_destroy(&log->lock);
	free(log->places);
	free(log);
}

/* True when the place is new. Damage is rare: a list will do. */
static bool remember(struct damage_log *log, struct damage_place place)
{
	bool new_file = true;
	for (size_t i = 0; i < log->n; i++) {
		if (log->places[i].path == place.path && log->places[i].offset == place.offset)
			return false;
		new_file = new_file && log->places[i].path != place.path;
	}
	if (log->n >= MOST_PLACES && !new_file) {
		log->more = true;
		return false;
	}
	if (room_next((void **)&log->places, log->n, sizeof(*log->places)) == 0)
		log->places[log->n++] = place;
	log->files += new_file;
	return true;
}

void damage_log_add(struct damage_log *log, const char *path, uint64_t offset, const char *reason)
{
	if (!log)
		return;
	const struct damage_place place = {XXH3_64bits(path, __builtin_strlen(path)), offset};
	pthread_mutex_lock(&log->lock);
	bool is_new = remember(log, place);
	pthread_mutex_unlock(&log->lock);
	if (is_new)
		diag_at(path, offset, "%s", reason);
}

uint64_t damage_log_files(struct damage_log *log)
{
	pthread_mutex_lock(&log->lock);
	uint64_t files = log->files;
	pthread_mutex_unlock(&log->lock);
	return files;
}

size_t damage_log_places(const struct damage_log *log, const struct damage_place **places)
{
	*places = log->places;
	return log->n;
}

void damage_log_join(struct damage_log *log, const struct damage_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		remember(log, places[i]);
}
