/* NVML's device handles. */
#ifndef SIMGPU_DOUBLES_NVML_HANDLE_H
#define SIMGPU_DOUBLES_NVML_HANDLE_H

#include "doubles/nvml/nvml.h"

/* The device's index; *result says whether it is one and NVML is initialised. */
int handle_index(nvmlDevice_t device, nvmlReturn_t *result);
/* The same, and is there somewhere to put the answer? */
nvmlReturn_t handle_check(nvmlDevice_t device, const void *out);

#endif
