/* The one subscriber and which of its callbacks are on. */
#ifndef SIMGPU_DOUBLES_CUPTI_CALLBACKS_H
#define SIMGPU_DOUBLES_CUPTI_CALLBACKS_H

#include "doubles/cupti/cupti.h"
#include "doubles/observe.h"
#include <stdbool.h>

/* Numbers below this are calls of the domain in this release; 0: there is no such domain. */
uint32_t callbacks_limit(uint32_t domain);
/* OK, or why not: another one has the place. */
enum result callbacks_subscribe(void **subscriber, callback_fn callback, void *user,
								struct subscriber_params *params);
bool callbacks_has(const void *subscriber);
void callbacks_enable(uint32_t domain, uint32_t cbid, bool on);
bool callbacks_enabled(uint32_t domain, uint32_t cbid);

/* Calls the subscriber when it asked for this call. Site: 0 enter, 1 exit. */
void callbacks_call(struct sim_call *call, int site, uint32_t correlation);
void callbacks_resource(uint32_t cbid, void *context);
void callbacks_forget(void); /* the subscriber, if any */

#endif
