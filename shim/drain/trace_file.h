/* The trace file on disk: whole writes of complete blocks at its end. Before each one it makes sure
 * that the descriptor is still its own: a job that closes all descriptors never finds our bytes in
 * its files. One thread. */
#ifndef SHIM_TRACE_FILE_H
#define SHIM_TRACE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* 0 or -errno; -EEXIST when the name is taken. */
int trace_file_create(const char *path);
/* All or nothing: after an error the file is as long as before. */
int trace_file_append(const void *bytes, size_t n);
int trace_file_close(void);
/* How much is in it, and a part of that: 0 or -errno. */
off_t trace_file_bytes(void);
int trace_file_read(off_t at, void *bytes, size_t n);
void trace_file_remove(void);
void trace_file_forget(void);

/* The next file: what is to take the trace's place and name, made beside it (NAME.keep). It begins
 * with the header of the trace. It is open between _create() or _open() and _close(): a job that
 * closes all descriptors may do so in between. When the trace finds no room, the next file goes, and
 * _open() says why. 0 or -errno. */
int trace_file_next_create(void);
int trace_file_next_open(void);
void trace_file_next_close(void);
int trace_file_next_append(const void *bytes, size_t n);
off_t trace_file_next_bytes(void);
/* It is the trace from now on, all of it. */
int trace_file_next_becomes(void);
void trace_file_next_remove(void);

#endif
