#include "identity.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../external.h"

int cuInit(unsigned flags);
int cuDeviceGetUuid_v2(unsigned char uuid[16], int device);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);

enum { COMPUTE_MAJOR = 75, COMPUTE_MINOR = 76, PCI_BUS = 33 }; /* CUdevice_attribute */

int identity_devices(void)
{
	return simgpu_devices();
}

void identity_uuid(int device, char out[IDENTITY_TEXT])
{
	unsigned char uuid[16] = {0};
	size_t at = (size_t)snprintf(out, IDENTITY_TEXT, "GPU-");

	cuDeviceGetUuid_v2(uuid, device);
	for (int i = 0; i < 16; i++) {
		const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

		at += (size_t)snprintf(out + at, IDENTITY_TEXT - at, "%s%02x", dash, uuid[i]);
	}
}

void identity_name(int device, char out[IDENTITY_TEXT])
{
	out[0] = 0;
	cuDeviceGetName(out, IDENTITY_TEXT, device);
}

static int attribute(int which, int device)
{
	int value = 0;

	cuDeviceGetAttribute(&value, which, device);
	return value;
}

unsigned identity_bus(int device)
{
	return (unsigned)attribute(PCI_BUS, device);
}

unsigned long long identity_memory_bytes(int device)
{
	size_t bytes = 0;

	cuDeviceTotalMem_v2(&bytes, device);
	return bytes;
}

void identity_capability(int device, int *major, int *minor)
{
	*major = attribute(COMPUTE_MAJOR, device);
	*minor = attribute(COMPUTE_MINOR, device);
}
