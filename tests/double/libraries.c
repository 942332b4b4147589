/* The doubles of cuBLAS, cuBLASLt, cuDNN, cuFFT and NVRTC by their exported functions, opened by
 * name. libraries CUDA_MAJOR            the cases, on the capability that SIMGPU_CAPABILITY says
 *     the names of all kernels go to the file NAMES
 *   libraries SONAME zeros          names on stdin: each is called with zeros and must refuse
 * The launches are counted by an observer of the libcuda double. */
#include "libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuTensorMapEncodeTiled(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
						   const uint32_t *, const uint32_t *, int, int, int, int);
int cuTensorMapReplaceAddress(void *, void *);

int failures;
char device[1 << 20] __attribute__((aligned(256)));
int capability;

/* ---- what was launched ---- */

struct sim_record records[ROOM];
char calls[ROOM][32];
uint32_t call_ids[ROOM];
unsigned n_records, n_calls;
static FILE *names; /* every kernel's name goes here */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_op(const struct sim_record *record)
{
	pthread_mutex_lock(&lock);
	if (record->kind == SIM_KERNEL && n_records < ROOM)
		records[n_records++] = *record;
	if (names && record->kind == SIM_KERNEL)
		fprintf(names, "%s\n", record->name);
	pthread_mutex_unlock(&lock);
}

static void on_enter(struct sim_call *call)
{
	pthread_mutex_lock(&lock);
	if (call->symbol && n_calls < ROOM) {
		call_ids[n_calls] = call->correlation;
		snprintf(calls[n_calls++], sizeof(calls[0]), "%s", call->function);
	}
	pthread_mutex_unlock(&lock);
}

static const struct sim_observer observer = {.enter = on_enter, .op = on_op};

void libraries_forget(void)
{
	simgpu_settle(10000);
	n_records = n_calls = 0;
}

unsigned libraries_launched(const char *text)
{
	unsigned n = 0;
	CHECK(simgpu_settle(10000));
	for (unsigned i = 0; i < n_records; i++)
		n += strstr(records[i].name, text) != NULL;
	if (n != n_records)
		for (unsigned i = 0; i < n_records; i++)
			printf("  launched: %s\n", records[i].name);
	return n == n_records ? n : 1000 + n_records;
}

/* ---- calling by name ---- */

static void *libraries[5];

any_call *libraries_find(const char *name)
{
	union {
		void *symbol;
		any_call *call;
	} found = {NULL};
	for (int i = 0; i < 5 && !found.symbol; i++)
		found.symbol = libraries[i] ? dlsym(libraries[i], name) : NULL;
	if (!found.symbol)
		printf("there is no %s\n", name), exit(1);
	return found.call;
}

int libraries_call(const char *name, const long *a)
{
	return (int)libraries_find(name)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
									 a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18],
									 a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26], a[27],
									 a[28], a[29], a[30], a[31]);
}

/* ---- what kernels for 9.0 are given ---- */

static void test_tensor_map(void)
{
	static char map[128] __attribute__((aligned(64)));
	const uint64_t dims[2] = {64, 64}, strides[1] = {128};
	const uint32_t box[2] = {64, 8}, ones[2] = {1, 1};
	CHECK(cuTensorMapReplaceAddress(map, device) == 1); /* not a map yet */
	CHECK(cuTensorMapEncodeTiled(map, 9, 2, device, dims, strides, box, ones, 0, 0, 0, 0) == 0);
	CHECK(cuTensorMapReplaceAddress(map, device + 64) == 0);
	CHECK(cuTensorMapEncodeTiled(map + 1, 9, 2, device, dims, strides, box, ones, 0, 0, 0, 0) == 1);
	CHECK(cuTensorMapEncodeTiled(map, 9, 6, device, dims, strides, box, ones, 0, 0, 0, 0) == 1);
	CHECK(cuTensorMapEncodeTiled(map, 9, 2, NULL, dims, strides, box, ones, 0, 0, 0, 0) == 1);
}

/* ---- every exported function with zeros ---- */

/* Those that have no status, or for which nothing is something. */
static bool may_succeed(const char *name)
{
	return strstr(name, "Version") || strstr(name, "String") || strstr(name, "StatusName") ||
		   (!strncmp(name, "cudnnDestroy", 12) && strstr(name, "Descriptor")) ||
		   !strcmp(name, "cudnnBackendDestroyDescriptor");
}

static int call_with_zeros(const char *soname)
{
	static const long zeros[32];
	char name[256];
	unsigned n = 0;
	libraries[0] = dlopen(soname, RTLD_NOW);
	if (!libraries[0])
		printf("%s\n", dlerror()), exit(1);
	while (scanf("%255s", name) == 1) {
		n++;
		if (libraries_call(name, zeros) == 0 && !may_succeed(name)) {
			printf("%s: %s of nothing succeeds\n", soname, name);
			failures++;
		}
	}
	printf("%s: %u functions\n", soname, n);
	return failures || !n;
}

int main(int argc, char **argv)
{
	static const char *const sonames[] = {"cublas", "cublasLt", "nvrtc", "cudnn", "cufft"};
	const char *const versions[] = {argv[1], argv[1], argv[1], "9",
									!strcmp(argv[1], "12") ? "11" : "12"};
	const char *wanted = getenv("SIMGPU_CAPABILITY");
	void *context;
	if (argc == 3 && !strcmp(argv[2], "zeros"))
		return call_with_zeros(argv[1]);
	capability = wanted ? atoi(wanted) : 80;
	for (int i = 0; i < 5; i++) {
		char soname[64];
		snprintf(soname, sizeof(soname), "lib%s.so.%s", sonames[i], versions[i]);
		libraries[i] = dlopen(soname, RTLD_NOW);
		if (!libraries[i])
			printf("%s\n", dlerror()), exit(1);
	}
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		return 1;
	names = getenv("NAMES") ? fopen(getenv("NAMES"), "a") : NULL;
	simgpu_observe(&observer);
	test_blas();
	test_dnn();
	test_fft();
	test_tensor_map();
	if (names)
		fclose(names);
	printf("CUDA %s, capability %d: %d failures\n", argv[1], capability, failures);
	return failures != 0;
}
