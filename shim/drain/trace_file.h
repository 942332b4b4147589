/* The trace file on disk: whole writes of complete blocks at its end. Before each one it makes sure
 * that the descriptor is still its own: a job that closes all descriptors never finds our bytes in
 * its files. One thread. */
#ifndef SHIM_TRACE_FILE_H
#define SHIM_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

/* 0 or -errno; -EEXIST when the name is taken. */
int trace_file_create(const char *path);
/* All or nothing: after an error the file is as long as before. */
int trace_file_append(const void *bytes, size_t n);
int trace_file_close(void);
void trace_file_remove(void);
void trace_file_forget(void);

#endif
