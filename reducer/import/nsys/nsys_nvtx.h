/* Reads the NVTX ranges of the processes that have device work. */
#ifndef IMPORT_NSYS_NVTX_H
#define IMPORT_NSYS_NVTX_H

#include "import/nsys/nsys_file.h"

void nsys_read_ranges(struct nsys_file *file);

#endif
