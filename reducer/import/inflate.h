/* A file as a stream of plain bytes: gz (several members too) or not, told apart by content. What
 * stands before damage is always delivered first. One thread per stream. */
#ifndef IMPORT_INFLATE_H
#define IMPORT_INFLATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inflate;

int inflate_open(const char *path, struct inflate **stream); /* 0 or -errno */
void inflate_close(struct inflate *stream);

/* Up to `room` bytes, fewer only before the end or an error; 0 at the end. Negative, and again at
 * every later call: -ENODATA (gz cut short), -EBADMSG (gz corrupt), else -errno of reading. */
ssize_t inflate_read(struct inflate *stream, void *buffer, size_t room);

/* Where decoding stands, in the file as stored. */
uint64_t inflate_offset(const struct inflate *stream);

#endif
