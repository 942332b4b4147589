/* The names of the calls by number, as cuptiGetCallbackName says them (with the version of the
 * call, in the runtime domain), and of results. Calls of graphics and texture interfaces are left
 * out. */
#ifndef SIMGPU_DOUBLES_CUPTI_NAMES_H
#define SIMGPU_DOUBLES_CUPTI_NAMES_H

#include <stdint.h>

/* NULL: not known. */
const char *names_find(uint32_t domain, uint32_t cbid);
const char *names_result(int result);

#endif
