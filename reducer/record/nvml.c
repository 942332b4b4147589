#include "record/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* NVML's interface as far as it is used, declared from its documentation. Every function returns 0
 * when it worked. */
typedef void *device_t;
struct nvml_pair { /* nvmlUtilization_t */
	unsigned gpu, memory;
};
struct nvml_memory { /* nvmlMemory_t */
	unsigned long long total, free, used;
};
struct nvml_pci_info { /* nvmlPciInfo_t */
	char legacy[16];
	unsigned domain, bus, device, id, subsystem_id;
	char bus_id[32];
};
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };
enum {
	MOST_LINKS = 18 /* NVML_NVLINK_MAX_LINKS */,
	LINK_TO_SWITCH = 2,
	P2P_NVLINK = 2,
	P2P_OK = 0
};

static struct {
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned *);
	int (*handle)(unsigned, device_t *);
	int (*uuid)(device_t, char *, unsigned);
	int (*name)(device_t, char *, unsigned);
	int (*version)(char *, unsigned);
	int (*clock)(device_t, int, unsigned *);
	int (*max_clock)(device_t, int, unsigned *);
	int (*power)(device_t, unsigned *);
	int (*power_limit)(device_t, unsigned *);
	int (*temperature)(device_t, int, unsigned *);
	int (*memory)(device_t, struct nvml_memory *);
	int (*busy)(device_t, struct nvml_pair *);
	int (*reasons)(device_t, unsigned long long *);
	int (*pci)(device_t, struct nvml_pci_info *);
	int (*ancestor)(device_t, device_t, int *);
	int (*p2p)(device_t, device_t, int, int *);
	int (*link_state)(device_t, unsigned, unsigned *);
	int (*link_kind)(device_t, unsigned, int *);
	int (*link_remote)(device_t, unsigned, struct nvml_pci_info *);
} call;

static const struct {
	const char *name, *older; /* NULL: it always had this name */
	size_t at;
	int required;
} functions[] = {
	{"nvmlInit_v2", "nvmlInit", offsetof(__typeof__(call), init), 1},
	{"nvmlShutdown", NULL, offsetof(__typeof__(call), shutdown), 1},
	{"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", offsetof(__typeof__(call), count), 1},
	{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex",
	 offsetof(__typeof__(call), handle), 1},
	{"nvmlDeviceGetUUID", NULL, offsetof(__typeof__(call), uuid), 1},
	{"nvmlDeviceGetName", NULL, offsetof(__typeof__(call), name), 0},
	{"nvmlSystemGetDriverVersion", NULL, offsetof(__typeof__(call), version), 0},
	{"nvmlDeviceGetClockInfo", NULL, offsetof(__typeof__(call), clock), 0},
	{"nvmlDeviceGetMaxClockInfo", NULL, offsetof(__typeof__(call), max_clock), 0},
	{"nvmlDeviceGetPowerUsage", NULL, offsetof(__typeof__(call), power), 0},
	{"nvmlDeviceGetEnforcedPowerLimit", NULL, offsetof(__typeof__(call), power_limit), 0},
	{"nvmlDeviceGetTemperature", NULL, offsetof(__typeof__(call), temperature), 0},
	{"nvmlDeviceGetMemoryInfo", NULL, offsetof(__typeof__(call), memory), 0},
	{"nvmlDeviceGetUtilizationRates", NULL, offsetof(__typeof__(call), busy), 0},
	{"nvmlDeviceGetPciInfo_v3", NULL, offsetof(__typeof__(call), pci), 0},
	{"nvmlDeviceGetTopologyCommonAncestor", NULL, offsetof(__typeof__(call), ancestor), 0},
	{"nvmlDeviceGetP2PStatus", NULL, offsetof(__typeof__(call), p2p), 0},
	{"nvmlDeviceGetNvLinkState", NULL, offsetof(__typeof__(call), link_state), 0},
	{"nvmlDeviceGetNvLinkRemoteDeviceType", NULL, offsetof(__typeof__(call), link_kind), 0},
	{"nvmlDeviceGetNvLinkRemotePciInfo_v2", NULL, offsetof(__typeof__(call), link_remote), 0},
	/* called so since driver 535 */
	{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
	 offsetof(__typeof__(call), reasons), 0},
};

static int find_functions(void *library)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);
		if (!found && functions[i].older)
			found = dlsym(library, functions[i].older);
		if (!found && functions[i].required)
			return -ENOENT;
		memcpy((char *)&call + functions[i].at, &found, sizeof(found));
	}
	return 0;
}

/* False: it cannot be joined to a device of a trace. */
static int find_device(unsigned index, struct nvml_device *device)
{
	struct nvml_memory memory;
	memset(device, 0, sizeof(*device));
	device->index = index;
	if (call.handle(index, &device->handle) != 0 ||
		call.uuid(device->handle, device->uuid, sizeof(device->uuid)) != 0)
		return 0;
	if (!call.name || call.name(device->handle, device->name, sizeof(device->name)) != 0)
		device->name[0] = 0;
	if (call.memory && call.memory(device->handle, &memory) == 0)
		device->memory_bytes = memory.total;
	return 1;
}

int nvml_open(struct nvml *nvml)
{
	unsigned count = 0;
	memset(nvml, 0, sizeof(*nvml));
	nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!nvml->library)
		return -ENOENT;
	if (find_functions(nvml->library) != 0 || call.init() != 0) {
		dlclose(nvml->library);
		return -ENOENT;
	}
	if (call.count(&count) != 0)
		count = 0;
	for (unsigned i = 0; i < count && nvml->n_devices < NVML_DEVICES; i++)
		nvml->n_devices += (unsigned)find_device(i, &nvml->devices[nvml->n_devices]);
	if (nvml->n_devices == 0) {
		nvml_close(nvml);
		return -ENOENT;
	}
	if (!call.version || call.version(nvml->version, sizeof(nvml->version)) != 0)
		nvml->version[0] = 0;
	return 0;
}

void nvml_close(struct nvml *nvml)
{
	call.shutdown();
	dlclose(nvml->library);
}

void nvml_pci(const struct nvml_device *device, char pci[NVML_PCI_BYTES])
{
	struct nvml_pci_info info = {.bus_id = ""};
	pci[0] = 0;
	if (call.pci && call.pci(device->handle, &info) == 0)
		snprintf(pci, NVML_PCI_BYTES, "%.*s", (int)sizeof(info.bus_id) - 1, info.bus_id);
}

/* The active links of `a` that lead to `b`, or to a switch that all GPUs are behind. */
static unsigned count_links(const struct nvml_device *a, const struct nvml_device *b)
{
	struct nvml_pci_info to = {.bus_id = ""}, remote;
	unsigned direct = 0, switched = 0, active;
	int kind;
	if (!call.link_state || !call.pci || call.pci(b->handle, &to) != 0)
		return 0;
	for (unsigned link = 0; link < MOST_LINKS; link++) {
		if (call.link_state(a->handle, link, &active) != 0 || !active)
			continue;
		if (call.link_remote && call.link_remote(a->handle, link, &remote) == 0 &&
			remote.domain == to.domain && remote.bus == to.bus && remote.device == to.device)
			direct++;
		else if (call.link_kind && call.link_kind(a->handle, link, &kind) == 0 &&
				 kind == LINK_TO_SWITCH)
			switched++;
	}
	return direct ? direct : switched;
}

void nvml_link(const struct nvml_device *a, const struct nvml_device *b, char link[NVML_LINK_BYTES])
{
	static const struct {
		int level;
		const char *word;
	} words[] = {{10, "PIX"}, {20, "PXB"}, {30, "PHB"}, {40, "NODE"}, {50, "SYS"}};
	int level = 0, status = -1;
	const bool may =
		!call.p2p || (call.p2p(a->handle, b->handle, P2P_NVLINK, &status) == 0 && status == P2P_OK);
	const unsigned links = a != b && may ? count_links(a, b) : 0;
	link[0] = 0;
	if (links) {
		snprintf(link, NVML_LINK_BYTES, "NV%u", links);
		return;
	}
	if (a == b || !call.ancestor || call.ancestor(a->handle, b->handle, &level) != 0)
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].level == level)
			snprintf(link, NVML_LINK_BYTES, "%s", words[i].word);
}

static void know(struct nvml_look *look, enum baton_gauge gauge, uint64_t value)
{
	look->value[gauge] = value;
	look->known |= 1u << gauge;
}

static void look_at_clocks(device_t handle, struct nvml_look *look)
{
	unsigned mhz;
	unsigned long long reasons;
	if (call.clock && call.clock(handle, CLOCK_SM, &mhz) == 0)
		know(look, BATON_GAUGE_SM_MHZ, mhz);
	if (call.max_clock && call.max_clock(handle, CLOCK_SM, &mhz) == 0)
		know(look, BATON_GAUGE_SM_MAX_MHZ, mhz);
	if (call.clock && call.clock(handle, CLOCK_MEMORY, &mhz) == 0)
		know(look, BATON_GAUGE_MEMORY_MHZ, mhz);
	if (call.reasons && call.reasons(handle, &reasons) == 0)
		know(look, BATON_GAUGE_EVENT_REASONS, reasons);
}

void nvml_look(const struct nvml_device *device, struct nvml_look *look)
{
	unsigned value;
	struct nvml_memory memory;
	struct nvml_pair busy;
	look->known = 0;
	look_at_clocks(device->handle, look);
	if (call.power && call.power(device->handle, &value) == 0)
		know(look, BATON_GAUGE_POWER_MW, value);
	if (call.power_limit && call.power_limit(device->handle, &value) == 0)
		know(look, BATON_GAUGE_POWER_LIMIT_MW, value);
	if (call.temperature && call.temperature(device->handle, SENSOR_GPU, &value) == 0)
		know(look, BATON_GAUGE_TEMPERATURE_C, value);
	if (call.memory && call.memory(device->handle, &memory) == 0)
		know(look, BATON_GAUGE_MEMORY_USED_BYTES, memory.used);
	if (call.busy && call.busy(device->handle, &busy) == 0) {
		know(look, BATON_GAUGE_GPU_BUSY_PERCENT, busy.gpu);
		know(look, BATON_GAUGE_MEMORY_BUSY_PERCENT, busy.memory);
	}
}
