/* What the double reads of a source: the names of its kernels. */
#ifndef SIMGPU_DOUBLES_NVRTC_SOURCE_H
#define SIMGPU_DOUBLES_NVRTC_SOURCE_H

#include <stddef.h>

/* `each` for every function that the source declares __global__. */
void source_kernels(const char *source, void (*each)(void *who, const char *name, size_t length),
					void *who);
/* What an expression (`ns::kernel<float, 4>`) is called after compilation: the mangled name of
 * ns::kernel_float_4(). NULL without memory. The caller frees it. */
char *source_lowered(const char *expression);

#endif
