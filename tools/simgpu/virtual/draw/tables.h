/* Draws from the measured distributions of durations and gaps. No floating point at run time. */
#ifndef SIMGPU_VIRTUAL_DRAW_TABLES_H
#define SIMGPU_VIRTUAL_DRAW_TABLES_H

#include "virtual/draw/measured.h"

/* The quantile u / 2^64, interpolated between the table's 257. */
int64_t table_draw(enum sim_table table, uint64_t u);
int64_t table_median(enum sim_table table);
/* A kernel name of the class, as traces show it; u picks. Only for kernels other than NCCL's. */
const char *table_kernel_name(enum sim_table table, uint64_t u);

#endif
