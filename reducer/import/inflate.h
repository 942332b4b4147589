/* Reads a file as a stream of plain bytes. The content decides whether it is gz (one member or
 * several). All bytes before damage are always delivered first. One thread per stream. */
#ifndef IMPORT_INFLATE_H
#define IMPORT_INFLATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inflate;

int inflate_open(const char *path, struct inflate **stream); /* 0 or -errno */
void inflate_close(struct inflate *stream);

/* Reads up to `room` bytes, fewer only before the end or an error. Returns their number, 0 at the
 * end. An error is returned again by every later call: -ENODATA: the gz is cut short; -EBADMSG: the
 * gz is corrupt; -EFBIG: it holds more than 64 MiB + 256 times the file's size, as no profile does;
 * else -errno of reading. */
ssize_t inflate_read(struct inflate *stream, void *buffer, size_t room);

/* The position of decoding in the stored file, in bytes. */
uint64_t inflate_offset(const struct inflate *stream);

#endif
