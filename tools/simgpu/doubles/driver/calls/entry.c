/* How libraries find the entries: cuGetProcAddress; and the words for errors. */
#include "doubles/driver/calls/entry.h"

#include <string.h>

/* The linker's names for the ends of the section that ENTRY() fills. */
__attribute__((visibility("hidden"))) extern const struct entry *const __start_driver_entries[];
__attribute__((visibility("hidden"))) extern const struct entry *const __stop_driver_entries[];

enum { FLAG_PER_THREAD = 2 };
enum { SYMBOL_FOUND, SYMBOL_NOT_FOUND, SYMBOL_TOO_NEW };

/* The release from which a name means this entry, where the suffix does not say it. */
static const struct {
	const char *name;
	int since;
} since[] = {
	{"cuGetProcAddress_v2", 12000},       {"cuStreamGetCaptureInfo_v2", 11030},
	{"cuStreamGetCaptureInfo_v3", 12030}, {"cuStreamBeginCapture_v2", 10010},
	{"cuEventElapsedTime_v2", 12080},     {"cuDeviceGetUuid_v2", 11040},
};

static int entry_since(const char *name)
{
	for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++)
		if (!strncmp(name, since[i].name, strlen(since[i].name)))
			return since[i].since;
	return strstr(name, "_v2") ? 3020 : 0;
}

/* What follows the symbol in the entry's name: "" or "_v2", "_v2_ptsz" ...; NULL: another one. */
static const char *suffix(const char *entry, const char *symbol)
{
	size_t length = strlen(symbol);
	const char *rest = entry + length;
	if (strncmp(entry, symbol, length) != 0)
		return NULL;
	return !*rest || !strncmp(rest, "_v", 2) || !strncmp(rest, "_pt", 3) ? rest : NULL;
}

static void (*find(const char *symbol, int version, bool per_thread, bool *too_new))(void)
{
	void (*best)(void) = NULL;
	int best_rank = -1;
	for (const struct entry *const *e = __start_driver_entries; e < __stop_driver_entries; e++) {
		const char *rest = suffix((*e)->name, symbol);
		bool own = rest && strstr(rest, "_pt");
		int from = rest ? entry_since((*e)->name) : 0;
		if (!rest || (own && !per_thread))
			continue;
		*too_new = *too_new || from > version;
		int rank = 2 * from + own;
		if (from <= version && rank > best_rank) {
			best = (*e)->function;
			best_rank = rank;
		}
	}
	return best;
}

static int get_proc(const char *symbol, void **function, int version, uint64_t flags, int *status)
{
	bool too_new = false;
	if (!symbol || !function)
		return CUDA_INVALID_VALUE;
	union {
		void (*function)(void);
		void *pointer;
	} found = {.function = find(symbol, version, flags & FLAG_PER_THREAD, &too_new)};
	*function = found.pointer;
	if (status)
		*status = found.pointer ? SYMBOL_FOUND : too_new ? SYMBOL_TOO_NEW : SYMBOL_NOT_FOUND;
	return found.pointer ? CUDA_OK : CUDA_NOT_FOUND;
}

ENTRY(cuGetProcAddress, const char *symbol, void **function, int version, uint64_t flags)
{
	return get_proc(symbol, function, version, flags, NULL);
}

ENTRY(cuGetProcAddress_v2, const char *symbol, void **function, int version, uint64_t flags,
	  int *status)
{
	return get_proc(symbol, function, version, flags, status);
}

/* NVIDIA's private tables: not modelled, so NVIDIA's own runtime cannot run on this driver. */
ENTRY(cuGetExportTable, const void **table, const void *id)
{
	(void)id;
	*table = NULL;
	return CUDA_NOT_FOUND;
}

static const struct {
	int error;
	const char *name, *words;
} errors[] = {
	{CUDA_OK, "CUDA_SUCCESS", "no error"},
	{CUDA_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{CUDA_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{CUDA_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
	{CUDA_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{CUDA_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{CUDA_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{CUDA_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
	{CUDA_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{CUDA_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed now"},
	{CUDA_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{CUDA_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
	{CUDA_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
	 "host memory is already registered"},
	{CUDA_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "host memory is not registered"},
	{CUDA_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{CUDA_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
	 "operation not permitted when stream is capturing"},
	{CUDA_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
	 "operation failed due to a previous error during capture"},
	{CUDA_CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two captures would merge"},
	{CUDA_CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
	 "capture was not begun on this stream"},
	{CUDA_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
	 "a stream of the capture was not joined"},
	{CUDA_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
	 "dependency on uncaptured work"},
	{CUDA_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
	 "the legacy stream would depend on a capturing one"},
	{CUDA_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT", "the event belongs to a capture"},
	{CUDA_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
	 "capture was begun on another thread"},
	{CUDA_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static int error_index(int error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].error == error)
			return (int)i;
	return -1;
}

ENTRY(cuGetErrorName, int error, const char **name)
{
	int i = error_index(error);
	*name = i < 0 ? NULL : errors[i].name;
	return i < 0 ? CUDA_INVALID_VALUE : CUDA_OK;
}

ENTRY(cuGetErrorString, int error, const char **words)
{
	int i = error_index(error);
	*words = i < 0 ? NULL : errors[i].words;
	return i < 0 ? CUDA_INVALID_VALUE : CUDA_OK;
}
