/* Which kinds of records are on. */
#ifndef SIMGPU_DOUBLES_CUPTI_ACTIVITY_H
#define SIMGPU_DOUBLES_CUPTI_ACTIVITY_H

#include "doubles/cupti/cupti.h"
#include <stdbool.h>

/* Everywhere, whatever the context. */
bool activity_is_set(uint32_t kind);
/* In this context; 0: in any. */
bool activity_wants(uint32_t kind, uint32_t context);
bool activity_wants_call(uint32_t domain, uint32_t cbid);
/* Kernels are recorded as one of two kinds. */
enum kind activity_kernel_kind(uint32_t context);
void activity_set(uint32_t kind, bool on);
void activity_set_context(uint32_t context, uint32_t kind, bool on);
void activity_set_call(uint32_t domain, uint32_t cbid, bool on);
/* None is on any more. */
void activity_forget(void);

/* The driver's correlation id as records and callbacks carry it; 0 stays 0. */
uint32_t activity_correlation(uint32_t correlation);

#endif
