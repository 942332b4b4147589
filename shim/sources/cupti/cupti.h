/* The border to CUPTI: finds the copy that is loaded, subscribes, times the calls of interest by
 * callbacks, asks for activity records. Above it only our own records. No symbol of CUPTI is
 * touched before the driver is initialised. */
#ifndef SHIM_CUPTI_H
#define SHIM_CUPTI_H

#include <stdbool.h>
#include <stdint.h>

/* Called in the first cuInit (InitializeInjection); a second call only returns what the first did.
 * False: CUPTI cannot be used (told on stderr); launches are then recorded by the wrappers. */
bool cupti_attach(void);
/* Has it been tried in this process (and said why not)? */
bool cupti_tried(void);
/* For a recording with a window (window.h), which cupti_attach() leaves off: begins to send records
 * and calls (false: CUPTI cannot be used), or stops, if the process goes on. */
bool cupti_start(void);
void cupti_stop(bool goes_on);
/* The recording could not begin: nothing is sent any more, but what torch.profiler wants, and the
 * memory of the buffers goes back. */
void cupti_give_up(void);
/* A forked child: ids of its parent's dictionary are not its own. */
void cupti_forget(void);
/* Asks for the records that are complete, or (`all`) for every one. From the writer thread only. */
void cupti_flush(bool all);
/* Records that CUPTI dropped in a buffer's context and stream since it was asked last. */
uint64_t cupti_dropped(void *context, uint32_t stream);

#endif
