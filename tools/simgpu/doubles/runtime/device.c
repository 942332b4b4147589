/* Devices, versions, the way to the driver's entries. */
#include "doubles/runtime/runtime.h"

#include <string.h>

API(cudaGetDeviceCount, int *count)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 3, "cudaGetDeviceCount", &count);
	*count = result ? 0 : simgpu_devices();
	return runtime_leave(&call, result);
}

API(cudaGetDevice, int *device)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 17, "cudaGetDevice", &device);
	if (!result)
		*device = simgpu_device();
	return runtime_leave(&call, result);
}

API(cudaSetDevice, int device)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 16, "cudaSetDevice", &device);
	if (!result)
		result = simgpu_set_device(device);
	return runtime_leave(&call, result);
}

API(cudaDeviceSynchronize, void)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 165, "cudaDeviceSynchronize", NULL);
	if (!result)
		result = driver(false)->cuCtxSynchronize();
	return runtime_leave(&call, result);
}

API(cudaDeviceReset, void)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 164, "cudaDeviceReset", NULL);
	if (!result)
		result = simgpu_reset_device(simgpu_device());
	return runtime_leave(&call, result);
}

API(cudaDriverGetVersion, int *version)
{
	return runtime_result(driver(false)->cuDriverGetVersion(version));
}

API(cudaRuntimeGetVersion, int *version)
{
	int release = simgpu_cuda_version();
	*version = release / 1000 == CUDART_MAJOR ? release : CUDART_MAJOR == 12 ? 12080 : 13000;
	return CUDA_OK;
}

API(cudaDeviceGetAttribute, int *value, int attribute, int device)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 200, "cudaDeviceGetAttribute", NULL);
	if (!result)
		result = driver(false)->cuDeviceGetAttribute(value, attribute, device);
	return runtime_leave(&call, result);
}

FORWARD_API(cudaDeviceGetPCIBusId, 174, driver(false)->cuDeviceGetPCIBusId(id, room, device),
			FIELDS(char *id; int room, device;), VALUES(id, room, device), char *id, int room,
			int device)

#define PROFILER_API(name_, cbid_, call_)                       \
	API(name_, void)                                            \
	{                                                           \
		struct sim_observed call;                               \
		int result = runtime_enter(&call, cbid_, #name_, NULL); \
		return runtime_leave(&call, result ? result : call_()); \
	}
PROFILER_API(cudaProfilerStart, 171, driver(false)->cuProfilerStart)
PROFILER_API(cudaProfilerStop, 172, driver(false)->cuProfilerStop)

API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return runtime_result(simgpu_init());
}

API(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
	int failed = simgpu_init();
	return runtime_result(failed ? failed
								 : driver(false)->cuDeviceCanAccessPeer(can, device, peer));
}

API(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
	(void)flags;
	return runtime_result(peer >= 0 && peer < simgpu_devices() ? CUDA_OK : CUDA_INVALID_DEVICE);
}

API(cudaSetDeviceFlags, unsigned flags)
{
	(void)flags;
	return runtime_result(simgpu_init());
}

API(cudaGetDeviceFlags, unsigned *flags)
{
	*flags = 0;
	return runtime_result(simgpu_init());
}

/* ---- cudaDeviceProp, by offsets: the two majors differ ---- */

#if CUDART_MAJOR >= 13
#define PROPERTIES_BYTES 1008
#define PROPERTIES_NAME "cudaGetDeviceProperties"
#else
#define PROPERTIES_BYTES 1032
#define PROPERTIES_NAME "cudaGetDeviceProperties_v2"
#endif

/* The int at an offset in CUDA 12 and 13 is a device attribute of that number. */
static const struct {
	uint16_t at_12, at_13;
	int attribute;
} fields[] = {
	{304, 304, 12},  {308, 308, 10}, {320, 320, 1},  {324, 324, 2},  {328, 328, 3},
	{332, 332, 4},   {336, 336, 5},  {340, 340, 6},  {344, 344, 7},  {360, 360, 75},
	{364, 364, 76},  {388, 384, 16}, {396, 388, 18}, {400, 392, 19}, {576, 560, 31},
	{580, 564, 32},  {584, 568, 33}, {588, 572, 34}, {592, 576, 50}, {600, 584, 40},
	{604, 588, 41},  {612, 592, 37}, {616, 596, 38}, {624, 604, 39}, {628, 608, 78},
	{648, 632, 82},  {652, 636, 83}, {676, 656, 89}, {688, 668, 95}, {712, 688, 106},
	{744, 720, 115},
};

/* The same for size_t. */
static const struct {
	uint16_t at_12, at_13;
	int attribute;
} sizes[] = {
	{296, 296, 8}, {312, 312, 11}, {352, 352, 9}, {640, 624, 81}, {696, 672, 97}, {720, 696, 111},
};

static int property(int attribute, int device)
{
	int value = 0;
	driver(false)->cuDeviceGetAttribute(&value, attribute, device);
	return value;
}

static void fill_properties(char *out, int device)
{
	size_t memory = 0;
	memset(out, 0, PROPERTIES_BYTES);
	driver(false)->cuDeviceGetName(out, 256, device);
	driver(false)->cuDeviceGetUuid((uint8_t *)out + 256, device);
	driver(false)->cuDeviceTotalMem(&memory, device);
	memcpy(out + 288, &memory, sizeof(memory));
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		int value = property(fields[i].attribute, device);
		memcpy(out + (CUDART_MAJOR >= 13 ? fields[i].at_13 : fields[i].at_12), &value,
			   sizeof(value));
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t value = (size_t)property(sizes[i].attribute, device);
		memcpy(out + (CUDART_MAJOR >= 13 ? sizes[i].at_13 : sizes[i].at_12), &value, sizeof(value));
	}
}

static int get_properties(char *out, int device)
{
	struct sim_observed call;
	int result = runtime_enter_plain(&call, 440, PROPERTIES_NAME, NULL);
	if (!result && (device < 0 || device >= simgpu_devices()))
		result = CUDA_INVALID_DEVICE;
	if (!result)
		fill_properties(out, device);
	return runtime_leave(&call, result);
}

#if CUDART_MAJOR >= 13
API(cudaGetDeviceProperties, char *out, int device)
#else
API(cudaGetDeviceProperties_v2, char *out, int device)
#endif
{
	return get_properties(out, device);
}

/* ---- entries of the driver ---- */

API(cudaGetDriverEntryPointByVersion, const char *symbol, void **function, unsigned version,
	unsigned long long flags, int *status)
{
	int there, failed = driver_find(symbol, (int)version, flags, function, &there);
	if (status)
		*status = there;
	return failed == CUDA_NOT_FOUND && status ? CUDA_OK : runtime_result(failed);
}

API(cudaGetDriverEntryPoint, const char *symbol, void **function, unsigned long long flags,
	int *status)
{
	return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_MAJOR * 1000 + 80, flags,
											status);
}
