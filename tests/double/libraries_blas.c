/* cuBLAS and cuBLASLt: names and grids by type and shape, split-K and workspaces, statuses. */
#include "libraries.h"

int cuStreamCreate(void **, unsigned);
int cuStreamQuery(void *);

static const float one = 1;
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
		libraries_forget();
		CHECK(multiply(blas, types[i].type, types[i].compute, 512, 512, 512) == 0);
		CHECK(libraries_launched(types[i].name[capability == 90]) == 1);
	}
	CHECK(multiply(blas, E4M3, COMPUTE_32F, 64, 64, 64) == (capability == 90 ? 0 : 15));
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

/* Larger matrices have more blocks: durations follow the grid. */
static void test_grid(void)
{
	void *blas = new_blas();
	libraries_forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 4096, 8192, 64) == 0);
	CHECK(libraries_launched("") == 1);
	CHECK(records[0].grid[0] == 4096 / 256);
	CHECK(records[0].grid[1] == 8192 / 128 && records[0].grid[2] == 1);
	libraries_forget();
	CHECK(CALL(cublasGemmStridedBatchedEx, P(blas), 0, 0, 64, 64, 64, P(&one), P(device), BF16, 64,
			   4096, P(device), BF16, 64, 4096, P(&one), P(device), BF16, 64, 4096, 77, COMPUTE_32F,
			   -1) == 0);
	CHECK(libraries_launched("") == 1 && records[0].grid[2] == 77);
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_launch_path(void)
{
	void *blas = new_blas(), *stream = NULL, *is = NULL;
	libraries_forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 512, 512, 512) == 0);
	CHECK(libraries_launched("") == 1);
	uint32_t usual = records[0].stream;
	CHECK(cuStreamCreate(&stream, 1) == 0);
	CHECK(CALL(cublasSetStream_v2, P(blas), P(stream)) == 0);
	CHECK(CALL(cublasGetStream_v2, P(blas), P(&is)) == 0 && is == stream);
	libraries_forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 512, 512, 512) == 0);
	CHECK(libraries_launched("") == 1 && records[0].stream != usual);
	CHECK(n_calls >= 1 && records[0].correlation == call_ids[0] && call_ids[0] != 0);
	CHECK(!strcmp(calls[0], capability == 90 ? "cuLaunchKernelEx" : "cudaLaunchKernel"));
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_split_k(void)
{
	void *blas = new_blas();
	libraries_forget();
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(simgpu_settle(10000) && n_records == 2 && strstr(records[1].name, "splitKreduce_kernel"));
	CHECK(records[0].grid[2] > 1);
	libraries_forget();
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), P(device + 1), 1 << 20) == 7);
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), 0, 0) == 0);
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(libraries_launched("") == 1 && records[0].grid[2] == 1);
	libraries_forget();
	CHECK(CALL(cublasSetWorkspace_v2, P(blas), P(device), 3 * 64 * 64 * 4) == 0);
	CHECK(multiply(blas, BF16, COMPUTE_32F, 64, 64, 16384) == 0);
	CHECK(simgpu_settle(10000) && n_records == 2 && records[0].grid[2] == 3);
	libraries_forget();
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
	libraries_forget();
	CHECK(CALL(cublasSgemv_v2, P(blas), 1, 64, 64, P(&one), P(device), 64, P(device), 1, P(&one),
			   P(device), 1) == 0);
	CHECK(multiply(blas, F32, COMPUTE_32F, 64, 1, 64) == 0);
	CHECK(libraries_launched("gemv2T_kernel_val") == 2);
	libraries_forget();
	CHECK(CALL(cublasSdot_v2, P(blas), 64, P(device), 1, P(device), 1, P(&result)) == 0);
	CHECK(result == 0 && cuStreamQuery(NULL) == 0); /* it waited */
	CHECK(simgpu_settle(10000) && n_records == 2);
	CHECK(strstr(records[0].name, "dot_kernel") && strstr(records[1].name, "reduce_1Block_kernel"));
	CHECK(CALL(cublasSetPointerMode_v2, P(blas), 1) == 0);
	result = 3;
	CHECK(CALL(cublasDotEx, P(blas), 64, P(device), BF16, 1, P(device), BF16, 1, P(&result), BF16,
			   COMPUTE_32F) == 0 &&
		  result == 3);
	libraries_forget();
	CHECK(CALL(cublasStrsm_v2, P(blas), 0, 0, 0, 0, 64, 64, P(&one), P(device), 64, P(device),
			   64) == 0);
	CHECK(libraries_launched("trsm_kernel") == 1);
	CHECK(CALL(cublasDestroy_v2, P(blas)) == 0);
}

static void test_refusals(void)
{
	void *blas = new_blas();
	int mode = -1;
	libraries_forget();
	CHECK(multiply(NULL, F32, COMPUTE_32F, 8, 8, 8) == 1);
	CHECK(multiply(blas, F32, COMPUTE_32F, -1, 8, 8) == 7);
	CHECK(multiply(blas, F32, COMPUTE_32F, 8, 0, 8) == 0); /* nothing to do */
	CHECK(CALL(cublasSgemm_v2, P(blas), 0, 0, 64, 64, 64, P(&one), P(device), 63, P(device), 64,
			   P(&one), P(device), 64) == 7);
	CHECK(CALL(cublasSgemm_v2, P(blas), 0, 0, 64, 64, 64, 0, P(device), 64, P(device), 64, P(&one),
			   P(device), 64) == 7);
	CHECK(CALL(cublasSgemm_v2, P(blas), 9, 0, 64, 64, 64, P(&one), P(device), 64, P(device), 64,
			   P(&one), P(device), 64) == 7);
	CHECK(libraries_launched("") == 0);
	CHECK(CALL(cublasSetMathMode, P(blas), 3) == 0 && CALL(cublasSetMathMode, P(blas), 99) == 7);
	CHECK(CALL(cublasGetMathMode, P(blas), P(&mode)) == 0 && mode == 3);
	CHECK(CALL(cublasSgemm_v2, P(blas), 0, 0, 512, 512, 512, P(&one), P(device), 512, P(device),
			   512, P(&one), P(device), 512) == 0);
	CHECK(libraries_launched(capability == 90 ? "nvjet_sss_" : "s1688gemm") ==
		  1); /* TF32 by mode */
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
	libraries_forget();
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

void test_blas(void)
{
	test_types();
	test_grid();
	test_launch_path();
	test_split_k();
	test_vectors();
	test_refusals();
	test_lt();
}
