/* NVML's public interface as far as the double implements it, declared from its documentation. */
#ifndef SIMGPU_DOUBLES_NVML_NVML_H
#define SIMGPU_DOUBLES_NVML_NVML_H

#include <stddef.h>

#define NVML_API __attribute__((visibility("default")))

typedef struct nvml_device *nvmlDevice_t;
typedef int nvmlReturn_t;

enum {
	NVML_SUCCESS = 0,
	NVML_ERROR_UNINITIALIZED = 1,
	NVML_ERROR_INVALID_ARGUMENT = 2,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7
};

typedef struct {
	char busIdLegacy[16];
	unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
	char busId[32];
} nvmlPciInfo_t;

typedef struct {
	unsigned gpu, memory;
} nvmlUtilization_t;

typedef struct {
	unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct {
	unsigned version;
	unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
	unsigned fieldId, scopeId;
	long long timestamp, latencyUsec;
	int valueType;
	nvmlReturn_t nvmlReturn;
	union {
		double real;
		unsigned whole;
		unsigned long long wide;
	} value;
} nvmlFieldValue_t;

_Static_assert(sizeof(nvmlPciInfo_t) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(nvmlMemory_v2_t) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(nvmlFieldValue_t) == 40, "nvmlFieldValue_t");

/* clang-format off */
#define NVML(name, ...) NVML_API nvmlReturn_t name(__VA_ARGS__)
/* clang-format on */

NVML(nvmlInit, void);
NVML(nvmlInit_v2, void);
NVML(nvmlInitWithFlags, unsigned flags);
NVML(nvmlShutdown, void);
NVML(nvmlSystemGetDriverVersion, char *version, unsigned length);
NVML(nvmlSystemGetNVMLVersion, char *version, unsigned length);
NVML(nvmlSystemGetCudaDriverVersion, int *version);
NVML(nvmlSystemGetCudaDriverVersion_v2, int *version);
NVML_API const char *nvmlErrorString(nvmlReturn_t result);

NVML(nvmlDeviceGetCount, unsigned *count);
NVML(nvmlDeviceGetCount_v2, unsigned *count);
NVML(nvmlDeviceGetHandleByIndex, unsigned index, nvmlDevice_t *device);
NVML(nvmlDeviceGetHandleByIndex_v2, unsigned index, nvmlDevice_t *device);
NVML(nvmlDeviceGetHandleByPciBusId, const char *bus_id, nvmlDevice_t *device);
NVML(nvmlDeviceGetHandleByPciBusId_v2, const char *bus_id, nvmlDevice_t *device);
NVML(nvmlDeviceGetHandleByUUID, const char *uuid, nvmlDevice_t *device);
NVML(nvmlDeviceGetIndex, nvmlDevice_t device, unsigned *index);
NVML(nvmlDeviceGetMinorNumber, nvmlDevice_t device, unsigned *minor);
NVML(nvmlDeviceGetUUID, nvmlDevice_t device, char *uuid, unsigned length);
NVML(nvmlDeviceGetName, nvmlDevice_t device, char *name, unsigned length);
NVML(nvmlDeviceGetPciInfo, nvmlDevice_t device, nvmlPciInfo_t *pci);
NVML(nvmlDeviceGetPciInfo_v2, nvmlDevice_t device, nvmlPciInfo_t *pci);
NVML(nvmlDeviceGetPciInfo_v3, nvmlDevice_t device, nvmlPciInfo_t *pci);
NVML(nvmlDeviceGetCudaComputeCapability, nvmlDevice_t device, int *major, int *minor);
NVML(nvmlDeviceGetMigMode, nvmlDevice_t device, unsigned *current, unsigned *pending);
NVML(nvmlDeviceGetTopologyCommonAncestor, nvmlDevice_t a, nvmlDevice_t b, int *level);
NVML(nvmlDeviceGetP2PStatus, nvmlDevice_t a, nvmlDevice_t b, int index, int *status);
NVML(nvmlDeviceGetNvLinkState, nvmlDevice_t device, unsigned link, unsigned *active);
NVML(nvmlDeviceGetNvLinkVersion, nvmlDevice_t device, unsigned link, unsigned *version);
NVML(nvmlDeviceGetNvLinkRemoteDeviceType, nvmlDevice_t device, unsigned link, int *type);
NVML(nvmlDeviceGetNvLinkRemotePciInfo, nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci);
NVML(nvmlDeviceGetNvLinkRemotePciInfo_v2, nvmlDevice_t device, unsigned link, nvmlPciInfo_t *pci);
NVML(nvmlDeviceGetGpuFabricInfo, nvmlDevice_t device, void *info);
NVML(nvmlDeviceGetGpuFabricInfoV, nvmlDevice_t device, void *info);

NVML(nvmlDeviceGetUtilizationRates, nvmlDevice_t device, nvmlUtilization_t *rates);
NVML(nvmlDeviceGetClockInfo, nvmlDevice_t device, int type, unsigned *mhz);
NVML(nvmlDeviceGetMaxClockInfo, nvmlDevice_t device, int type, unsigned *mhz);
NVML(nvmlDeviceGetPowerUsage, nvmlDevice_t device, unsigned *milliwatts);
NVML(nvmlDeviceGetEnforcedPowerLimit, nvmlDevice_t device, unsigned *milliwatts);
NVML(nvmlDeviceGetPowerManagementLimit, nvmlDevice_t device, unsigned *milliwatts);
NVML(nvmlDeviceGetTotalEnergyConsumption, nvmlDevice_t device, unsigned long long *millijoules);
NVML(nvmlDeviceGetTemperature, nvmlDevice_t device, int sensor, unsigned *celsius);
NVML(nvmlDeviceGetPerformanceState, nvmlDevice_t device, int *state);
NVML(nvmlDeviceGetMemoryInfo, nvmlDevice_t device, nvmlMemory_t *memory);
NVML(nvmlDeviceGetMemoryInfo_v2, nvmlDevice_t device, nvmlMemory_v2_t *memory);
NVML(nvmlDeviceGetCurrentClocksThrottleReasons, nvmlDevice_t device, unsigned long long *reasons);
NVML(nvmlDeviceGetCurrentClocksEventReasons, nvmlDevice_t device, unsigned long long *reasons);
NVML(nvmlDeviceGetSupportedClocksThrottleReasons, nvmlDevice_t device, unsigned long long *reasons);
NVML(nvmlDeviceGetComputeRunningProcesses, nvmlDevice_t device, unsigned *count, void *processes);
NVML(nvmlDeviceGetComputeRunningProcesses_v2, nvmlDevice_t device, unsigned *count,
	 void *processes);
NVML(nvmlDeviceGetComputeRunningProcesses_v3, nvmlDevice_t device, unsigned *count,
	 void *processes);
NVML(nvmlDeviceGetFieldValues, nvmlDevice_t device, int count, nvmlFieldValue_t *values);

#endif
