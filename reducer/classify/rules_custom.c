#include "classify/rules.h"

/* Everything that is neither a product, attention nor communication. The order inside settles names
 * with two words: the operator that gives a fused kernel its shape comes first (norm before quant,
 * loss before softmax). */
const struct rule RULES_CUSTOM[] = {
	/* Words that mean something else than they seem. */
	BASE("rope",
		 "rotary =rope ropeemb ropekernel applyrope fusedrope ropequant =ropes =posenc mrope "
		 "ropeandquant qkrope ropefused ropeneox ropenorm =sbhd =thd*cached !=norm !rmsnorm "
		 "!qknorm",
		 POINTWISE),
	BASE("bn.conv_fused", "convertbn", POINTWISE),
	BASE("miopen.set", "subtensoropwithscalar", POINTWISE), /* sets or scales a tensor */
	BASE("miopen.copy", "subtensoropwith", COPY),

	BASE("optimizer.name",
		 "adam !=adaptive =lamb lambstage lambphase lambupdate =lars =lion adagrad "
		 "adadelta rmsprop "
		 "applymomentum =sgd fusedsgd sgdmom sgdkernel sgdupdate momentumkernel momentumupdate "
		 "multiplysgd novograd "
		 "optimizer* applygradient gradientdescent =ftrl nagmom adafactor shampoo =muon "
		 "optimizerstep splitembedding*=step !splitembedding !fbgemm",
		 OPTIMIZER),
	BASE("optimizer.amp",
		 "ampupdatescale ampforeach nonfinitecheck checkfinite unscale updatelossscal "
		 "overflowcheck ampscale multiallfinite",
		 OPTIMIZER),

	BASE("loss.name",
		 "crossentropy nllloss classnll nllcriterion =xent xentropy softmaxxent mseloss l1loss "
		 "smoothl1 focalloss "
		 "ctcloss ctcalpha "
		 "ctcloss* ctcgrad hingeloss bceloss tripletmargin kldiv =loss lossforward lossbackward "
		 "lossgrad logprobforward marginloss marginrank kllossf logpkernel =grpo =ppo =dpo rnnt",
		 LOSS),

	BASE("norm.layer",
		 "layernorm rmsnorm groupnorm lpnorm instancenorm batchnorm l2norm lnfwd lnbwd =ln "
		 "lnkernel "
		 "t5layernorm addnorm normadd =norm normkernel normquant qknorm normalize "
		 "!=topknorm",
		 NORM),
	BASE("norm.bn",
		 "^bnfw ^bnbw =bn bnforward bnbackward bnorm bninf bntrain spatialbn bnfinalize "
		 "bnaddrelu bngamma",
		 NORM),
	BASE("norm.parts",
		 "gammabeta rowwisemoments computefusedparams computeinternalgradients welford "
		 "computemeanandvar "
		 "computegradgamma computegradinput computepart*gamma meanandvar meanvar calcinvstd "
		 "computeinvstd weightnorm layernormgrad crossmaplrn =lrn computebackwardfusedparams "
		 "1dbackward*=gn gnsum gnscale",
		 NORM),

	BASE("random.dropout", "dropout masksscale maskedscale", RANDOM),
	BASE("random.name",
		 "random philox bernoulli curand =rand =rng multinomial =uniform "
		 "=gaussian fillwithdistribution generateseed initcurand threefry mtgp xorwow "
		 "samplegamma poissonkernel dirichlet gammagrad =distribution normaldistribution "
		 "rejectionsample "
		 "=sampling samplingfrom samplemultinomial speculativesampling gumbel =rrelu",
		 RANDOM),
	BASE("sample.topp", "toppsampl topksampl topksampling minpsampl samplekernel =sample", RANDOM),

	BASE("softmax.name", "softmax =softmin sparsemax logsumexp logsoftmax generatenormalizedprob",
		 SOFTMAX),

	BASE(
		"quant.name",
		"quantiz quantise =quant quant =dequant fakequant pertokenscale scaledfp8 fp8cast "
		"castfp8 "
		"mxfp4 nvfp4 mxfp8 fp4scale scaledfp4 amaxkernel computescale perchannelscale rowwisescale "
		"absmax =int8*convert doublerowcol colrowstats 8bitrowwise nbitrowwise tofused*rowwise "
		"smoothscale =amax packfp4 "
		"delayedscaling updateamax upcastmxfp downcasttomxfp !quantile",
		QUANT),
	BASE("quant.cast_transpose",
		 "casttranspose castonlykernel cast*transpose*dbias castmxfp casttofp8 "
		 "fp8transpose",
		 QUANT),

	BASE("sort.name",
		 "=sort sortkernel radixsort bitonic mergesort argsort =topk topk kthvalue mergek "
		 "radixfindkth "
		 "gathertopk blockselect warpselect segmentedsort histogram bincount msort onesweep "
		 "radixselect "
		 "=sbtopk =mbtopk findthreshold reverseindices sortpostprocess =nms nmskernel uniquebykey "
		 "fillindexandsegment countradix sortbykey =sorting sortpairs batchtopk",
		 SORT),
	BASE("sort.scan",
		 "=scan scankernel scaninit scanouter scaninner prefixsum cumsum cumprod cummax "
		 "cummin cumulative "
		 "deviceselect compactinit selectif lookback =unique runlength exclusivesum inclusivesum "
		 "logcumsum selectsweep partitionkernel",
		 SORT),

	BASE("embedding.name",
		 "embedding !patchembed embbag splitemb lookuptable wordemb posemb "
		 "keyembed indexselect indexing indexadd indexput indexcopy indexfill =index "
		 "indexelementwise "
		 "vectorizedgather getrows takekernel onehot computegradweight krnpartial partialsegment "
		 "partialspersegment "
		 "computenumofpartial segmentoffset sumandscatter nonzero writeindices",
		 EMBEDDING),
	BASE("embedding.gather",
		 "gather =scatter scatter =take unsortedsegment segmentsum segmentreduction "
		 "sparsesegment "
		 "dynamicstitch dynamicpartition sortedsegment",
		 EMBEDDING),
	BASE("embedding.jagged",
		 "jagged permute2d permute1d permutesparse =tbe =vbe boundscheck bucketize "
		 "lxucache "
		 "lrucache lfucache linearizecache hashzch linearize*indic lengthsrange batchedunary "
		 "expandinto "
		 "invertpermute permutepooled permutemulti recatp",
		 EMBEDDING),
	BASE("embedding.moe", "=moe =expert =experts =router moeinput fmoe", EMBEDDING),

	/* Pooling and resampling: a window of neighbours, no class of its own. */
	BASE("pool",
		 "pooling maxpool avgpool averagepool adaptiveaverage adaptivemax adaptiveavg "
		 "=pool poolforward poolbackward pool2d pool3d lppool roialign roipool maxunpool",
		 CUSTOM_OTHER),
	BASE("resample",
		 "upsample downsample resize interpolat gridsampl bilinear bicubic nearestneighbor "
		 "affinegrid croppingand cropand croplayer",
		 CUSTOM_OTHER),
	BASE("solve",
		 "getrf getrs getri potrf potrs geqrf cholesky ludecomp =lu lufactor luunpack trsolve "
		 "triangular =svd syev =eig gesvd jacobi =qr inverse",
		 CUSTOM_OTHER),
	BASE("fft", "fft =dct =stft", CUSTOM_OTHER),
	BASE("cudnn.distill", "deformable =nerf =raster rasteriz voxel ballquery furthestpoint =knn",
		 CUSTOM_OTHER),

	/* Fused with a cast, but they compute. */
	BASE("pointwise.gated", "=gated gatedact swiglu geglu reglu siluandmul siluact geluact",
		 POINTWISE),

	/* Copies: concatenation, splitting, padding, layout changes, casts. */
	BASE(
		"copy.cat",
		"^catarray catarraybatched =concat concat ^=cat$ ^=cat*=kernel splitkernel splitwithsizes "
		"split*cat chunkcat =stack =unstack splitop splitv =chunk unbind packkernel* =pack =unpack "
		"!packed !reduce",
		COPY),
	BASE("copy.layout",
		 "nchwto nhwcto tonchw tonhwc transpos =permute permutekernel permutedims "
		 "reformat swapdim swapaxes swapdimension shuffleintensor nhwc2nchw nchw2nhwc "
		 "layouttransform "
		 "converttensor changelayout permuteand* permutationkernel addpaddingkernel tensorpermut "
		 "dimshuffle "
		 "transformrowtoformat rowtoformat interleave deinterleave channelshuffle !quant",
		 COPY),
	BASE("copy.name",
		 "=copy =cpy copykernel memcpy =cast castkernel copydevice stridedcopy batchedcopy "
		 "copylowbits "
		 "convertkernel =convert converttype datatypeconver copyto copyfrom contiguouskernel "
		 "gpucopy tensorcopy tensormemcpy copytensor bulkcopy copyunpadded copypadded "
		 "floattohalf halftofloat fp32tofp16 fp16tofp32 tobf16 float2half half2float",
		 COPY),
	BASE("copy.slice",
		 "=slice sliceforward slicekernel =pad padkernel paddingkernel padinput padfwd padding "
		 "^=tile tilekernel !singletile =repeat repeatkernel reflectionpad replicationpad "
		 "constantpad "
		 "=unpad rollcuda "
		 "rollkernel =roll =flip flipkernel =reverse spacetodepth depthtospace spacetobatch "
		 "pixelshuffle "
		 "fusedpad multipad =expand broadcastto",
		 COPY),

	BASE("pointwise.bias",
		 "biasnhwc biasnchw addbias biasadd =bias*=add biasact biasgelu biasrelu "
		 "biasdropout !biasgrad",
		 POINTWISE),
	BASE("reduce.bias_grad",
		 "biasgrad biasbackward columnreduc rowreduc colsum rowsum columnsum "
		 "reducebias dbias "
		 "bgrad !=act",
		 REDUCE),
	BASE("pointwise.activation",
		 "gelu silu swish relu sigmoid tanh activation actandmul =glu swiglu "
		 "geglu reglu "
		 "=mish softplus hardtanh =elu andmul =act =prelu",
		 POINTWISE),
	BASE("reduce.name",
		 "reduce reduction =sum =mean argmax argmin =maxabs sumofsq =minmax =amin =var =std "
		 "allclose foreachnorm =logsum blocknorm gradnorm =max$ norm2",
		 REDUCE),
	BASE("pointwise.name",
		 "elementwise pointwise =eltwise binaryop unaryop ternaryop broadcastkernel "
		 "fillkernel "
		 "=fill =add addkernel =mul mulkernel =scale =axpby =sub =div =where optensor tensorop "
		 "genericop opgenerictensor scaletensor addtensor tensorscal scalepacked arange rangeinit "
		 "=range "
		 "linspace triu tril =eye maskedfill =mask applymask =clamp =residual =zero zeros =ones "
		 "=set "
		 "setvalue settensor setconstant =lerp addcmul addcdiv opkernel =exp =sqrt =square =pow "
		 "=log "
		 "devicetransform deviceforeach parallelfor transformkernel adjust biasrelu1d op1d op2d "
		 "op3d op4d op5d "
		 "binbcast penalty penalties temperature logits =iota =compare =select =maximum =minimum "
		 "=multiply =subtract =divide =negate =rsqrt =abs =floor =round =sign =cos =sin =bias "
		 "opactivation mapplan broadcast addresidual =gate gating initkernel =init fusedpointwise",
		 POINTWISE),
	END,
};

/* When the base says nothing known: the library it comes from. */
static const struct rule FBGEMM[] = {
	ARGS("fbgemm.quant", "quantize", QUANT),
	END,
};

const struct rule RULES_FALLBACK[] = {
	WRAPPER("fallback.fbgemm.base", "^splitembedding", FBGEMM, EMBEDDING),
	SCOPE("fallback.fbgemm", "fbgemm", EMBEDDING),
	SCOPE("fallback.attention", "flashattn pytorchflash =flash fmha attention =mla sageattn",
		  ATTENTION),
	SCOPE("fallback.norm", "layernorm rmsnorm batchnorm =norm", NORM),
	SCOPE("fallback.cudnn_conv", "cudnn::cnn cudnn::conv cudnn*winograd", CONV),
	SCOPE("fallback.rnn", "=rnn =lstm", RNN),
	SCOPE("fallback.softmax", "softmax", SOFTMAX),
	SCOPE("fallback.quant", "quantiz =quant", QUANT),
	SCOPE("fallback.gemm", "=gemm deepgemm =cutlass =matmul", GEMM),
	SCOPE("fallback.moe", "=moe =routing", EMBEDDING),
	SCOPE("fallback.sort", "=cub =thrust =rocprim =hipcub", CUSTOM_OTHER),
	SCOPE("fallback.optimizer", "adam =lamb optimizer", OPTIMIZER),
	SCOPE("fallback.embedding", "embedding", EMBEDDING),
	SCOPE("fallback.framework",
		  "at::native =at =caffe2 =apex =vllm =sgl =sglang =flashinfer tensorrtllm "
		  "=aiter "
		  "transformerengine =tensorflow =mxnet =mshadow =paddle =phi =cudnn =miopen =eigen =c10 "
		  "=torch "
		  "=xformers fastertransformer =cute deepspeed =megatron bitsandbytes =xla =lightseq "
		  "=onnxruntime",
		  CUSTOM_OTHER),
	BASE("fallback.fused", "^fused =fused", POINTWISE),
	BASE("fallback.miopen", "^miopen ^mlo", CUSTOM_OTHER),
	BASE("fallback.fusion_name", "fusion", POINTWISE),
	/* Somebody's own kernel: a template, or called a kernel; names that every compiler gives stay
	   unknown. */
	BASE("fallback.cudnn_generated", "^cudnngenerated ^cudnn", CUSTOM_OTHER),
	{"fallback.kernel", "kernel !^kernel$ !^mainkernel$ !^main", NULL, "<", NULL,
	 CLASS_CUSTOM_OTHER, NULL},
	BASE("fallback.kernel_name", "kernel !^kernel !^main", CUSTOM_OTHER),
	SCOPE("fallback.scope", "::", CUSTOM_OTHER),
	END,
};
