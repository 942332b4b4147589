#include "doubles/cublas/gemm_name.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array_) (sizeof(array_) / sizeof((array_)[0]))

static char letter(bool transposed)
{
	return transposed ? 't' : 'n';
}

/* A class of no members inside cutlass::Kernel2<>. */
static void in_cutlass(char out[GEMM_NAME], const char *inner)
{
	snprintf(out, GEMM_NAME, "_ZN7cutlass7Kernel2I%zu%sEEvNT_6ParamsE", strlen(inner), inner);
}

/* ---- before capability 9.0 ---- */

static const struct gemm_tile simt_tiles[] = {
	{128, 128, 256, ""}, {128, 64, 128, ""}, {64, 64, 64, ""}, {32, 32, 128, "_sliced1x4"}};

static void simt_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
					  bool split)
{
	(void)split;
	snprintf(out, GEMM_NAME, "ampere_sgemm_%ux%u%s_%c%c", t->m, t->n, t->stages,
			 letter(g->a_transposed), letter(g->b_transposed));
}

static const struct gemm_tile half_tiles[] = {{256, 128, 256, "ldg8%s_f2f_stages_64x3"},
											  {128, 128, 128, "ldg8%s_f2f_stages_32x5"},
											  {128, 64, 128, "ldg8%s_f2f_stages_64x4"},
											  {64, 64, 128, "sliced1x2_ldg8%s_f2f_stages_64x5"}};

static const char *half_type(int type)
{
	return type == TYPE_BF16 ? "bf16" : "fp16";
}

static void half_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
					  bool split)
{
	char stages[64];
	const char *before = strstr(t->stages, "%s");
	(void)split;
	snprintf(stages, sizeof(stages), "%.*s%s%s", (int)(before - t->stages), t->stages,
			 g->epilogue ? "_relu" : "", before + 2);
	if (g->compute == COMPUTE_16F)
		snprintf(out, GEMM_NAME, "ampere_h16816gemm_%ux%u_%s_%c%c", t->m, t->n, stages,
				 letter(g->a_transposed), letter(g->b_transposed));
	else
		snprintf(out, GEMM_NAME, "ampere_%s_s16816gemm_%s_%ux%u_%s_%c%c", half_type(g->a),
				 g->d == TYPE_F32 ? "fp32" : half_type(g->d), t->m, t->n, stages,
				 letter(g->a_transposed), letter(g->b_transposed));
}

static const struct gemm_tile unaligned_tiles[] = {
	{256, 64, 128, "32x4"}, {128, 64, 128, "32x6"}, {64, 64, 128, "32x6"}};

static void unaligned_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
						   bool split)
{
	char inner[128];
	const char *type = g->a == TYPE_BF16 ? "bf16" : "f16";
	(void)split;
	snprintf(inner, sizeof(inner), "cutlass_80_tensorop_%s_s16816gemm_%s%s_%ux%u_%s_%c%c_align%u",
			 type, g->epilogue ? "relu_" : "", type, t->m, t->n, t->stages, letter(g->a_transposed),
			 letter(g->b_transposed), g->align);
	in_cutlass(out, inner);
}

static const struct gemm_tile tf32_tiles[] = {{256, 128, 256, "32x3"},
											  {128, 128, 128, "32x3"},
											  {128, 64, 128, "32x6"},
											  {64, 64, 128, "32x6"}};

static void tf32_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
					  bool split)
{
	char inner[128];
	(void)split;
	snprintf(inner, sizeof(inner), "cutlass_80_tensorop_s1688gemm_%ux%u_%s_%c%c_align%u", t->m,
			 t->n, t->stages, letter(g->a_transposed), letter(g->b_transposed),
			 g->align < 4 ? 1 : 4);
	in_cutlass(out, inner);
}

static const struct gemm_tile double_tiles[] = {{128, 64, 128, "16x3"}, {64, 64, 128, "16x4"}};

static void double_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
						bool split)
{
	char inner[128];
	(void)split;
	snprintf(inner, sizeof(inner), "cutlass_80_tensorop_%s_%ux%u_%s_%c%c_align1",
			 g->a == TYPE_C64 ? "z884gemm" : "d884gemm", t->m, t->n, t->stages,
			 letter(g->a_transposed), letter(g->b_transposed));
	in_cutlass(out, inner);
}

static const struct gemm_tile complex_tiles[] = {{64, 64, 64, ""}};

static void complex_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
						 bool split)
{
	(void)split;
	snprintf(out, GEMM_NAME, "ampere_cgemm_%ux%u_%c%c", t->m, t->n, letter(g->a_transposed),
			 letter(g->b_transposed));
}

static const struct gemm_tile int8_tiles[] = {{256, 128, 256, "64x3"}, {128, 128, 128, "64x4"}};

static void int8_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
					  bool split)
{
	char inner[128];
	(void)split;
	snprintf(inner, sizeof(inner), "cutlass_80_tensorop_i16832gemm_s8_%ux%u_%s_%c%c_align16", t->m,
			 t->n, t->stages, letter(g->a_transposed), letter(g->b_transposed));
	in_cutlass(out, inner);
}

/* ---- from 8.9 and 9.0 on ---- */

static const char *xmma_split(bool split)
{
	return split ? "split_k_" : "";
}

static const struct gemm_tile fp8_tiles[] = {{128, 128, 128, "64_stage3"}};

static void fp8_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
					 bool split)
{
	snprintf(out, GEMM_NAME,
			 "sm89_xmma_gemm_%s%s_%sf32_f32_%c%c_n_tilesize%ux%ux%s_warpsize2x2x1_tensor16x8x32"
			 "_execute_%skernel__5x_cublas",
			 g->a == TYPE_E4M3 ? "e4m3" : "e5m2", g->d == TYPE_BF16 ? "bf16" : "f16",
			 g->b == TYPE_E4M3 ? "e4m3" : "e5m2", letter(g->a_transposed), letter(g->b_transposed),
			 t->m, t->n, t->stages, xmma_split(split));
}

static const struct gemm_tile xmma_simt_tiles[] = {{128, 128, 256, "8_stage3_warpsize2x4x1"},
												   {64, 64, 128, "8_stage3_warpsize1x4x1"}};

static void xmma_simt_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
						   bool split)
{
	snprintf(out, GEMM_NAME,
			 "sm80_xmma_gemm_f32f32_f32f32_f32_%c%c_n_tilesize%ux%ux%s_ffma_aligna4_alignc4"
			 "_execute_%skernel__5x_cublas",
			 letter(g->a_transposed), letter(g->b_transposed), t->m, t->n, t->stages,
			 xmma_split(split));
}

static const struct gemm_tile nvjet_tiles[] = {
	{256, 128, 384, "64x4_2x1_v_bz_coopA"}, {128, 256, 384, "64x4_1x2_h_bz_coopB"},
	{192, 192, 384, "64x4_2x1_v_bz_coopB"}, {128, 128, 384, "64x6_2x1_v_bz"},
	{64, 64, 384, "64x13_2x1_v_bz"},        {64, 8, 384, "64x16_4x1_v_bz"}};

static const char *nvjet_types(const struct gemm *g)
{
	bool fp8 = g->a == TYPE_E4M3 || g->a == TYPE_E5M2 || g->a == TYPE_E2M1;
	if (fp8)
		return g->d == TYPE_BF16 ? "qqtst" : g->d == TYPE_F16 ? "qqhsh" : "qqsss";
	if (g->a == TYPE_BF16)
		return g->d == TYPE_F32 ? "tss" : "tst";
	if (g->a == TYPE_F16)
		return g->d == TYPE_F32 ? "hss" : "hsh";
	return "sss";
}

static void nvjet_name(char out[GEMM_NAME], const struct gemm *g, const struct gemm_tile *t,
					   bool split)
{
	snprintf(out, GEMM_NAME, "nvjet_%s_%ux%u_%s%s%s_%c%c%c", nvjet_types(g), t->m, t->n, t->stages,
			 split ? "_splitK" : "", g->epilogue ? "_bias" : "", g->a_transposed ? 'T' : 'N',
			 g->b_transposed ? 'T' : 'N', t->m >= t->n ? 'T' : 'N');
}

/* ---- which family ---- */

#define FAMILY(name_, extended_)                                     \
	{                                                                \
		name_##_tiles, COUNT(name_##_tiles), name_##_name, extended_ \
	}

static const struct gemm_family simt = FAMILY(simt, false), half = FAMILY(half, false),
								unaligned = FAMILY(unaligned, false), tf32 = FAMILY(tf32, false),
								doubles = FAMILY(double, false), complexes = FAMILY(complex, false),
								int8 = FAMILY(int8, false), fp8 = FAMILY(fp8, false),
								xmma_simt = FAMILY(xmma_simt, false), nvjet = FAMILY(nvjet, true);

static bool is_fp8(int type)
{
	return type == TYPE_E4M3 || type == TYPE_E5M2;
}

static const struct gemm_family *single_family(const struct gemm *gemm, int capability)
{
	if (gemm->compute == COMPUTE_32F || gemm->compute == COMPUTE_32F_PEDANTIC)
		return capability >= 90 ? &xmma_simt : &simt;
	return capability >= 90 ? &nvjet : &tf32;
}

const struct gemm_family *gemm_family(const struct gemm *gemm, int capability)
{
	if (is_fp8(gemm->a) && is_fp8(gemm->b))
		return capability >= 90 ? &nvjet : capability == 89 ? &fp8 : NULL;
	if (gemm->a == TYPE_E2M1 && gemm->b == TYPE_E2M1)
		return capability >= 100 ? &nvjet : NULL;
	if (gemm->a != gemm->b)
		return NULL;
	switch (gemm->a) {
	case TYPE_F32:
		return single_family(gemm, capability);
	case TYPE_F16:
	case TYPE_BF16:
		return capability >= 90 ? &nvjet : gemm->align < 8 ? &unaligned : &half;
	case TYPE_F64:
	case TYPE_C64:
		return &doubles;
	case TYPE_C32:
		return &complexes;
	case TYPE_I8:
		return &int8;
	default:
		return NULL;
	}
}

/* cublasLt::splitKreduce_kernel<32, 16, int, float, T, float, T, true, false, false>. */
void gemm_reduce_name(char out[GEMM_NAME], int type)
{
	bool own = type == TYPE_F16 || type == TYPE_BF16;
	const char *first = type == TYPE_BF16  ? "13__nv_bfloat16fS1_"
						: type == TYPE_F16 ? "6__halffS1_"
										   : "fff";
	snprintf(out, GEMM_NAME,
			 "_ZN8cublasLt19splitKreduce_kernelILi32ELi16Eif%sLb1ELb0ELb0EEEvNS_18cublasSplitK"
			 "ParamsIT4_EEPKT2_PKT3_PT5_%sPfPv%s_Pi",
			 first, own ? "S7_S7_S7_S7_" : "S6_S6_S6_S6_", own ? "lSD" : "lSC");
}
