#include "doubles/nvml/identity.h"

#include <stdint.h>
#include <stdio.h>

#include "doubles/doubles.h"

int identity_devices(void)
{
	return simgpu_devices();
}

static struct sim_identity of(int device)
{
	struct sim_identity identity = {.bus = 0};

	simgpu_identity(device, &identity);
	return identity;
}

void identity_uuid(int device, char out[IDENTITY_TEXT])
{
	struct sim_identity identity = of(device);
	size_t at = (size_t)snprintf(out, IDENTITY_TEXT, "GPU-");

	for (int i = 0; i < 16; i++) {
		const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

		at += (size_t)snprintf(out + at, IDENTITY_TEXT - at, "%s%02x", dash, identity.uuid[i]);
	}
}

void identity_name(int device, char out[IDENTITY_TEXT])
{
	snprintf(out, IDENTITY_TEXT, "%s", of(device).name);
}

unsigned identity_bus(int device)
{
	return of(device).bus;
}

unsigned long long identity_memory_bytes(int device)
{
	return of(device).memory_bytes;
}

void identity_capability(int device, int *major, int *minor)
{
	struct sim_identity identity = of(device);

	*major = identity.major;
	*minor = identity.minor;
}
