/* Reads CUDA's tables: device work first, because that decides which processes there are; then
 * their calls, synchronisation and overhead. */
#ifndef IMPORT_NSYS_CUDA_H
#define IMPORT_NSYS_CUDA_H

#include "import/nsys/nsys_file.h"

void nsys_read_ops(struct nsys_file *file);
void nsys_read_calls(struct nsys_file *file);
void nsys_read_syncs(struct nsys_file *file);
/* The priorities of streams that rows have named: after those. */
void nsys_read_streams(struct nsys_file *file);
void nsys_read_overhead(struct nsys_file *file);

#endif
