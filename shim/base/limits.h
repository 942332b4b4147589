/* What the limits of a process leave: counted whole before the recorder takes anything, so that the
 * job never meets a limit because of it. */
#ifndef SHIM_LIMITS_H
#define SHIM_LIMITS_H

#include <stdint.h>

/* The limit under which a recording with `shared` bytes of live file would take more than its part
 * (docs/RECORD.md): in words for a message, or NULL: none. */
const char *limits_too_low(uint64_t shared);

#endif
