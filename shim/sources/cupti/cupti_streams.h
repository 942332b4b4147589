/* The priorities of the streams that the program makes, by CUPTI's numbers of them. */
#ifndef SHIM_CUPTI_STREAMS_H
#define SHIM_CUPTI_STREAMS_H

#include "base/guard.h"

#include <stdbool.h>
#include <stdint.h>

struct cupti_call;

/* At the end of a driver call that makes a stream, with a priority or without one. */
void cupti_streams_made(const struct cupti_call *call, bool prioritised);
/* What is known of a stream; false: nothing. `kind`: enum baton_stream_kind. Any thread. */
bool cupti_streams_priority(uint32_t context, uint32_t number, int32_t *priority, uint32_t *kind);
void cupti_streams_forget(void);

#endif
