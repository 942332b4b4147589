/* How long a transfer takes: bytes over the bus bandwidth as nccl-tests define it, after a
 * latency. SIMGPU_NCCL_GBPS (20), SIMGPU_NCCL_LATENCY_US (10), SIMGPU_NCCL_SLOW (1): a factor. */
#ifndef SIMGPU_DOUBLES_NCCL_LINK_H
#define SIMGPU_DOUBLES_NCCL_LINK_H

#include "doubles/nccl/task.h"

int64_t link_transfer_ns(const struct task *task, int ranks);
int64_t link_latency_ns(void);
/* When this rank's kernel ends: up to 1.5 us after the others'. */
int64_t link_skew_ns(uint64_t plan, int rank);
/* How long a rank waits for others before it gives up: SIMGPU_NCCL_TIMEOUT_MS (300,000). */
int64_t link_timeout_ns(void);

#endif
