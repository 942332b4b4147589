/* Who a simulated device is: the same answers as the libcuda double gives. */
#ifndef SIMGPU_DOUBLES_NVML_IDENTITY_H
#define SIMGPU_DOUBLES_NVML_IDENTITY_H

#include <stddef.h>

enum { IDENTITY_TEXT = 80 };

int identity_devices(void);
void identity_uuid(int device, char out[IDENTITY_TEXT]); /* "GPU-..." */
void identity_name(int device, char out[IDENTITY_TEXT]); /* "NVIDIA ..." */
unsigned identity_bus(int device);                       /* PCI bus number; domain, slot are 0 */
unsigned long long identity_memory_bytes(int device);
void identity_capability(int device, int *major, int *minor);

#endif
