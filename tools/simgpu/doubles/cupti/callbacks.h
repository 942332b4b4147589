/* The one subscriber and which of its callbacks are on. */
#ifndef SIMGPU_DOUBLES_CUPTI_CALLBACKS_H
#define SIMGPU_DOUBLES_CUPTI_CALLBACKS_H

#include "doubles/cupti/cupti.h"
#include "doubles/observe.h"

enum { CALLBACKS_CBIDS = 1024 };

/* Calls the subscriber when it asked for this call. Site: 0 enter, 1 exit. */
void callbacks_call(struct sim_call *call, int site, uint32_t correlation);
void callbacks_resource(uint32_t cbid, void *context);
void callbacks_forget(void); /* the subscriber, if any */

#endif
