/* Damage found in the files of a run: reported once however often a place is read, and counted by
 * file. Thread-safe. */
#ifndef READ_DAMAGE_H
#define READ_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

struct damage_log;

struct damage_place {
	uint64_t path; /* hash of it */
	uint64_t offset;
};

int damage_log_open(struct damage_log **out); /* 0 or -ENOMEM */
void damage_log_close(struct damage_log *log);

/* Prints "PATH: offset 0x..: REASON" unless this place was reported before. With a NULL log it
 * prints nothing. */
void damage_log_add(struct damage_log *log, const char *path, uint64_t offset, const char *reason);
uint64_t damage_log_files(struct damage_log *log);
/* What another process found in the same files, and reported. *places is not copied; no other thread
 * may add meanwhile. */
size_t damage_log_places(const struct damage_log *log, const struct damage_place **places);
void damage_log_join(struct damage_log *log, const struct damage_place *places, size_t n);

#endif
