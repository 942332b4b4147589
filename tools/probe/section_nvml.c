/* NVML: which readings this device gives, and what one costs. */
#include "section.h"

#include "clocks.h"
#include "result.h"
#include "work.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *nvml, *device;

static void *nvml_find(const char *symbol)
{
	void *found = dlsym(nvml, symbol);

	result_have(symbol, found);
	return found;
}

static void tell_cost(const char *symbol, int64_t value, int64_t from)
{
	int64_t took = clock_mono() - from;
	char name[96];

	result_value(symbol, "value", value);
	snprintf(name, sizeof(name), "%s: one call", symbol);
	result_value(name, "ns", took);
}

/* f(device, unsigned *value). 64-bit readings fit as well: the word is wide enough. */
static void one_word(const char *symbol)
{
	int (*function)(void *, void *);
	void *found = nvml_find(symbol);
	uint64_t value = 0;
	int64_t from;
	int rc;

	if (!found)
		return;
	memcpy(&function, &found, sizeof(found));
	function(device, &value); /* the first call of a kind is not the one to time */
	value = 0;
	from = clock_mono();
	rc = function(device, &value);
	if (rc)
		result_text(symbol, "error %d", rc);
	else
		tell_cost(symbol, (int64_t)value, from);
}

/* f(device, unsigned which, unsigned *value) */
static void chosen_word(const char *symbol, unsigned which, const char *name)
{
	int (*function)(void *, unsigned, void *);
	void *found = nvml_find(symbol);
	uint64_t value = 0;
	int64_t from;
	int rc;

	if (!found)
		return;
	memcpy(&function, &found, sizeof(found));
	from = clock_mono();
	rc = function(device, which, &value);
	if (rc)
		result_text(name, "error %d", rc);
	else
		tell_cost(name, (int64_t)value, from);
}

static void utilisation(void)
{
	int (*function)(void *, unsigned *);
	void *found = nvml_find("nvmlDeviceGetUtilizationRates");
	unsigned rates[2] = {0};
	int rc;

	if (!found)
		return;
	memcpy(&function, &found, sizeof(found));
	rc = function(device, rates);
	result_text("utilisation", "GPU %u %%, memory %u %%, error %d", rates[0], rates[1], rc);
}

static void memory(void)
{
	int (*function)(void *, unsigned long long *);
	void *found = nvml_find("nvmlDeviceGetMemoryInfo");
	unsigned long long sizes[3] = {0};
	int rc;

	if (!found)
		return;
	memcpy(&function, &found, sizeof(found));
	rc = function(device, sizes);
	result_text("memory", "total %llu, free %llu, used %llu, error %d", sizes[0], sizes[1],
				sizes[2], rc);
}

static void text_of(const char *symbol)
{
	int (*function)(void *, char *, unsigned);
	void *found = nvml_find(symbol);
	char text[128] = "";
	int rc;

	if (!found)
		return;
	memcpy(&function, &found, sizeof(found));
	rc = function(device, text, sizeof(text));
	if (rc)
		result_text(symbol, "error %d", rc);
	else /* what names one single device stays out of what is published */
		result_text(symbol, "%s", strstr(symbol, "UUID") ? "available" : text);
}

/* One entry of nvmlDeviceGetFieldValues. */
struct field {
	uint32_t id, scope;
	int64_t timestamp, latency_us;
	uint32_t type, rc;
	union {
		double real;
		uint64_t whole;
	} value;
};
_Static_assert(sizeof(struct field) == 40, "nvmlFieldValue_t");

static void fields(void)
{
	static const struct {
		uint32_t id;
		const char *name;
	} wanted[] = {
		{83, "field total energy, mJ"},
		{138, "field NVLink sent, KiB"},
		{139, "field NVLink received, KiB"},
		{140, "field NVLink raw sent, KiB"},
		{141, "field NVLink raw received, KiB"},
		{186, "field power, instant, mW"},
		{91, "field NVLinks"},
	};
	int (*function)(void *, int, struct field *);
	void *found = nvml_find("nvmlDeviceGetFieldValues");
	size_t i;

	if (!found)
		return;
	memcpy(&function, &found, sizeof(found));
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct field field = {.id = wanted[i].id};
		int rc;

		if (strstr(wanted[i].name, "NVLink ")) /* a sum over all links */
			field.scope = UINT32_MAX;
		rc = function(device, 1, &field);
		result_text(wanted[i].name, "error %d, field error %u, type %u, raw %llu", rc, field.rc,
					field.type, (unsigned long long)field.value.whole);
	}
}

static bool open_device(void)
{
	int (*init)(void), (*by_index)(unsigned, void **);
	void *found;

	nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	if (!nvml)
		nvml = dlopen("/usr/local/nvidia/lib64/libnvidia-ml.so.1", RTLD_NOW);
	if (!nvml) {
		result_message("no libnvidia-ml.so.1");
		return false;
	}
	found = nvml_find("nvmlInit_v2");
	memcpy(&init, &found, sizeof(found));
	found = nvml_find("nvmlDeviceGetHandleByIndex_v2");
	memcpy(&by_index, &found, sizeof(found));
	return init && by_index && result_ok("nvmlInit_v2", init()) &&
		   result_ok("nvmlDeviceGetHandleByIndex_v2", by_index(0, &device));
}

static void nvml_run(const char *variant)
{
	(void)variant;
	if (!open_device())
		return;
	text_of("nvmlDeviceGetName");
	text_of("nvmlDeviceGetUUID");
	utilisation();
	memory();
	one_word("nvmlDeviceGetPowerUsage");
	one_word("nvmlDeviceGetTotalEnergyConsumption");
	one_word("nvmlDeviceGetCurrentClocksThrottleReasons");
	one_word("nvmlDeviceGetCurrentClocksEventReasons");
	one_word("nvmlDeviceGetMaxPcieLinkGeneration");
	one_word("nvmlDeviceGetCurrPcieLinkWidth");
	chosen_word("nvmlDeviceGetClockInfo", 1, "SM clock, MHz");
	chosen_word("nvmlDeviceGetClockInfo", 2, "memory clock, MHz");
	chosen_word("nvmlDeviceGetTemperature", 0, "temperature, C");
	chosen_word("nvmlDeviceGetPcieThroughput", 0, "PCIe sent, KB/s");
	chosen_word("nvmlDeviceGetNvLinkState", 0, "NVLink 0 active");
	fields();
}

const struct section section_nvml = {"nvml", "all", 1, 20, nvml_run};
