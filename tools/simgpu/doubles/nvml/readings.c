/* The libnvidia-ml double: what a device shows. Constant but for energy, which grows with time at
 * the power that is shown, and the traffic of the links. */
#include <string.h>
#include <time.h>

#include "doubles/nvml/gauges.h"
#include "doubles/nvml/handle.h"
#include "doubles/nvml/identity.h"
#include "doubles/nvml/nvml.h"

enum {
	CLOCK_MEM = 2,      /* nvmlClockType_t: graphics 0, SM 1, memory 2, video 3 */
	VALUE_UNSIGNED = 1, /* nvmlValueType_t */
	VALUE_WIDE = 3,
	FIELD_ENERGY = 83, /* NVML_FI_DEV_... */
	FIELD_LINK_SENT = 138,
	FIELD_LINK_RECEIVED = 139,
	FIELD_POWER_AVERAGE = 185,
	FIELD_POWER_INSTANT = 186,
	LINK_KIB_PER_MS = 2048, /* 2 GB/s each way */
	TOPOLOGY_INTERNAL = 0,
	TOPOLOGY_SYSTEM = 50,
	REMOTE_SWITCH = 2, /* nvmlIntNvLinkDeviceType_t */
	LINK_VERSION = 7   /* NVLink 4 */
};

static unsigned long long uptime_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000;
}

/* For handles: of no device what all show. */
static unsigned long long shown(nvmlDevice_t device, enum gauge which)
{
	nvmlReturn_t result;

	return gauge(handle_index(device, &result), which);
}

static nvmlReturn_t show(nvmlDevice_t device, enum gauge which, unsigned *out)
{
	nvmlReturn_t result = handle_check(device, out);

	if (!result)
		*out = (unsigned)shown(device, which);
	return result;
}

static nvmlReturn_t show_wide(nvmlDevice_t device, unsigned long long value,
							  unsigned long long *out)
{
	nvmlReturn_t result = handle_check(device, out);

	if (!result)
		*out = value;
	return result;
}

static unsigned long long energy_mj(nvmlDevice_t device)
{
	return shown(device, GAUGE_POWER) * uptime_ms() / 1000;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates)
{
	nvmlReturn_t result = handle_check(device, rates);

	if (!result)
		*rates = (nvmlUtilization_t){.gpu = (unsigned)shown(device, GAUGE_UTIL),
									 .memory = (unsigned)shown(device, GAUGE_MEMBW)};
	return result;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned *mhz)
{
	return show(device, type == CLOCK_MEM ? GAUGE_MEM : GAUGE_SM, mhz);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, int type, unsigned *mhz)
{
	nvmlReturn_t result = handle_check(device, mhz);

	if (!result)
		*mhz = type == CLOCK_MEM ? 3201 : 1980;
	return result;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts)
{
	return show(device, GAUGE_POWER, milliwatts);
}

nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	return show(device, GAUGE_LIMIT, milliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *milliwatts)
{
	return show(device, GAUGE_LIMIT, milliwatts);
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device,
												 unsigned long long *millijoules)
{
	return show_wide(device, energy_mj(device), millijoules);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned *celsius)
{
	return sensor ? NVML_ERROR_INVALID_ARGUMENT : show(device, GAUGE_TEMP, celsius);
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, int *state)
{
	nvmlReturn_t result = handle_check(device, state);

	if (!result)
		*state = 0;
	return result;
}

static unsigned long long used_bytes(nvmlDevice_t device, unsigned long long total)
{
	const unsigned long long used = shown(device, GAUGE_USED);

	return used < total ? used : total;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	nvmlReturn_t result = handle_check(device, memory);
	unsigned long long total;

	if (result)
		return result;
	total = identity_memory_bytes(handle_index(device, &result));
	*memory = (nvmlMemory_t){.total = total,
							 .used = used_bytes(device, total),
							 .free = total - used_bytes(device, total)};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	nvmlMemory_t plain;
	nvmlReturn_t result = handle_check(device, memory);

	if (!result)
		result = nvmlDeviceGetMemoryInfo(device, &plain);
	if (!result)
		*memory = (nvmlMemory_v2_t){.version = memory->version,
									.total = plain.total,
									.used = plain.used,
									.free = plain.free};
	return result;
}

nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device,
													unsigned long long *reasons)
{
	return show_wide(device, shown(device, GAUGE_THROTTLE), reasons);
}

nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
													   unsigned long long *reasons)
{
	return show_wide(device, shown(device, GAUGE_THROTTLE), reasons);
}

nvmlReturn_t nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device,
														 unsigned long long *reasons)
{
	return show_wide(device, 0x1ff, reasons);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned *count,
												  void *processes)
{
	nvmlReturn_t result = handle_check(device, count);

	(void)processes;
	if (!result)
		*count = 0; /* as in a container that does not share the host's pids */
	return result;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count,
													 void *processes)
{
	return nvmlDeviceGetComputeRunningProcesses(device, count, processes);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
													 void *processes)
{
	return nvmlDeviceGetComputeRunningProcesses(device, count, processes);
}

static void field(nvmlDevice_t device, nvmlFieldValue_t *value)
{
	value->timestamp = (long long)uptime_ms() * 1000;
	value->latencyUsec = 1;
	value->valueType = VALUE_WIDE;
	value->nvmlReturn = NVML_SUCCESS;
	switch (value->fieldId) {
	case FIELD_ENERGY:
		value->value.wide = energy_mj(device);
		break;
	case FIELD_LINK_SENT:
	case FIELD_LINK_RECEIVED:
		value->value.wide = uptime_ms() * LINK_KIB_PER_MS;
		break;
	case FIELD_POWER_AVERAGE:
	case FIELD_POWER_INSTANT:
		value->valueType = VALUE_UNSIGNED;
		value->value.whole = (unsigned)shown(device, GAUGE_POWER);
		break;
	default:
		value->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
	}
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
	nvmlReturn_t result = handle_check(device, values);

	for (int i = 0; !result && i < count; i++)
		field(device, &values[i]);
	return result;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending)
{
	nvmlReturn_t result = handle_check(device, current);

	if (result || !pending)
		return result ? result : NVML_ERROR_INVALID_ARGUMENT;
	*current = *pending = 0;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t a, nvmlDevice_t b, int *level)
{
	nvmlReturn_t result = handle_check(a, level);

	if (!result)
		result = handle_check(b, level);
	if (!result)
		*level = a == b ? TOPOLOGY_INTERNAL : TOPOLOGY_SYSTEM;
	return result;
}

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t a, nvmlDevice_t b, int index, int *status)
{
	nvmlReturn_t result = handle_check(a, status);

	(void)index;
	if (!result)
		result = handle_check(b, status);
	if (!result)
		*status = 0; /* OK */
	return result;
}

static nvmlReturn_t check_link(nvmlDevice_t device, unsigned link, const void *out)
{
	nvmlReturn_t result = handle_check(device, out);

	return result || link < shown(device, GAUGE_LINKS) ? result : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, unsigned *active)
{
	nvmlReturn_t result = check_link(device, link, active);

	if (!result)
		*active = 1;
	return result;
}

nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned link, unsigned *version)
{
	nvmlReturn_t result = check_link(device, link, version);

	if (!result)
		*version = LINK_VERSION;
	return result;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned link, int *type)
{
	nvmlReturn_t result = check_link(device, link, type);

	if (!result)
		*type = REMOTE_SWITCH;
	return result;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link,
												 nvmlPciInfo_t *pci)
{
	nvmlReturn_t result = check_link(device, link, pci);

	if (!result) { /* the switch */
		*pci = (nvmlPciInfo_t){.bus = 0xf0, .pciDeviceId = 0x22a310de};
		memcpy(pci->busId, "00000000:F0:00.0", sizeof "00000000:F0:00.0");
		memcpy(pci->busIdLegacy, "0000:F0:00.0", sizeof "0000:F0:00.0");
	}
	return result;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned link,
											  nvmlPciInfo_t *pci)
{
	return nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, pci);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, void *info)
{
	nvmlReturn_t result = handle_check(device, info);

	return result ? result : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, void *info)
{
	return nvmlDeviceGetGpuFabricInfo(device, info);
}
