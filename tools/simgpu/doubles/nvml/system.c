/* The libnvidia-ml double: life cycle, handles, who is who. A handle is index + 1. */
#include "doubles/nvml/nvml.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "doubles/nvml/handle.h"
#include "doubles/nvml/identity.h"
#include "doubles/observe.h"

static _Atomic int initialised;

int handle_index(nvmlDevice_t device, nvmlReturn_t *result)
{
	intptr_t index = (intptr_t)device - 1;

	*result = NVML_SUCCESS;
	if (atomic_load(&initialised) <= 0)
		*result = NVML_ERROR_UNINITIALIZED;
	else if (index < 0 || index >= identity_devices())
		*result = NVML_ERROR_INVALID_ARGUMENT;
	return (int)index;
}

nvmlReturn_t handle_check(nvmlDevice_t device, const void *out)
{
	nvmlReturn_t result;

	handle_index(device, &result);
	return result || out ? result : NVML_ERROR_INVALID_ARGUMENT;
}

static nvmlReturn_t tell(const char *text, char *out, unsigned length)
{
	if (!out)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	memcpy(out, text, strlen(text) + 1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
	(void)flags;
	atomic_fetch_add(&initialised, 1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlInit(void)
{
	return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
	if (atomic_load(&initialised) <= 0)
		return NVML_ERROR_UNINITIALIZED;
	atomic_fetch_sub(&initialised, 1);
	return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
	switch (result) {
	case NVML_SUCCESS:
		return "Success";
	case NVML_ERROR_UNINITIALIZED:
		return "Uninitialized";
	case NVML_ERROR_INVALID_ARGUMENT:
		return "Invalid Argument";
	case NVML_ERROR_NOT_SUPPORTED:
		return "Not Supported";
	case NVML_ERROR_NOT_FOUND:
		return "Not Found";
	case NVML_ERROR_INSUFFICIENT_SIZE:
		return "Insufficient Size";
	default:
		return "Unknown Error";
	}
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length)
{
	return tell("580.00.simgpu", version, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
	return tell("13.580.00.simgpu", version, length);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	if (!version)
		return NVML_ERROR_INVALID_ARGUMENT;
	*version = simgpu_cuda_version();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	return nvmlSystemGetCudaDriverVersion_v2(version);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count)
{
	if (atomic_load(&initialised) <= 0)
		return NVML_ERROR_UNINITIALIZED;
	if (!count)
		return NVML_ERROR_INVALID_ARGUMENT;
	*count = (unsigned)identity_devices();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount(unsigned *count)
{
	return nvmlDeviceGetCount_v2(count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
	nvmlDevice_t handle = (nvmlDevice_t)((uintptr_t)index + 1);
	nvmlReturn_t result = handle_check(handle, device);

	if (!result)
		*device = handle;
	return result;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device)
{
	unsigned domain, bus;

	if (!bus_id || sscanf(bus_id, "%x:%x:", &domain, &bus) != 2)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int index = 0; index < identity_devices(); index++)
		if (domain == 0 && identity_bus(index) == bus)
			return nvmlDeviceGetHandleByIndex_v2((unsigned)index, device);
	return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *bus_id, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	char own[IDENTITY_TEXT];

	if (!uuid)
		return NVML_ERROR_INVALID_ARGUMENT;
	for (int index = 0; index < identity_devices(); index++) {
		identity_uuid(index, own);
		if (!strcmp(own, uuid))
			return nvmlDeviceGetHandleByIndex_v2((unsigned)index, device);
	}
	return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
	nvmlReturn_t result = handle_check(device, index);

	if (!result)
		*index = (unsigned)handle_index(device, &result);
	return result;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor)
{
	return nvmlDeviceGetIndex(device, minor);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length)
{
	char own[IDENTITY_TEXT];
	nvmlReturn_t result;
	int index = handle_index(device, &result);

	if (result)
		return result;
	identity_uuid(index, own);
	return tell(own, uuid, length);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
	char own[IDENTITY_TEXT];
	nvmlReturn_t result;
	int index = handle_index(device, &result);

	if (result)
		return result;
	identity_name(index, own);
	return tell(own, name, length);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	nvmlReturn_t result = handle_check(device, pci);

	if (result)
		return result;
	*pci = (nvmlPciInfo_t){.bus = identity_bus(handle_index(device, &result)),
						   .pciDeviceId = 0x233010de}; /* an H100's */
	snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", pci->bus & 255);
	snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", pci->bus & 255);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	return nvmlDeviceGetPciInfo_v3(device, pci);
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	return nvmlDeviceGetPciInfo_v3(device, pci);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	nvmlReturn_t result = handle_check(device, major);

	if (result || !minor)
		return result ? result : NVML_ERROR_INVALID_ARGUMENT;
	identity_capability(handle_index(device, &result), major, minor);
	return NVML_SUCCESS;
}
