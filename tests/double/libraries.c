/* The doubles of cuBLAS, cuBLASLt, cuDNN and NVRTC by their exported functions, opened by name.
 *   libraries CUDA_MAJOR            the cases, on the capability that SIMGPU_CAPABILITY says
 *     the names of all kernels go to the file NAMES
 *   libraries SONAME zeros          names on stdin: each is called with zeros and must refuse
 * The launches are counted by an observer of the libcuda double. */
#include "observe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuStreamCreate(void **, unsigned);
int cuStreamQuery(void *);
int cuTensorMapEncodeTiled(void *, int, unsigned, void *, const uint64_t *, const uint64_t *,
						   const uint32_t *, const uint32_t *, int, int, int, int);
int cuTensorMapReplaceAddress(void *, void *);

static int failures;

#define CHECK(condition_)                                                   \
	do {                                                                    \
		if (!(condition_)) {                                                \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition_); \
			failures++;                                                     \
		}                                                                   \
	} while (0)

/* ---- what was launched ---- */

enum { ROOM = 256 };
static struct sim_record records[ROOM];
static char calls[ROOM][32];
static uint32_t call_ids[ROOM];
static unsigned n_records, n_calls;
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

static void forget(void)
{
	simgpu_settle(10000);
	n_records = n_calls = 0;
}

/* How many kernels ended since forget(), all of whose names contain the text. */
static unsigned launched(const char *text)
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

/* ---- calling by name: arguments are integers and pointers ---- */

typedef long any_call(long, long, long, long, long, long, long, long, long, long, long, long, long,
					  long, long, long, long, long, long, long, long, long, long, long, long, long,
					  long, long, long, long, long, long);
static void *libraries[4];

static any_call *find(const char *name)
{
	union {
		void *symbol;
		any_call *call;
	} found = {NULL};
	for (int i = 0; i < 4 && !found.symbol; i++)
		found.symbol = libraries[i] ? dlsym(libraries[i], name) : NULL;
	if (!found.symbol)
		printf("there is no %s\n", name), exit(1);
	return found.call;
}

static int call(const char *name, const long *a)
{
	return (int)find(name)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
						   a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21],
						   a[22], a[23], a[24], a[25], a[26], a[27], a[28], a[29], a[30], a[31]);
}

#define P(pointer_) ((long)(pointer_))
#define CALL(name_, ...) call(#name_, (const long[32]){__VA_ARGS__})

static const float one = 1;
static char device[1 << 20] __attribute__((aligned(256))); /* nobody reads it */
static int capability;
enum { F32 = 0, F64 = 1, F16 = 2, I8 = 3, C32 = 4, C64 = 5, BF16 = 14, E4M3 = 28 };
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72, FAST_TF32 = 77 };

static int multiply(void *blas, int type, int compute, int m, int n, int k)
{
	return CALL(cublasGemmEx, P(blas), 1, 0, m, n, k, P(&one), P(device), type, k, P(device), type,
				k, P(&one), P(device), type, m, compute, -1);
}

static void *new_blas(void)
{
	void *blas = NULL;
	CHECK(CALL(cublasCreate_v2, P(&blas)) == 0 && blas);
	return blas;
}

/* ---- cuBLAS ---- */

static void test_types(void)
{
	static const struct {
		int type, compute;
		const char *name[2]; /* 8.0, 9.0 */
	} types[] = {
		{F32, COMPUTE_32F, {"ampere_sgemm_", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_"}},
		{F32, FAST_TF32, {"cutlass_80_tensorop_s1688gemm_", "nvjet_sss_"}},
		{F16, COMPUTE_32F, {"ampere_fp16_s16816gemm_fp16_", "nvjet_hsh_"}},
		{F16, COMPUTE_16F, {"ampere_h16816gemm_", "nvjet_hsh_"}},
		{BF16, COMPUTE_32F, {"ampere_bf16_s16816gemm_bf16_", "nvjet_tst_"}},
		{F64, COMPUTE_64F, {"d884gemm_", "d884gemm_"}},
		{C32, COMPUTE_32F, {"ampere_cgemm_", "ampere_cgemm_"}},
		{C64, COMPUTE_64F, {"z884gemm_", "z884gemm_"}},
		{I8, COMPUTE_32I, {"i16832gemm_s8_", "i16832gemm_s8_"}},
	};
	void *blas = new_blas();
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		forget();
		CHECK(multiply(blas, types[i].type, types[i].compute, 512, 512, 512) == 0);
		CHECK(launched(types[i].name[capability == 90]) == 1);
	}
	CHECK(multiply(blas, E4M3, COMPUTE_32F, 64, 64, 64) == (capability == 90 ? 0 : 15));
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

/* Larger matrices have more blocks: durations follow the grid. */
static void test_grid(void)
{
	void *blas = new_blas();
	forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 4096, 8192, 64) == 0);
	CHECK(launched("") == 1);
	CHECK(records[0].grid[0] == 4096 / 256);
	CHECK(records[0].grid[1] == 8192 / 128 && records[0].grid[2] == 1);
	forget();
	CHECK(CALL(cublasGemmStridedBatchedEx, P(blas), 0, 0, 64, 64, 64, P(&one), P(device), BF16, 64,
			   4096, P(device), BF16, 64, 4096, P(&one), P(device), BF16, 64, 4096, 77, COMPUTE_32F,
			   -1) == 0);
	CHECK(launched("") == 1 && records[0].grid[2] == 77);
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_launch_path(void)
{
	void *blas = new_blas(), *stream = NULL, *is = NULL;
	forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 512, 512, 512) == 0);
	CHECK(launched("") == 1);
	uint32_t usual = records[0].stream;
	CHECK(cuStreamCreate(&stream, 1) == 0);
	CHECK(CALL(cublasSetStream_v2, P(blas), P(stream)) == 0);
	CHECK(CALL(cublasGetStream_v2, P(blas), P(&is)) == 0 && is == stream);
	forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 512, 512, 512) == 0);
	CHECK(launched("") == 1 && records[0].stream != usual);
	CHECK(n_calls >= 1 && records[0].correlation == call_ids[0] && call_ids[0] != 0);
	CHECK(!strcmp(calls[0], capability == 90 ? "cuLaunchKernelEx" : "cudaLaunchKernel"));
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_split_k(void)
{
	void *blas = new_blas();
	forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(simgpu_settle(10000) && n_records == 2 && strstr(records[1].name, "splitKreduce_kernel"));
	CHECK(records[0].grid[2] > 1);
	forget();
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), P(device + 1), 1 << 20) == 7);
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), 0, 0) == 0);
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(launched("") == 1 && records[0].grid[2] == 1);
	forget();
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), P(device), 3 * 64 * 64 * 4) == 0);
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(simgpu_settle(10000) && n_records == 2 && records[0].grid[2] == 3);
	forget();
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), 0, 0) == 0);
	CHECK(CALL(cublasSetStream_v2, P(blas), 0) == 0); /* its own workspace again */
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(simgpu_settle(10000) && n_records == 2);
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_vectors(void)
{
	void *blas = new_blas();
	float result = 3;
	forget();
	CHECK(CALL(cublasSgemv_v2, P(blas), 1, 64, 64, P(&one), P(device), 64, P(device), 1, P(&one),
			   P(device), 1) == 0);
	CHECK(multiply(blas, F32, COMPUTE_32F, 64, 1, 64) == 0);
	CHECK(launched("gemv2T_kernel_val") == 2);
	forget();
	CHECK(CALL(cublasSdot_v2, P(blas), 64, P(device), 1, P(device), 1, P(&result)) == 0);
	CHECK(result == 0 && cuStreamQuery(NULL) == 0); /* it waited */
	CHECK(simgpu_settle(10000) && n_records == 2);
	CHECK(strstr(records[0].name, "dot_kernel") && strstr(records[1].name, "reduce_1Block_kernel"));
	CHECK(CALL(cublasSetPointerMode_v2, P(blas), 1) == 0);
	result = 3;
	CHECK(CALL(cublasDotEx, P(blas), 64, P(device), BF16, 1, P(device), BF16, 1, P(&result), BF16,
			   COMPUTE_32F) == 0 &&
		  result == 3);
	forget();
	CHECK(CALL(cublasStrsm_v2, P(blas), 0, 0, 0, 0, 64, 64, P(&one), P(device), 64, P(device),
			   64) == 0);
	CHECK(launched("trsm_kernel") == 1);
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_refusals(void)
{
	void *blas = new_blas();
	int mode = -1;
	forget();
	CHECK(multiply(NULL, F32, COMPUTE_32F, 8, 8, 8) == 1);
	CHECK(multiply(blas, F32, COMPUTE_32F, -1, 8, 8) == 7);
	CHECK(multiply(blas, F32, COMPUTE_32F, 8, 0, 8) == 0); /* nothing to do */
	CHECK(CALL(cublasSgemm_v2, P(blas), 0, 0, 64, 64, 64, P(&one), P(device), 63, P(device), 64,
			   P(&one), P(device), 64) == 7);
	CHECK(CALL(cublasSgemm_v2, P(blas), 0, 0, 64, 64, 64, 0, P(device), 64, P(device), 64, P(&one),
			   P(device), 64) == 7);
	CHECK(CALL(cublasSgemm_v2, P(blas), 9, 0, 64, 64, 64, P(&one), P(device), 64, P(device), 64,
			   P(&one), P(device), 64) == 7);
	CHECK(launched("") == 0);
	CHECK(CALL(cublasSetMathMode, P(blas), 3) == 0 && CALL(cublasSetMathMode, P(blas), 99) == 7);
	CHECK(CALL(cublasGetMathMode, P(blas), P(&mode)) == 0 && mode == 3);
	CHECK(CALL(cublasSgemm_v2, P(blas), 0, 0, 512, 512, 512, P(&one), P(device), 512, P(device),
			   512, P(&one), P(device), 512) == 0);
	CHECK(launched(capability == 90 ? "nvjet_sss_" : "s1688gemm") == 1); /* TF32 by mode */
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
	CHECK(CALL(cublasDestroy_v2, 0) == 1);
}

/* ---- cuBLASLt ---- */

struct heuristic {
	uint64_t algorithm[8];
	size_t workspace;
	int status;
	float waves;
	int reserved[4];
};

static void test_lt(void)
{
	void *blas = new_blas(), *matmul = NULL, *a = NULL, *b = NULL, *c = NULL, *preference = NULL;
	struct heuristic found;
	int n = -1, transposed = 1;
	uint32_t epilogue = 4;
	size_t workspace = 1 << 20;
	CHECK(CALL(cublasLtMatmulDescCreate, P(&matmul), COMPUTE_32F, F32) == 0);
	CHECK(CALL(cublasLtMatmulDescSetAttribute, P(matmul), 3, P(&transposed), 4) == 0);
	CHECK(CALL(cublasLtMatmulDescSetAttribute, P(matmul), 7, P(&epilogue), 4) == 0);
	CHECK(CALL(cublasLtMatmulDescSetAttribute, P(matmul), 7, P(&epilogue), 2) == 7);
	CHECK(CALL(cublasLtMatmulDescSetAttribute, P(matmul), 999, P(&epilogue), 4) == 7);
	CHECK(CALL(cublasLtMatrixLayoutCreate, P(&a), BF16, 16384, 64, 16384) == 0);
	CHECK(CALL(cublasLtMatrixLayoutCreate, P(&b), BF16, 16384, 32, 16384) == 0);
	CHECK(CALL(cublasLtMatrixLayoutCreate, P(&c), BF16, 64, 32, 64) == 0);
	CHECK(CALL(cublasLtMatmulPreferenceCreate, P(&preference)) == 0);
	CHECK(CALL(cublasLtMatmulPreferenceSetAttribute, P(preference), 1, P(&workspace), 8) == 0);
	memset(&found, 0x5a, sizeof(found));
	CHECK(CALL(cublasLtMatmulAlgoGetHeuristic, P(blas), P(matmul), P(a), P(b), P(c), P(c),
			   P(preference), 1, P(&found), P(&n)) == 0);
	CHECK(n == 1 && found.status == 0 && found.workspace > 0 && found.workspace <= workspace);
	forget();
	CHECK(CALL(cublasLtMatmul, P(blas), P(matmul), P(&one), P(device), P(a), P(device), P(b),
			   P(&one), P(device), P(c), P(device), P(c), P(found.algorithm), P(device), workspace,
			   0) == 0);
	CHECK(simgpu_settle(10000) && n_records == 2);
	CHECK(strstr(records[0].name, capability == 90 ? "_bias_TN" : "_relu_f2f_"));
	/* shapes that do not fit; a descriptor of another kind; no handle */
	CHECK(CALL(cublasLtMatmul, P(blas), P(matmul), P(&one), P(device), P(a), P(device), P(c),
			   P(&one), P(device), P(c), P(device), P(c), 0, 0, 0, 0) == 7);
	CHECK(CALL(cublasLtMatmul, P(blas), P(a), P(&one), P(device), P(a), P(device), P(b), P(&one),
			   P(device), P(c), P(device), P(c), 0, 0, 0, 0) == 7);
	CHECK(CALL(cublasLtMatmul, 0, P(matmul), P(&one), P(device), P(a), P(device), P(b), P(&one),
			   P(device), P(c), P(device), P(c), 0, 0, 0, 0) == 1);
	CHECK(CALL(cublasLtMatrixLayoutDestroy, P(matmul)) == 7);
	CHECK(CALL(cublasLtMatrixLayoutDestroy, P(a)) == 0);
	CHECK(CALL(cublasLtMatrixLayoutDestroy, P(b)) == 0);
	CHECK(CALL(cublasLtMatrixLayoutDestroy, P(c)) == 0);
	CHECK(CALL(cublasLtMatmulPreferenceDestroy, P(preference)) == 0);
	CHECK(CALL(cublasLtMatmulDescDestroy, P(matmul)) == 0);
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

/* ---- cuDNN ---- */

static void *new_dnn(void)
{
	void *dnn = NULL;
	CHECK(CALL(cudnnCreate, P(&dnn)) == 0 && dnn);
	return dnn;
}

static void test_dnn_norm(void)
{
	void *dnn = new_dnn(), *x = NULL;
	const int dims[] = {4, 96, 8, 8}, strides[] = {6144, 64, 8, 1};
	int read[4] = {0}, n = 0, type = -1, read_strides[4];
	size_t bytes = 7;
	union {
		void *symbol;
		int (*forward)(void *, int, int, const void *, const void *, const void *, const void *,
					   const void *, const void *, const void *, void *, const void *, const void *,
					   const void *, double, void *, void *, double, void *, void *, void *, void *,
					   size_t, void *, size_t);
	} norm = {.symbol = (void *)find("cudnnBatchNormalizationForwardTrainingEx")};
	CHECK(CALL(cudnnCreateTensorDescriptor, P(&x)) == 0);
	CHECK(CALL(cudnnSetTensorNdDescriptor, P(x), 0, 4, P(dims), P(strides)) == 0);
	CHECK(CALL(cudnnGetTensorNdDescriptor, P(x), 4, P(&type), P(&n), P(read), P(read_strides)) ==
		  0);
	CHECK(type == 0 && n == 4 && !memcmp(read, dims, sizeof(dims)));
	CHECK(CALL(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, P(dnn), 1, 0, 0, P(x),
			   P(&bytes)) == 0 &&
		  bytes == 0);
	forget();
	CHECK(norm.forward(dnn, 1, 0, &one, &one, x, device, NULL, NULL, x, device, x, device, device,
					   0.1, NULL, NULL, 1e-5, NULL, NULL, NULL, NULL, 0, NULL, 0) == 0);
	CHECK(launched("bn_fw_tr_1C11_kernel_NCHW") == 1 && records[0].grid[0] == 96);
	CHECK(norm.forward(NULL, 1, 0, &one, &one, x, device, NULL, NULL, x, device, x, device, device,
					   0.1, NULL, NULL, 1e-5, NULL, NULL, NULL, NULL, 0, NULL, 0) == 2002);
	CHECK(CALL(cudnnDestroyTensorDescriptor, P(x)) == 0);
	CHECK(CALL(cudnnDestroy, P(dnn)) == 0);
}

/* The graph of one operation over one tensor, through heuristics to a plan. */
static void *descriptor(int type)
{
	void *made = NULL;
	CHECK(CALL(cudnnBackendCreateDescriptor, type, P(&made)) == 0 && made);
	return made;
}

static void *tensor(int type, const int64_t dims[4], const int64_t strides[4])
{
	void *made = descriptor(17);
	CHECK(CALL(cudnnBackendSetAttribute, P(made), 901, 1, 1, P(&type)) == 0);
	CHECK(CALL(cudnnBackendSetAttribute, P(made), 902, 3, 4, P(dims)) == 0);
	CHECK(CALL(cudnnBackendSetAttribute, P(made), 903, 3, 4, P(strides)) == 0);
	CHECK(CALL(cudnnBackendFinalize, P(made)) == 0);
	return made;
}

static void *plan_of(void *dnn, void **operations, int64_t n)
{
	void *graph = descriptor(15), *heuristics = descriptor(4), *config = descriptor(3),
		 *plan = descriptor(5);
	int64_t count = -1, bytes = -1, mode = 0;
	CHECK(CALL(cudnnBackendSetAttribute, P(graph), 800, 0, 1, P(&dnn)) == 0);
	CHECK(CALL(cudnnBackendSetAttribute, P(graph), 801, 15, n, P(operations)) == 0);
	CHECK(CALL(cudnnBackendGetAttribute, P(graph), 802, 3, 1, P(&count), P(&bytes)) == 2004);
	CHECK(CALL(cudnnBackendFinalize, P(graph)) == 0);
	CHECK(CALL(cudnnBackendSetAttribute, P(graph), 801, 15, n, P(operations)) == 2000);
	CHECK(CALL(cudnnBackendSetAttribute, P(heuristics), 201, 15, 1, P(&graph)) == 0);
	CHECK(CALL(cudnnBackendSetAttribute, P(heuristics), 200, 8, 1, P(&mode)) == 0);
	CHECK(CALL(cudnnBackendFinalize, P(heuristics)) == 0);
	CHECK(CALL(cudnnBackendGetAttribute, P(heuristics), 202, 15, 0, P(&count), 0) == 0 &&
		  count == 1);
	CHECK(CALL(cudnnBackendFinalize, P(plan)) == 2004);
	CHECK(CALL(cudnnBackendGetAttribute, P(heuristics), 202, 15, 1, P(&count), P(&config)) == 0);
	CHECK(CALL(cudnnBackendDestroyDescriptor, P(graph)) == 0);
	CHECK(CALL(cudnnBackendSetAttribute, P(plan), 401, 15, 1, P(&config)) == 0);
	CHECK(CALL(cudnnBackendFinalize, P(plan)) == 0);
	CHECK(CALL(cudnnBackendGetAttribute, P(plan), 402, 3, 1, P(&count), P(&bytes)) == 0);
	CHECK(count == 1 && bytes == 0);
	CHECK(CALL(cudnnBackendDestroyDescriptor, P(config)) == 0);
	CHECK(CALL(cudnnBackendDestroyDescriptor, P(heuristics)) == 0);
	return plan;
}

static void run_graph(int operation, int attribute, int64_t n, const char *name)
{
	static const int64_t dims[4] = {4, 256, 32, 64}, strides[4] = {524288, 1, 16384, 256};
	void *dnn = new_dnn(), *t = tensor(9, dims, strides), *pack = descriptor(16);
	void *operations[5];
	for (int64_t i = 0; i < n; i++) {
		operations[i] = descriptor(operation);
		CHECK(CALL(cudnnBackendSetAttribute, P(operations[i]), attribute, 15, 1, P(&t)) == 0);
		CHECK(CALL(cudnnBackendFinalize, P(operations[i])) == 0);
	}
	void *plan = plan_of(dnn, operations, n);
	forget();
	CHECK(CALL(cudnnBackendExecute, P(dnn), P(plan), P(pack)) == 2004);
	CHECK(CALL(cudnnBackendFinalize, P(pack)) == 0);
	CHECK(CALL(cudnnBackendExecute, P(dnn), P(plan), P(pack)) == 0);
	CHECK(launched(name) == 1);
	CHECK(CALL(cudnnBackendExecute, 0, P(plan), P(pack)) == 2002);
	CHECK(CALL(cudnnBackendExecute, P(dnn), P(pack), P(plan)) == 2012);
	for (int64_t i = 0; i < n; i++)
		CHECK(CALL(cudnnBackendDestroyDescriptor, P(operations[i])) == 0);
	CHECK(CALL(cudnnBackendDestroyDescriptor, P(t)) == 0);
	CHECK(CALL(cudnnBackendDestroyDescriptor, P(plan)) == 0);
	CHECK(CALL(cudnnBackendDestroyDescriptor, P(pack)) == 0);
	CHECK(CALL(cudnnDestroy, P(dnn)) == 0);
}

static void test_dnn_graphs(void)
{
	bool new = capability == 90;
	run_graph(10, 705, 1,
			  new ? "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
				  : "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_");
	CHECK(records[0].grid[0] == 4 * 32 * 64 / 128 && records[0].grid[1] == 256 / 128);
	run_graph(12, 710, 1, "_xmma_dgrad_implicit_gemm_");
	run_graph(11, 715, 1, "_xmma_wgrad_implicit_gemm_indexed_");
	run_graph(41, 2800, 1, "cudnn_generated_fort_native_sdpa_sm");
	run_graph(19, 1520, 2, "_flash_fprop_");
	run_graph(19, 1520, 5, "_flash_bprop_");
	run_graph(13, 751, 1, "cudnn_generated_fort_native_pointwise_sm");
}

static void test_dnn_errors(void)
{
	char text[64] = "";
	const char *(*error)(int);
	*(void **)&error = (void *)find("cudnnGetErrorString");
	CHECK(!strcmp(error(0), "CUDNN_STATUS_SUCCESS"));
	CHECK(!strcmp(error(3000), "CUDNN_STATUS_NOT_SUPPORTED"));
	CHECK(error(123456) != NULL);
	CHECK(CALL(cudnnCreate, 0) == 2002);
	CALL(cudnnGetLastErrorString, P(text), sizeof(text));
	CHECK(strstr(text, "cudnnCreate"));
	CALL(cudnnGetLastErrorString, P(text), sizeof(text));
	CHECK(text[0] == 0);
	CHECK(CALL(cudnnBackendCreateDescriptor, 9999, P(text)) == 2012);
}

/* ---- NVRTC ---- */

static void test_nvrtc(void)
{
	static const char source[] =
		"template <typename T> T twice(T x) { return x + x; }\n"
		"extern \"C\" __global__ void __launch_bounds__(128) first(float *x) { *x = twice(*x); }\n"
		"__global__\nvoid second (int n) {}\n";
	void *program = NULL;
	const char *lowered = NULL, *(*error)(int);
	char ptx[4096];
	size_t bytes = 0;
	*(void **)&error = (void *)find("nvrtcGetErrorString");
	CHECK(!strcmp(error(6), "NVRTC_ERROR_COMPILATION") && error(99) != NULL);
	CHECK(CALL(nvrtcCreateProgram, P(&program), P(source), 0, 0, 0, 0) == 0);
	CHECK(CALL(nvrtcAddNameExpression, P(program), P("ns::third<float, 4>")) == 0);
	CHECK(CALL(nvrtcGetLoweredName, P(program), P("ns::third<float, 4>"), P(&lowered)) == 9);
	CHECK(CALL(nvrtcCompileProgram, P(program), 0, 0) == 0);
	CHECK(CALL(nvrtcAddNameExpression, P(program), P("late")) == 8);
	CHECK(CALL(nvrtcGetLoweredName, P(program), P("ns::third<float, 4>"), P(&lowered)) == 0);
	CHECK(lowered && !strcmp(lowered, "_ZN2ns13third_float_4Ev"));
	CHECK(CALL(nvrtcGetLoweredName, P(program), P("other"), P(&lowered)) == 10);
	CHECK(CALL(nvrtcGetPTXSize, P(program), P(&bytes)) == 0 && bytes && bytes <= sizeof(ptx));
	CHECK(CALL(nvrtcGetPTX, P(program), P(ptx)) == 0 && strlen(ptx) + 1 == bytes);
	CHECK(strstr(ptx, ".visible .entry first(") && strstr(ptx, ".visible .entry second("));
	CHECK(strstr(ptx, ".visible .entry _ZN2ns13third_float_4Ev("));
	CHECK(CALL(nvrtcDestroyProgram, P(&program)) == 0 && !program);
	CHECK(CALL(nvrtcDestroyProgram, P(&program)) == 4);
	CHECK(CALL(nvrtcCompileProgram, 0, 0, 0) == 4);
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
		if (call(name, zeros) == 0 && !may_succeed(name)) {
			printf("%s: %s of nothing succeeds\n", soname, name);
			failures++;
		}
	}
	printf("%s: %u functions\n", soname, n);
	return failures || !n;
}

int main(int argc, char **argv)
{
	static const char *const sonames[] = {"cublas", "cublasLt", "nvrtc", "cudnn"};
	const char *wanted = getenv("SIMGPU_CAPABILITY");
	void *context;
	if (argc == 3 && !strcmp(argv[2], "zeros"))
		return call_with_zeros(argv[1]);
	capability = wanted ? atoi(wanted) : 80;
	for (int i = 0; i < 4; i++) {
		char soname[64];
		snprintf(soname, sizeof(soname), "lib%s.so.%s", sonames[i], i == 3 ? "9" : argv[1]);
		libraries[i] = dlopen(soname, RTLD_NOW);
		if (!libraries[i])
			printf("%s\n", dlerror()), exit(1);
	}
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		return 1;
	names = getenv("NAMES") ? fopen(getenv("NAMES"), "a") : NULL;
	simgpu_observe(&observer);
	test_types();
	test_grid();
	test_launch_path();
	test_split_k();
	test_vectors();
	test_refusals();
	test_lt();
	test_dnn_norm();
	test_dnn_graphs();
	test_dnn_errors();
	test_nvrtc();
	test_tensor_map();
	if (names)
		fclose(names);
	printf("CUDA %s, capability %d: %d failures\n", argv[1], capability, failures);
	return failures != 0;
}
