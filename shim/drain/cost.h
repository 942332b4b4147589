/* What the recording itself takes. By the writer thread, at its end. */
#ifndef SHIM_COST_H
#define SHIM_COST_H

#include <stdint.h>

/* Records of it: the share of `calls` recorded calls, and of the recorder's threads. */
void cost_tell(uint64_t calls);

#endif
