#include "read/damage.h"

#include "base/diag.h"
#include "base/table.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>

enum {
	MOST_PLACES = 1024
}; /* then only the first place of each other file: more lines help nobody */

struct damaged_file {
	uint64_t path; /* hash of it */
};

struct damage_log {
	pthread_mutex_t lock;
	struct damage_place *places;
	struct damaged_file *files;
	size_t n, n_files;
	struct table of_places, of_files;
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
	table_free(&log->of_places);
	table_free(&log->of_files);
	free(log->places);
	free(log->files);
	free(log);
}

/* True when the place is new. A directory may hold very many damaged files. */
static bool remember(struct damage_log *log, struct damage_place place)
{
	const struct damaged_file file = {place.path};
	if (table_find(&log->of_places, log->places, TABLE_SHAPE(struct damage_place, offset), &place))
		return false;
	if (log->n >= MOST_PLACES &&
		table_find(&log->of_files, log->files, TABLE_SHAPE(struct damaged_file, path), &file)) {
		log->more = true;
		return false;
	}
	table_add(&log->of_places, TABLE_ROWS(log->places, log->n, offset), &place);
	table_add(&log->of_files, TABLE_ROWS(log->files, log->n_files, path), &file);
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
	uint64_t files = log->n_files;
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
