/* The NVTX border: the injection that NVTX's loader in each module calls (NVTX_INJECTION64_PATH).
 * Ranges become range slots of the thread that ends them. Nothing here starts a recording; what is
 * open when one starts is recorded once it ends. */
#ifndef SHIM_NVTX_H
#define SHIM_NVTX_H

#include <stdint.h>

typedef const void *(*nvtx_get)(uint32_t table);

/* The doors, one per version of NVTX: attach to the module whose tables `get` gives. Once per
 * module, any thread. 1, or 0 when this is no NVTX that we know. */
int InitializeInjectionNvtx(nvtx_get get);
int InitializeInjectionNvtx2(nvtx_get get);

#endif
