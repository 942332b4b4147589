/* cuDNN, old functions and graphs, and NVRTC. */
#include "libraries.h"

static const float one = 1;

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
	} norm = {.symbol = (void *)libraries_find("cudnnBatchNormalizationForwardTrainingEx")};
	CHECK(CALL(cudnnCreateTensorDescriptor, P(&x)) == 0);
	CHECK(CALL(cudnnSetTensorNdDescriptor, P(x), 0, 4, P(dims), P(strides)) == 0);
	CHECK(CALL(cudnnGetTensorNdDescriptor, P(x), 4, P(&type), P(&n), P(read), P(read_strides)) ==
		  0);
	CHECK(type == 0 && n == 4 && !memcmp(read, dims, sizeof(dims)));
	CHECK(CALL(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, P(dnn), 1, 0, 0, P(x),
			   P(&bytes)) == 0 &&
		  bytes == 0);
	libraries_forget();
	CHECK(norm.forward(dnn, 1, 0, &one, &one, x, device, NULL, NULL, x, device, x, device, device,
					   0.1, NULL, NULL, 1e-5, NULL, NULL, NULL, NULL, 0, NULL, 0) == 0);
	CHECK(libraries_launched("bn_fw_tr_1C11_kernel_NCHW") == 1 && records[0].grid[0] == 96);
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
	libraries_forget();
	CHECK(CALL(cudnnBackendExecute, P(dnn), P(plan), P(pack)) == 2004);
	CHECK(CALL(cudnnBackendFinalize, P(pack)) == 0);
	CHECK(CALL(cudnnBackendExecute, P(dnn), P(plan), P(pack)) == 0);
	CHECK(libraries_launched(name) == 1);
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

/* ---- recurrent networks ---- */

enum { LSTM = 2, INPUT = 40, HIDDEN = 24, PROJECTION = 16, LAYERS = 2, STEPS = 5, BATCH = 3 };

static void *made(int (*create)(void **))
{
	void *new = NULL;
	CHECK(create(&new) == 0 && new);
	return new;
}
#define MADE(name_) made((int (*)(void **))(void *)libraries_find(name_))

/* An LSTM in both directions, with projections. */
static void *new_rnn(void *dnn, long algorithm, long type)
{
	void *rnn = MADE("cudnnCreateRNNDescriptor"), *dropout = MADE("cudnnCreateDropoutDescriptor");
	size_t bytes = 0;
	union {
		void *symbol;
		int (*set)(void *, void *, float, void *, size_t, unsigned long long);
	} call = {.symbol = (void *)libraries_find("cudnnSetDropoutDescriptor")};
	CHECK(CALL(cudnnDropoutGetStatesSize, P(dnn), P(&bytes)) == 0 && bytes > 1000);
	CHECK(call.set(dropout, dnn, 0.5f, device, bytes - 1, 0) == 2000);
	CHECK(call.set(dropout, dnn, 1.5f, device, bytes, 0) == 2000);
	libraries_forget();
	CHECK(call.set(dropout, dnn, 0.5f, device, bytes, 0) == 0);
	CHECK(libraries_launched("initstates") == 1);
	CHECK(call.set(dropout, dnn, 0, NULL, 0, 0) == 0);
	CHECK(CALL(cudnnSetRNNDescriptor_v8, P(rnn), algorithm, 3, 2, 1, 0, type, 0, 0, INPUT, HIDDEN,
			   PROJECTION, LAYERS, P(dropout), 1) == 3000); /* a GRU has none */
	CHECK(CALL(cudnnSetRNNDescriptor_v8, P(rnn), algorithm, LSTM, 2, 1, 0, type, 0, 0, INPUT,
			   HIDDEN, PROJECTION, LAYERS, P(dropout), 1) == 0);
	return rnn;
}

/* PyTorch's check: what belongs together follows without a gap, and nothing lies outside. */
static size_t rnn_weights(void *dnn, void *rnn)
{
	void *tensor = MADE("cudnnCreateTensorDescriptor"), *at = NULL, *next = device;
	int dims[3], strides[3], n = 0, type = -1;
	size_t bytes = 0, elements = 0;
	CHECK(CALL(cudnnGetRNNWeightSpaceSize, P(dnn), P(rnn), P(&bytes)) == 0);
	for (long bias = 0; bias < 2; bias++)
		for (long layer = 0; layer < 2 * LAYERS; layer++)
			for (long id = 0; id < 9 - bias; id++) {
				int rows = id == 8 ? PROJECTION : HIDDEN, columns = HIDDEN;
				if (id < 8)
					columns = id >= 4 ? PROJECTION : layer < 2 ? INPUT : 2 * PROJECTION;
				CHECK(CALL(cudnnGetRNNWeightParams, P(dnn), P(rnn), layer, bytes, P(device), id,
						   bias ? 0 : P(tensor), bias ? 0 : P(&at), bias ? P(tensor) : 0,
						   bias ? P(&at) : 0) == 0);
				CHECK(CALL(cudnnGetTensorNdDescriptor, P(tensor), 3, P(&type), P(&n), P(dims),
						   P(strides)) == 0);
				CHECK(n == 3 && dims[1] == rows && dims[2] == (bias ? 1 : columns) && at == next);
				elements += (size_t)dims[1] * (size_t)dims[2];
				next = (char *)at + 4 * dims[1] * dims[2];
			}
	CHECK(bytes == 4 * elements);
	CHECK(CALL(cudnnGetRNNWeightParams, P(dnn), P(rnn), 4, bytes, P(device), 0, P(tensor),
			   P(&at)) == 2000);
	CHECK(CALL(cudnnGetRNNWeightParams, P(dnn), P(rnn), 0, bytes - 4, P(device), 0, P(tensor),
			   P(&at)) == 2000);
	CHECK(CALL(cudnnGetRNNWeightParams, P(dnn), P(rnn), 0, bytes, P(device), 8, 0, 0, P(tensor),
			   P(&at)) == 0 &&
		  !at); /* a projection has no bias */
	CHECK(CALL(cudnnDestroyTensorDescriptor, P(tensor)) == 0);
	return bytes;
}

/* Forward and both backward calls; how many kernels each launched. */
static void rnn_passes(void *dnn, void *rnn, long type, size_t weights, const unsigned wanted[3])
{
	const int lengths[BATCH] = {STEPS, 2, 1}, longer[BATCH] = {STEPS + 1, 2, 1};
	void *x = MADE("cudnnCreateRNNDataDescriptor"), *y = MADE("cudnnCreateRNNDataDescriptor");
	size_t work = 0, reserve = 0, none = 7;
	CHECK(CALL(cudnnSetRNNDataDescriptor, P(x), type, 1, STEPS, BATCH, INPUT, P(longer), 0) ==
		  2000);
	CHECK(CALL(cudnnSetRNNDataDescriptor, P(x), type, 1, STEPS, BATCH, INPUT, P(lengths), 0) == 0);
	CHECK(CALL(cudnnSetRNNDataDescriptor, P(y), type, 1, STEPS, BATCH, 2 * PROJECTION, P(lengths),
			   0) == 0);
	CHECK(CALL(cudnnGetRNNTempSpaceSizes, P(dnn), P(rnn), 0, P(x), P(&work), P(&none)) == 0 &&
		  !none);
	CHECK(CALL(cudnnGetRNNTempSpaceSizes, P(dnn), P(rnn), 1, P(x), P(&work), P(&reserve)) == 0);
	CHECK(work && reserve > work);
	libraries_forget();
	CHECK(CALL(cudnnRNNForward, P(dnn), P(rnn), 1, 0, P(y), P(device), P(y), P(device), 0, 0, 0, 0,
			   0, 0, weights, P(device), work, P(device), reserve, P(device)) == 2000);
	CHECK(CALL(cudnnRNNForward, P(dnn), P(rnn), 1, 0, P(x), P(device), P(y), P(device), 0, 0, 0, 0,
			   0, 0, weights, P(device), work, P(device), reserve - 1, P(device)) == 2000);
	CHECK(CALL(cudnnRNNForward, P(dnn), P(rnn), 1, 0, P(x), P(device), P(y), P(device), 0, 0, 0, 0,
			   0, 0, weights, P(device), work, P(device), reserve, P(device)) == 0);
	CHECK(libraries_launched("") == wanted[0]);
	libraries_forget();
	CHECK(CALL(cudnnRNNBackwardData_v8, P(dnn), P(rnn), 0, P(y), P(device), P(device), P(x),
			   P(device), 0, 0, 0, 0, 0, 0, 0, 0, weights, P(device), work, P(device), reserve,
			   P(device)) == 0);
	CHECK(libraries_launched("") == wanted[1]);
	libraries_forget();
	CHECK(CALL(cudnnRNNBackwardWeights_v8, P(dnn), P(rnn), 1, 0, P(x), P(device), 0, 0, P(y),
			   P(device), weights, P(device), work, P(device), reserve, P(device)) == 0);
	CHECK(libraries_launched("gemm_") == wanted[2]);
	CHECK(CALL(cudnnDestroyRNNDataDescriptor, P(x)) == 0);
	CHECK(CALL(cudnnDestroyRNNDataDescriptor, P(y)) == 0);
}

static void test_dnn_rnn(void)
{
	/* per pseudo-layer: a product for the input; per step a product, a projection and a cell */
	const unsigned standard[3] = {4 * (1 + 3 * STEPS), 4 * (1 + 3 * STEPS), 8};
	const unsigned persistent[3] = {4 * 2, 4 * 2, 8};
	void *dnn = new_dnn(), *rnn = new_rnn(dnn, 0, 0);
	rnn_passes(dnn, rnn, 0, rnn_weights(dnn, rnn), standard);
	CHECK(CALL(cudnnDestroyRNNDescriptor, P(rnn)) == 0);
	rnn = new_rnn(dnn, 3, 0);
	rnn_passes(dnn, rnn, 0, rnn_weights(dnn, rnn), persistent);
	CHECK(CALL(cudnnDestroyRNNDescriptor, P(rnn)) == 0);
	rnn = new_rnn(dnn, 1, 2);
	rnn_passes(dnn, rnn, 2, 1 << 20, persistent);
	CHECK(CALL(cudnnDestroy, P(dnn)) == 0);
}

static void test_dnn_errors(void)
{
	char text[64] = "";
	const char *(*error)(int);
	*(void **)&error = (void *)libraries_find("cudnnGetErrorString");
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
	*(void **)&error = (void *)libraries_find("nvrtcGetErrorString");
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

void test_dnn(void)
{
	test_dnn_norm();
	test_dnn_graphs();
	test_dnn_rnn();
	test_dnn_errors();
	test_nvrtc();
}
