/* Kernels of cuDNN: families as they stand in public traces; the tile is the double's choice. */
#include "doubles/cudnn/work.h"

#include "doubles/cudnn/handle.h"

#include "doubles/shared/launch.h"

#include <stdio.h>

#define NAME 256
#define TILE 128

static int64_t dim(const struct work *work, int i)
{
	return i < work->n_dims && work->dims[i] > 0 ? work->dims[i] : 1;
}

/* ---- convolutions ---- */

struct conv_types {
	int type;
	const char *sm80, *sm90, *tensor; /* operands and sums; the instruction's shape */
	int tile_k;
};

static const struct conv_types conv_types[] = {
	{DNN_FLOAT, "tf32f32_tf32f32_f32", "f32f32_tf32f32_f32", "16x8x8", 32},
	{DNN_HALF, "f16f16_f16f32_f32", "f16f16_f16f32_f32", "16x8x16", 64},
	{DNN_BFLOAT16, "bf16bf16_bf16f32_f32", "bf16bf16_bf16f32_f32", "16x8x16", 64},
	{DNN_DOUBLE, "f64f64_f64f64_f64", "f64f64_f64f64_f64", "8x8x4", 16},
};

static const struct conv_types *types_of(int type)
{
	for (size_t i = 0; i < sizeof(conv_types) / sizeof(conv_types[0]); i++)
		if (conv_types[i].type == type)
			return &conv_types[i];
	return &conv_types[0];
}

static void conv_name(char out[NAME], const struct work *work, int capability)
{
	const struct conv_types *t = types_of(work->type);
	const char *what = work->kind == WORK_CONV_FORWARD ? "fprop"
					   : work->kind == WORK_CONV_DATA  ? "dgrad"
													   : "wgrad";
	const char *indexed = work->kind == WORK_CONV_FILTER ? "indexed_" : "";
	const char *layout = work->channels_last ? "nhwc" : "nchw";
	if (capability >= 90)
		snprintf(out, NAME,
				 "sm90_xmma_%s_implicit_gemm_%s%s_nhwckrsc_%s_tilesize128x128x%d_warpgroupsize"
				 "1x1x1_g1_execute_kernel__5x_cudnn",
				 what, indexed, t->sm90, layout, t->tile_k);
	else
		snprintf(out, NAME,
				 "sm80_xmma_%s_implicit_gemm_%s%s_nhwckrsc_%s_tilesize128x128x%d_stage4_warpsize"
				 "2x2x1_g1_tensor%s_execute_kernel__5x_cudnn",
				 what, indexed, t->sm80, layout, t->tile_k / 2, t->tensor);
}

/* Rows and columns of the implicit matrix: positions and channels, or of the filter its own. */
static void conv_grid(uint32_t grid[3], const struct work *work)
{
	int64_t inner = 1;
	for (int i = 2; i < work->n_dims; i++)
		inner *= dim(work, i);
	bool filter = work->kind == WORK_CONV_FILTER;
	int64_t rows = filter ? dim(work, 0) : dim(work, 0) * inner;
	int64_t columns = filter ? dim(work, 1) * inner : dim(work, 1);
	grid[0] = library_tiles((uint64_t)rows, TILE, LIBRARY_GRID_X);
	grid[1] = library_tiles((uint64_t)columns, TILE, LIBRARY_GRID_YZ);
	grid[2] = 1;
}

/* ---- attention: [batch, heads, length, width] ---- */

static void sdpa_name(char out[NAME], const struct work *work, int capability)
{
	bool forward = work->kind == WORK_SDPA_FORWARD, new = capability >= 90;
	snprintf(out, NAME,
			 "cudnn_generated_fort_native_sdpa_sm%d_flash_%s_%s_%s_knob_%d_%s_4x1x1_cga1x1x1_"
			 "kernel0_0",
			 new ? 90 : 80, forward ? "fprop" : "bprop", new ? "wgmma" : "wmma",
			 work->type == DNN_BFLOAT16 ? "bf16" : "f16", new ? 7 : 6,
			 dim(work, 3) > 64 ? "64x128x128" : "64x64x64");
}

static void sdpa_grid(uint32_t grid[3], const struct work *work)
{
	grid[0] = library_tiles((uint64_t)dim(work, 2), TILE, LIBRARY_GRID_X);
	grid[1] = library_tiles((uint64_t)dim(work, 1), 1, LIBRARY_GRID_YZ);
	grid[2] = library_tiles((uint64_t)dim(work, 0), 1, LIBRARY_GRID_YZ);
}

/* ---- norms: a block per channel ---- */

static const char *norm_name(const struct work *work)
{
	bool half = work->type == DNN_HALF || work->type == DNN_BFLOAT16;
	switch (work->kind) {
	/* cudnn::bn_fw_tr_1C11_kernel_NCHW<T, float, int, 512, true, 1, true> */
	case WORK_NORM_FORWARD:
		return half ? "_ZN5cudnn25bn_fw_tr_1C11_kernel_NCHWI6__halffiLi512ELb1ELi1ELb1EEEv17cudnn"
					  "TensorStructPKT_S2_PS3_PKT0_S9_S7_S7_PS7_SA_SA_SA_S7_S7_"
					: "_ZN5cudnn25bn_fw_tr_1C11_kernel_NCHWIffiLi512ELb1ELi1ELb1EEEv17cudnnTensor"
					  "StructPKT_S1_PS2_PKT0_S8_S6_S6_PS6_S9_S9_S9_S6_S6_";
	case WORK_NORM_BACKWARD: /* cudnn::bn_bw_1C11_kernel_new<T, float, float2, 512, true, 1> */
		return half ? "_ZN5cudnn21bn_bw_1C11_kernel_newI6__halff6float2Li512ELb1ELi1EEEvT0_S3_S3_"
					  "S3_17cudnnTensorStructPKT_S4_S7_S4_PS5_PKS3_PS3_SB_SA_SA_S3_"
					: "_ZN5cudnn21bn_bw_1C11_kernel_newIff6float2Li512ELb1ELi1EEEvT0_S2_S2_S2_17"
					  "cudnnTensorStructPKT_S3_S6_S3_PS4_PKS2_PS2_SA_S9_S9_S2_";
	default: /* cudnn::bn_fw_inf_1C11_kernel_NCHW<T, float, true, 1> */
		return half ? "_ZN5cudnn26bn_fw_inf_1C11_kernel_NCHWI6__halffLb1ELi1EEEvT0_S2_17cudnn"
					  "TensorStructPKT_S3_PS4_S3_PKS2_S9_S9_S9_S2_"
					: "_ZN5cudnn26bn_fw_inf_1C11_kernel_NCHWIffLb1ELi1EEEvT0_S1_17cudnnTensor"
					  "StructPKT_S2_PS3_S2_PKS1_S8_S8_S8_S1_";
	}
}

static void norm_grid(uint32_t grid[3], const struct work *work)
{
	grid[0] = library_tiles((uint64_t)dim(work, 1), 1, LIBRARY_GRID_X);
	grid[1] = grid[2] = 1;
}

/* ---- the rest: what cuDNN generates for a graph ---- */

static void generated_name(char out[NAME], const struct work *work, int capability)
{
	snprintf(out, NAME, "cudnn_generated_fort_native_%s_sm%d_kernel0_0",
			 work->kind == WORK_MATMUL ? "matmul" : "pointwise", capability >= 90 ? 90 : 80);
}

static void flat_grid(uint32_t grid[3], const struct work *work)
{
	uint64_t elements = 1;
	for (int i = 0; i < work->n_dims; i++)
		elements *= (uint64_t)dim(work, i);
	grid[0] = library_tiles(elements, TILE * TILE, LIBRARY_GRID_X);
	grid[1] = grid[2] = 1;
}

int work_launch(const struct work *work, const struct dnn_handle *handle)
{
	int capability = library_capability();
	char name[NAME];
	struct library_kernel kernel = {name, {1, 1, 1}, {TILE, 1, 1}, false};
	switch (work->kind) {
	case WORK_NONE:
		return dnn_refuse(DNN_NOT_SUPPORTED_PATTERN, "nothing to launch");
	case WORK_CONV_FORWARD:
	case WORK_CONV_DATA:
	case WORK_CONV_FILTER:
		conv_name(name, work, capability);
		conv_grid(kernel.grid, work);
		kernel.extended = capability >= 90;
		break;
	case WORK_SDPA_FORWARD:
	case WORK_SDPA_BACKWARD:
		sdpa_name(name, work, capability);
		sdpa_grid(kernel.grid, work);
		kernel.extended = true; /* compiled at run time, loaded as a module */
		break;
	case WORK_NORM_FORWARD:
	case WORK_NORM_BACKWARD:
	case WORK_NORM_INFERENCE:
		kernel.name = norm_name(work);
		norm_grid(kernel.grid, work);
		kernel.block[0] = 512;
		break;
	case WORK_MATMUL:
	case WORK_OTHER:
		generated_name(name, work, capability);
		flat_grid(kernel.grid, work);
		kernel.extended = true;
	}
	if (library_launch(&kernel, handle->stream))
		return dnn_refuse(DNN_EXECUTION_FAILED_DRIVER, "the launch failed");
	return DNN_OK;
}
