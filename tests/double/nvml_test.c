/* The libnvidia-ml double: handles, identity equal to the driver's, readings, what it refuses. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doubles/nvml/nvml.h"
#include "doubles/observe.h"

int cuInit(unsigned flags);
int cuDeviceGetUuid_v2(unsigned char uuid[16], int device);
int cuDeviceGetPCIBusId(char *text, int bytes, int device);
int cuDeviceGetName(char *name, int bytes, int device);

#define CHECK(condition)                                                    \
	do {                                                                    \
		if (!(condition)) {                                                 \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			return 1;                                                       \
		}                                                                   \
	} while (0)

static void spell(const unsigned char uuid[16], char *out)
{
	out += sprintf(out, "GPU-");
	for (int i = 0; i < 16; i++)
		out += sprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static int same_device(unsigned index, nvmlDevice_t device)
{
	char mine[96], theirs[96];
	unsigned char uuid[16];
	nvmlDevice_t again;
	nvmlPciInfo_t pci;
	unsigned number;

	CHECK(!nvmlDeviceGetUUID(device, mine, sizeof mine));
	CHECK(!cuDeviceGetUuid_v2(uuid, (int)index));
	spell(uuid, theirs);
	CHECK(!strcmp(mine, theirs));
	CHECK(!nvmlDeviceGetHandleByUUID(mine, &again) && again == device);
	CHECK(!nvmlDeviceGetIndex(device, &number) && number == index);
	CHECK(!cuDeviceGetPCIBusId(theirs, sizeof theirs, (int)index));
	CHECK(!nvmlDeviceGetHandleByPciBusId_v2(theirs, &again) && again == device);
	CHECK(!nvmlDeviceGetPciInfo_v3(device, &pci) && strstr(pci.busId, strchr(theirs, ':')));
	CHECK(!nvmlDeviceGetName(device, mine, sizeof mine));
	CHECK(!cuDeviceGetName(theirs, sizeof theirs, (int)index) && !strcmp(mine, theirs));
	CHECK(nvmlDeviceGetName(device, mine, 2) == NVML_ERROR_INSUFFICIENT_SIZE);
	return 0;
}

static int readings(nvmlDevice_t device)
{
	nvmlFieldValue_t fields[2] = {{.fieldId = 83}, {.fieldId = 9999}};
	unsigned long long before, after, reasons;
	nvmlUtilization_t rates;
	nvmlMemory_t memory;
	unsigned value;

	CHECK(!nvmlDeviceGetUtilizationRates(device, &rates) && rates.gpu == 77);
	CHECK(!nvmlDeviceGetPowerUsage(device, &value) && value == 400000);
	CHECK(!nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons) && reasons == 4);
	CHECK(!nvmlDeviceGetClockInfo(device, 1, &value) && value > 0);
	CHECK(!nvmlDeviceGetMemoryInfo(device, &memory));
	CHECK(memory.total > 0 && memory.used + memory.free == memory.total);
	CHECK(!nvmlDeviceGetTotalEnergyConsumption(device, &before));
	usleep(50000);
	CHECK(!nvmlDeviceGetTotalEnergyConsumption(device, &after));
	CHECK(after >= before + 400 * 50); /* 400 W for 50 ms: 20 J */
	CHECK(!nvmlDeviceGetFieldValues(device, 2, fields));
	CHECK(!fields[0].nvmlReturn && fields[0].value.wide >= after);
	CHECK(fields[1].nvmlReturn == NVML_ERROR_NOT_SUPPORTED);
	return 0;
}

/* One device shows what the knob says of it alone. */
static int planted(nvmlDevice_t device, unsigned index)
{
	unsigned mhz;

	CHECK(!nvmlDeviceGetClockInfo(device, 1, &mhz) && mhz == (index == 2 ? 1185 : 1755));
	return 0;
}

/* Run with SIMGPU_DEVICES=4 SIMGPU_NVML="util=77,power=400000,sm=1755,throttle=4;2:sm=1185". */
int main(void)
{
	nvmlDevice_t device;
	nvmlMemory_t memory;
	char early[64], late[64];
	unsigned count;

	CHECK(nvmlDeviceGetCount_v2(&count) == NVML_ERROR_UNINITIALIZED);
	CHECK(!nvmlInit_v2());
	CHECK(!nvmlDeviceGetCount_v2(&count) && count == 4);
	/* before cuInit, and without starting it */
	CHECK(!nvmlDeviceGetHandleByIndex_v2(3, &device));
	CHECK(!nvmlDeviceGetUUID(device, early, sizeof early) && strlen(early) == 40);
	CHECK(!nvmlDeviceGetMemoryInfo(device, &memory) && memory.total > 0);
	CHECK(!simgpu_ready() && !cuInit(0));
	CHECK(!nvmlDeviceGetUUID(device, late, sizeof late) && !strcmp(early, late));
	CHECK(nvmlDeviceGetHandleByIndex_v2(4, &device) == NVML_ERROR_INVALID_ARGUMENT);
	CHECK(nvmlDeviceGetHandleByUUID("GPU-0", &device) == NVML_ERROR_NOT_FOUND);
	for (unsigned i = 0; i < count; i++) {
		CHECK(!nvmlDeviceGetHandleByIndex_v2(i, &device));
		if (same_device(i, device) || readings(device) || planted(device, i))
			return 1;
	}
	CHECK(!nvmlShutdown() && nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
	puts("devices are the driver's, readings are the knob's");
	return 0;
}
