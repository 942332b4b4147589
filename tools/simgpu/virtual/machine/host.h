/* A host among others: the ops whose end depends on other hosts, and messages that name it. */
#ifndef SIMGPU_VIRTUAL_MACHINE_HOST_H
#define SIMGPU_VIRTUAL_MACHINE_HOST_H

#include "virtual/machine/state.h"

/* The op meets others and may end at at_ns at the earliest: the host must not go further until
 * host_tell() names the end. */
void host_expect(struct host *host, struct gpu_op *op, int64_t at_ns);
/* When the op ends, and who came last. From any thread. */
void host_tell(struct host *host, struct outside message);

/* How far the host may go before it knows more about its ops' ends. */
int64_t host_horizon(const struct host *host);

/* Under the world's lock, and only while nobody runs the host: messages become events. */
void host_read_inbox(struct host *host);
/* Under the world's lock: the host may run again. */
void host_queue(struct host *host);

#endif
