/* Damage met in the files of a run: said once however often a place is read, and counted per file.
 * Thread-safe. */
#ifndef READ_DAMAGE_H
#define READ_DAMAGE_H

#include <stdint.h>

struct damage_log;

int damage_log_open(struct damage_log **out); /* 0 or -ENOMEM */
void damage_log_close(struct damage_log *log);

/* Says "PATH: offset 0x..: REASON" unless this place was said before. A NULL log stays silent. */
void damage_log_add(struct damage_log *log, const char *path, uint64_t offset, const char *reason);
uint64_t damage_log_files(struct damage_log *log);

#endif
