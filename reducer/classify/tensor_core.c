#include "classify/tensor_core.h"

#include <stdbool.h>
#include <string.h>

/* Says no even where another word says yes: "sm80_xmma_gemm_f32f32_..._ffma_..." runs on the CUDA
 * cores of an H100, which the substring list of DLProf and its heirs gets wrong. */
static const char NOT_USED[] =
	"=ffma =simt =dfma =hfma2 gemv ^dotkernel splitkreduce splitkv*reduce =gemmk =gemmsn "
	"^maxwell ^volta*sgemm ^volta*dgemm ^volta*cgemm ^volta*zgemm ^volta*hgemm "
	"^ampere*=sgemm ^ampere*=dgemm ^ampere*=cgemm ^ampere*=zgemm ^turing*=sgemm ^turing*=dgemm "
	"^ampere*sgemm ^sgemm ^dgemm ^cgemm ^zgemm convolvesgemm dgradengine wgradalg im2col "
	"=offsets =offset scalkernel globalkernel wgradnchwhelper scudnn =cudnn*winograd "
	"generatewinograd "
	"!16816 !884 !1688 !161616 !tensorop";

/* The list of interop.md section 4 (h884 ... c1688), and what came after it: Hopper's gmma, nvjet,
 * CUTLASS 3 collectives, tcgen05, AMD's mfma and xdl. */
static const char USED[] =
	"884 s1688 h1688 c1688 i8816 16816 16832 161616 168128 =hmma =imma "
	"=qmma =omma =dmma =wmma gmma "
	"tensorop wgmma tcgen umma =utcmma nvjet "
	"xmmaimplicitgemm xmmasparseconv xmmawarpspecialized xmmagemm "
	"xmmasparsegemm xmmafprop xmmadgrad "
	"xmmawgrad firstlayerwgrad dgrad1x1stride2x2 "
	"flashfwd flashbwd flashattn fmha cudnngeneratedfortnativesdpa mfma "
	"=xdl xdlops xdlcshuffle =cijk*=mi =cijk*=mfma "
	"deepgemm fp8gemm fp8blockgemm marlin machete cutlass3x sm90xmma gtcx bmmmxe "
	"collectivemma bmmbfloat bmme4m "
	"kernelcutlass*gemm wgmmagemm";

static const char *const DENSE[] = {"custom.attention", "custom.conv", "custom.rnn", "other"};

static bool may_use(const struct kernel_class *class)
{
	if (class->group == GROUP_MATMUL)
		return true;
	for (size_t i = 0; i < sizeof(DENSE) / sizeof(*DENSE); i++)
		if (strcmp(class->class_name, DENSE[i]) == 0)
			return true;
	return false;
}

int tensor_core_of(const struct identifier *name, const struct kernel_class *class)
{
	if (!may_use(class))
		return 0;
	if (pattern_matches(NOT_USED, &name->whole))
		return 0;
	if (pattern_matches(USED, &name->whole))
		return 1;
	return -1;
}
