#include "classify/rules.h"

/* Stage two: wrappers whose base says nothing, decided by their functor. */

/* ATen's elementwise wrappers. LoadWithCast / StoreWithCast in the arguments say how operands are
 * read, not what is done: no pattern may match them. direct_copy also carries dtype casts. */
static const struct rule ATEN_ELEMENTWISE[] = {
	ARGS("aten.elementwise.copy",
		 "directcopy copykernel copydevicetodevice copykernelimpl bfloat16tofloat32 "
		 "castfunctor copyfunctor identityfunctor copyscalar =copykernelcuda =catarray",
		 COPY),
	ARGS("aten.elementwise.random",
		 "dropout maskedscale bernoulli =uniform =normal distribution =random "
		 "exponentialkernel cauchykernel geometrickernel lognormal philox poisson multinomial "
		 "gammagrad "
		 "randomfromto",
		 RANDOM),
	ARGS("aten.elementwise.loss",
		 "binarycrossentropy bcekernel mseloss msekernel smoothl1 huber kldiv "
		 "nllloss crossentropy "
		 "softmarginloss marginloss hingeembedding poissonnll l1loss",
		 LOSS),
	ARGS("aten.elementwise.norm",
		 "batchnorm layernorm groupnorm rmsnorm instancenorm weightnorm "
		 "renormkernel welford",
		 NORM),
	ARGS("aten.elementwise.softmax", "softmax", SOFTMAX),
	ARGS("aten.elementwise.index",
		 "indexkernel indexput indexcopy indexfill indexadd gatherkernel "
		 "scatterkernel "
		 "indexselect =takekernel takeput maskedscatter putkernel embedding flipkernel",
		 EMBEDDING),
	ARGS("aten.elementwise.conv", "convdepthwise col2im im2col", CONV),
	ARGS("aten.elementwise.quant", "quantize fakequant", QUANT),
	ARGS("aten.elementwise.optimizer", "fusedadam adamupdate sgdupdate", OPTIMIZER),
	ARGS("aten.elementwise.rnn", "lstmcell grucell", RNN),
	ARGS("aten.elementwise.pooling", "upsample pool2d pool3d avgpool maxpool", CUSTOM_OTHER),
	ARGS("aten.elementwise.sort", "sortkey reverseindices", SORT),
	END,
};

static const struct rule ATEN_REDUCE[] = {
	ARGS("aten.reduce.welford", "welford", NORM),
	ARGS("aten.reduce.loss", "crossentropy nllloss", LOSS),
	END,
};

/* torch._foreach and apex: one wrapper for optimizers, gradient norms, scaling and copies. */
static const struct rule MULTI_TENSOR[] = {
	ARGS("multi_tensor.optimizer",
		 "adam lamb*functor lambstage sgdfunctor sgdmath fusedsgd adagrad novograd "
		 "lars*functor rmsprop adadelta lionfunctor fusedmath optimizer fusedoptimize "
		 "nonfinitecheck",
		 OPTIMIZER),
	ARGS("multi_tensor.norm", "l2norm lpnorm normfunctor maxnorm", NORM),
	ARGS("multi_tensor.copy", "=copyfunctor copyfunctor =copy castfunctor", COPY),
	ARGS("multi_tensor.quant", "computescale quantize fp8scale", QUANT),
	END,
};

/* CUTLASS: the kernel is an argument. Attention and convolution before the product: all of them
 * have "gemm" somewhere inside. */
static const struct rule CUTLASS[] = {
	ARGS("cutlass.attention",
		 "flashattn flash::flash =flash fmha attention =mla mladecode flashmla sparsemla "
		 "prefillwithkvcache decodewithkvcache sdpa =mha =attn fwdsm90 fwdsm100",
		 ATTENTION),
	ARGS("cutlass.reduce_splitk", "reducesplitk", GEMM),
	ARGS("cutlass.conv", "fprop dgrad wgrad implicitgemm convuniversal conv2d conv3d deconv =conv",
		 CONV),
	ARGS("cutlass.copy", "copyatom*transposekernel", COPY),
	ARGS("cutlass.gemm", "gemm !=nothing", GEMM),
	END,
};

/* The same after cuDNN: without another word it is a convolution. */
static const struct rule CUTLASS_CUDNN[] = {
	ARGS("cudnn.cutlass.attention", "flash fmha attention sdpa", ATTENTION),
	ARGS("cudnn.cutlass.conv", "fprop dgrad wgrad implicit conv", CONV),
	ARGS("cudnn.cutlass.gemm", "gemm", GEMM),
	END,
};

/* ck_tile::kentry<..., Kernel> and ck's kernel_* carry the kernel's struct. */
static const struct rule CK_TILE[] = {
	ARGS("ck.attention", "fmha unifiedattention attention =mla", ATTENTION),
	ARGS("ck.moe_sorting", "moesorting", EMBEDDING),
	ARGS("ck.conv", "convolution imagetocolumn groupedconv", CONV),
	ARGS("ck.norm", "rmsnorm layernorm groupnorm batchnorm", NORM),
	ARGS("ck.quant", "smoothquant quantkernel =dynamicquant", QUANT),
	ARGS("ck.softmax", "topksoftmax =softmax2d", SOFTMAX),
	ARGS("ck.gemm", "gemm flatmm", GEMM),
	ARGS("ck.copy", "transpose permute =copy", COPY),
	ARGS("ck.reduce", "=reduce reduce2d =pool", REDUCE),
	ARGS("ck.pointwise", "elementwise", POINTWISE),
	END,
};

/* cub, thrust, rocprim, hipcub: the algorithm is in the base (cub) or in the first argument
 * (agents, trampolines). */
static const struct rule PRIMITIVES[] = {
	ARGS("primitive.sort",
		 "radixsort mergesort sortagent mergeagent blocksort onesweep segmentedsort "
		 "sortpairs "
		 "blockmerge devicemerge histogramagent !reducebykey",
		 SORT),
	ARGS("primitive.random", "=random curand philox", RANDOM),
	ARGS("primitive.scan",
		 "scanagent =scan lookback scanimpl scanbykey uniqueagent uniquebykey "
		 "partitionimpl partition =select "
		 "copyif runlength",
		 SORT),
	ARGS("primitive.reduce", "reduceagent reduceimpl =reduce reducebykey segmentedreduce minmax",
		 REDUCE),
	ARGS("primitive.fill", "uninitializedfill =fill fillfunctor", POINTWISE),
	ARGS("primitive.gather", "gather scatter permutationiterator", EMBEDDING),
	ARGS("primitive.copy", "uninitializedcopy =copy identity batchmemcpy", COPY),
	ARGS("primitive.transform", "transform foreach parallelfor tabulate sequence", POINTWISE),
	END,
};

/* Eigen's meta kernel (TensorFlow): the assignment expression. A cast, slice, pad or shuffle counts
 * as a copy only where nothing is computed. */
static const struct rule EIGEN[] = {
	ARGS("eigen.random", "uniformrandom normalrandom =random philox", RANDOM),
	ARGS("eigen.reduction", "tensorreductionop argmax argmin tensortupleretucer", REDUCE),
	ARGS("eigen.gather", "gathernd onehot scatternd gather", EMBEDDING),
	ARGS("eigen.compute", "scalar*op< =select tensorselectop functor::", POINTWISE),
	ARGS("eigen.copy",
		 "tensorconversionop tensorslicing tensorstriding tensorpadding tensorbroadcasting "
		 "tensorshuffling tensorconcatenation tensorchipping tensorreverse tensormirrorpad",
		 COPY),
	END,
};

/* MXNet's generic launcher, mshadow's expression plans. */
static const struct rule MXNET[] = {
	ARGS("mxnet.optimizer",
		 "sgd adam*update adamkernel adamupdate lamb*kernel multi*update ftrl rmsprop "
		 "nagmom",
		 OPTIMIZER),
	ARGS("mxnet.embedding",
		 "takegpu takekernel =take addtakegrad onehot gather scatter pick indexcopy "
		 "embedding",
		 EMBEDDING),
	ARGS("mxnet.random", "dropout sampleuniform samplenormal =random bernoulli", RANDOM),
	ARGS("mxnet.softmax", "softmax", SOFTMAX),
	ARGS("mxnet.norm", "batchnorm layernorm groupnorm", NORM),
	ARGS("mxnet.loss", "smoothl1 crossentropy logisticregression", LOSS),
	ARGS("mxnet.copy",
		 "identitywithcast =transpose =slice sliceassign sliceforward splitkernel =concat "
		 "padkernel "
		 "op::mshadowop::identity =identity tilekernel =reverse transposekernel expandaxes",
		 COPY),
	ARGS("mxnet.reduce", "sumaxes =reduce reduceaxes", REDUCE),
	ARGS("mxnet.sort", "=sort topk", SORT),
	END,
};

/* Paddle's elementwise launchers. */
static const struct rule PADDLE[] = {
	ARGS("paddle.copy",
		 "castfunctor cast*functor assignfunctor copyfunctor transferfunctor castopfunctor "
		 "castdatalayout castop",
		 COPY),
	ARGS("paddle.random", "dropout uniform gaussian =random", RANDOM),
	ARGS("paddle.loss", "crossentropy =loss bceloss huberloss", LOSS),
	ARGS("paddle.optimizer", "adamfunctor adamw momentum sgd lamb rmsprop adagrad", OPTIMIZER),
	ARGS("paddle.embedding", "gather scatter =index lookuptable", EMBEDDING),
	ARGS("paddle.quant", "quant", QUANT),
	END,
};

/* CuTe DSL puts everything after one prefix; only what follows it means something. */
static const struct rule CUTE_DSL[] = {
	BASE("cute.attention", "flashattn attention fmha =mla mladecode flashfwd flashbwd =attn",
		 ATTENTION),
	BASE("cute.conv", "=conv fprop dgrad wgrad implicitgemm", CONV),
	BASE("cute.norm", "rmsnorm layernorm batchnorm groupnorm", NORM),
	BASE("cute.softmax", "softmax", SOFTMAX),
	BASE("cute.loss", "crossentropy", LOSS),
	BASE("cute.sort", "topk =sort", SORT),
	BASE("cute.gemm", "gemm matmul gemv =bmm", GEMM),
	BASE("cute.comm", "allreduce reducescatter allgather", NCCL_CUSTOM),
	BASE("cute.quant", "quant", QUANT),
	BASE("cute.reduce", "=reduce reduction", REDUCE),
	BASE("cute.copy", "transpose =copy", COPY),
	BASE("cute.pointwise", "elementwise swiglu silu gelu =add rope rotary", POINTWISE),
	END,
};

const struct rule RULES_WRAPPER[] = {
	BASE("aten.elementwise.random_grid", "distributionelementwise distributionnullary", RANDOM),
	WRAPPER(
		"aten.elementwise",
		"^elementwisekernel ^vectorizedelementwise ^unrolledelementwise "
		"^legacyelementwise ^gpuelementwise ^kernelpointwiseapply ^vectorizedtemplatedelementwise "
		"^looptemplatedelementwise",
		ATEN_ELEMENTWISE, POINTWISE),
	WRAPPER("aten.reduce", "^reducekernel$", ATEN_REDUCE, REDUCE),
	WRAPPER("multi_tensor", "multitensorapply multitensorkernel", MULTI_TENSOR, POINTWISE),
	WRAPPER("cudnn.cutlass",
			"^cutlasscudnn*::kernel ^cutlass5xcudnn*::kernel "
			"^cutlass*cudnn*::kernel",
			CUTLASS_CUDNN, CONV),
	WRAPPER("cutlass",
			"^cutlass::kernel ^cutlass5x::kernel ^cutlass*::kernel ^devicekernel$ ^gemmkernel$ "
			"^devicekernelwithparams",
			CUTLASS, GEMM),
	WRAPPER("ck_tile", "^kentry", CK_TILE, CUSTOM_OTHER),
	WITHIN("cub.sort", "=cub", "sort onesweep histogram merge", SORT),
	WITHIN("cub.reduce", "=cub", "reduce scan compactinit",
		   REDUCE), /* sums of rows, of prefixes, by key */
	WITHIN("cub.select", "=cub", "select compact unique runlength partition", SORT),
	WITHIN("cub.copy", "=cub", "memcpy copy", COPY),
	WITHIN("cub.pointwise", "=cub", "transform foreach emptykernel", POINTWISE),
	SCOPE_WRAPPER("rocprim", "=rocprim =hipcub", "trampoline transformkernel", PRIMITIVES,
				  CUSTOM_OTHER),
	WRAPPER("thrust.agent", "^kernelagent", PRIMITIVES, POINTWISE),
	WRAPPER("eigen", "^eigenmetakernel", EIGEN, POINTWISE),
	WRAPPER("mxnet", "^mxnetgeneric", MXNET, POINTWISE),
	BASE("mshadow.reduce", "^mapreduce", REDUCE),
	WRAPPER("mshadow", "^mapplan", MXNET, POINTWISE),
	WRAPPER("paddle.elementwise", "^forrangeelemwise ^vectorizedbroadcast ^broadcastkernel", PADDLE,
			POINTWISE),
	WRAPPER("cute", "^kernelcutlass ^cutekernel", CUTE_DSL, CUSTOM_OTHER),
	END,
};
