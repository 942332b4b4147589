#include "classify/rules.h"

/* Names written by a compiler list the operators that were fused: nothing inside them may be
 * matched, only how they begin. */

/* XLA names a fusion after its emitter and root ("loop_add_fusion_3", "input_reduce_fusion",
 * "wrapped_transpose", "gemm_fusion_dot_12"). */
static const struct rule XLA[] = {
	BASE("xla.gemm_fusion", "^gemmfusion ^tritongemm =dot ^cublas ^gemm", GEMM),
	BASE("xla.conv_fusion", "^conv*fusion =convolution", CONV),
	BASE("xla.softmax", "^tritonsoftmax softmax", SOFTMAX),
	BASE("xla.reduce", "reducewindow =reduce", REDUCE),
	BASE("xla.scatter", "scatter =gather dynamicgather", EMBEDDING),
	BASE("xla.sort", "=sort topk", SORT),
	BASE("xla.random", "=rng threefry", RANDOM),
	BASE("xla.copy",
		 "^wrappedconvert ^wrappedcopy ^wrappedslice ^wrappedconcatenate ^wrappedpad "
		 "^wrappeddynamic =transpose =copy =concatenate",
		 COPY),
	END,
};

const struct rule RULES_GENERATED[] = {
	/* Inductor: templates are products (or the template that the name begins with), everything else
	 * is generated pointwise and reduction code: poi, red, per, for, spl, foreach; 2023's
	 * "triton__0d1d2d". */
	BASE("triton.flex_attention",
		 "^tritontem*flexattention ^tritonflexattention ^tritonflexdecoding "
		 "^tritontem*flexdecoding",
		 ATTENTION),
	BASE("triton.conv", "^tritontem*convolution ^tritonconv !=mm !=bmm !=addmm !=baddbmm", CONV),
	BASE("triton.template",
		 "^tritontem ^=tritonmm ^tritonmm ^tritonbmm ^tritonaddmm ^tritonmixedmm "
		 "^tritonscaledmm ^tritonmatmul",
		 GEMM),
	BASE("triton.xla_gemm", "^tritongemm", GEMM),
	BASE("triton.xla_softmax", "^tritonsoftmax", SOFTMAX),
	BASE("triton.fused",
		 "^tritonpoi ^tritonred ^tritonper ^tritonfor ^tritonspl ^tritonunk ^tritonmix "
		 "^tritonfused ^triton0d ^triton0$",
		 TRITON),
	BASE("triton.numbered", "^=triton", TRITON),
	BASE("inductor.cutlass", "^cudafused ^cutlassfused", GEMM),

	WRAPPER("xla.fusion", "=fusion ^wrapped ^loop*fusion ^input*fusion", XLA, POINTWISE),
	BASE("xla.redzone", "redzonechecker", CUSTOM_OTHER),
	BASE("xla.buffer_comparator",
		 "xlafp8e4m3comparison ^xlafp ^xlabf16comparison "
		 "^xlaint8comparison",
		 CUSTOM_OTHER),

	/* nvFuser, NNC of TorchScript, Myelin of TensorRT, MXNet's pointwise fusion, Paddle's CINN:
	   fused pointwise code. */
	BASE("nvfuser", "^nvfuser ^cudacodegen", POINTWISE),
	SCOPE("nvfuser.scope", "^cudacodegen", POINTWISE),
	BASE("mxnet.fused", "^fusedkernel", POINTWISE),
	BASE("tensorrt.myelin", "^myl ^generatednativepointwise", POINTWISE),
	BASE("cinn", "^fnreduce*=fused", REDUCE),
	BASE("cinn.pointwise", "^fn*kernel$ ^fn*=fused", POINTWISE),

	WHOLE("torch.jit_kernel", "^kernel1$ ^kernel2$ ^kernel3$ ^kernel4$ ^kernel5$", POINTWISE),
	END,
};
