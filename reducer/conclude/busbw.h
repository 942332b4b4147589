/* Bus bandwidth as nccl-tests define it (doc/PERFORMANCE.md there): size / time x factor(ranks). */
#ifndef CONCLUDE_BUSBW_H
#define CONCLUDE_BUSBW_H

#include "summary/summary.h"

/* GB/s (10^9 bytes) over the transfer time of a row; NaN where the size, the ranks or the split is
 * not known. */
double busbw_gbps(const char *op, const struct nccl_summary *row);

#endif
