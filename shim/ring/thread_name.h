/* Names that the program gives its threads (nvtxNameOsThread), kept until they record. */
#ifndef SHIM_THREAD_NAME_H
#define SHIM_THREAD_NAME_H

#include <stdint.h>

/* `name` stays where it is; NULL: none. Any thread; 512 threads, the others keep the kernel's. */
void thread_name_give(uint32_t tid, const char *name);
const char *thread_name_given(uint32_t tid);

#endif
