/* The NVTX border: the injection that NVTX's loader in each module calls (NVTX_INJECTION64_PATH).
 * Ranges become range slots of the thread that ends them. Nothing here starts a recording; what is
 * open when one starts is recorded once it ends. */
#ifndef SHIM_NVTX_H
#define SHIM_NVTX_H

#include <baton/live.h>
#include <stdint.h>

typedef const void *(*nvtx_get)(uint32_t table);

/* The doors, one per version of NVTX: attach to the module whose tables `get` gives. Once per
 * module, any thread. 1, or 0 when this is no NVTX that we know. */
int InitializeInjectionNvtx(nvtx_get get);
int InitializeInjectionNvtx2(nvtx_get get);

/* For the writer thread as the recording ends: every range that is still open, as a slot that ends
 * at `ticks` with `stack` 1, of thread `thread` (id; 0 when it has recorded nothing). */
typedef void (*nvtx_unclosed)(void *who, uint32_t thread, const struct baton_slot *slot);
void nvtx_close(uint64_t ticks, nvtx_unclosed unclosed, void *who);

/* The name that the program gave a thread (nvtxNameOsThread), NULL when none. */
const char *nvtx_thread_name(uint32_t tid);

#endif
