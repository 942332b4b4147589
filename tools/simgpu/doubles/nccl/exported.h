/* How the double exports a function: pncclX has the body, ncclX is a weak alias of it. */
#ifndef SIMGPU_DOUBLES_NCCL_EXPORTED_H
#define SIMGPU_DOUBLES_NCCL_EXPORTED_H

#define EXPORTED __attribute__((visibility("default")))
/* clang-format off */
#define WEAK_NAME(name) \
	extern __typeof__(p##name) name __attribute__((weak, alias("p" #name), visibility("default")))
/* clang-format on */

#endif
