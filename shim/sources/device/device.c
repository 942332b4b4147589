#include "sources/device/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MULTIPROCESSOR_COUNT = 16 }; /* CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */

static void ask_uuid(void *cuda, int device, char text[48])
{
	uint8_t id[16];
	int (*get)(uint8_t *, int);
	*(void **)&get = dlsym(cuda, "cuDeviceGetUuid_v2"); /* a MIG slice has its own */
	if (!get)
		*(void **)&get = dlsym(cuda, "cuDeviceGetUuid");
	if (!get || get(id, device) != 0)
		return;
	int n = snprintf(text, 48, "GPU-");
	for (int i = 0; i < 16; i++)
		n += snprintf(text + n, (size_t)(48 - n), "%s%02x",
					  i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
}

void device_ask(int ordinal, struct device_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	void *cuda = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
	if (!cuda)
		return;
	int (*get)(int *, int), (*get_name)(char *, int, int), (*get_memory)(size_t *, int),
		(*get_attribute)(int *, int, int);
	*(void **)&get = dlsym(cuda, "cuDeviceGet");
	*(void **)&get_name = dlsym(cuda, "cuDeviceGetName");
	*(void **)&get_memory = dlsym(cuda, "cuDeviceTotalMem_v2");
	*(void **)&get_attribute = dlsym(cuda, "cuDeviceGetAttribute");
	int device, count;
	size_t bytes;
	if (get && get(&device, ordinal) == 0) {
		if (!get_name || get_name(facts->name, sizeof(facts->name) - 1, device) != 0)
			facts->name[0] = 0;
		if (get_memory && get_memory(&bytes, device) == 0)
			facts->memory_bytes = bytes;
		if (get_attribute && get_attribute(&count, MULTIPROCESSOR_COUNT, device) == 0)
			facts->sm_count = (uint32_t)count;
		ask_uuid(cuda, device, facts->uuid);
	}
	dlclose(cuda);
}
