#include "classify/rules.h"

/* What a GEMM library may hold besides products: seen first, so that "gemm" further down is a
 * product. */
#define NOT_A_PRODUCT                                                                  \
	" !transpose !permute !quantizeper !layout !padding !scalefactor !prepare !setup " \
	"!computeoffset !argument"

const struct rule RULES_DENSE[] = {
	/* Routing of experts: rows are sorted, expanded, counted and put back around the grouped
	   products. */
	BASE("moe.rows",
		 "expandinputrows finalizemoe moepermute moeunpermute ^permutekernel$ permutetokens "
		 "unpermute "
		 "computeexpert expertfirsttoken buildexpertmaps fusedbuildexpert moealign moesorting "
		 "countandsort "
		 "moegather moescatter preparemoe epscatter epgather epmoe*reorder epmoe*permute "
		 "buildexpert "
		 "expertmap scattertokens gathertokens preprocess*expert =permute*=token shufflerows "
		 "computearghelper computeproblemsizes groupedgemmgetgroup getmoe moedata moecount "
		 "blockexpert "
		 "globalexpert expertprefixsum kvindices slotmapping reqtotoken",
		 EMBEDDING),
	BASE("moe.routing",
		 "^routing moerouting =routing fusedgate moefusedgate routermap indicesto multihot "
		 "tokenpermut fusedmoeauxloss auxloss moeauxloss",
		 EMBEDDING),
	BASE("moe.reduce", "moesum moereduce sumreducetopk moesumreduce", REDUCE),
	BASE("moe.topk", "topkgating topksoftmax topksigmoid groupedtopk topkrouter", SORT),

	/* cublasLt's epilogue of a product; fbgemm's rows are index lists even where they are permuted.
	 */
	WITHIN("gemm.epilogue", "=epilogue", "globalkernel", GEMM),
	WITHIN("fbgemm.quant", "fbgemm", "quantize fp8 hfp8 qparam", QUANT),
	WITHIN("fbgemm.rows", "fbgemm", "permute*indices permute*weights permute*lengths offsetsrange",
		   EMBEDDING),

	/* Attention. Softmax kernels of older attention ("scaled_masked_softmax") are softmax; caches
	   are copies. */
	BASE("attention.kv_cache",
		 "reshapeandcache concatandcache setkvbuffer setmlakv appendpagedkv "
		 "=kvcache*store storekvcache storekv writekvcache copytokvcache =kvcache*copy "
		 "updatekvcache "
		 "kvcacheupdate "
		 "setkandscale setkands storecache destindexcopy copykvindex concatmla concatandcast "
		 "gathercache gatherandmaybedequant gatheranddequant cachekernelappend copyblocks "
		 "swapblocks "
		 "!rope !norm !attention !rotary",
		 COPY),
	BASE("attention.name", "attention flashattn !crossattentionmask !attentionmask", ATTENTION),
	BASE("attention.flash",
		 "^flash*fwd ^flash*bwd flashfwd flashbwd =fmha fmhasm ^fmha fmhav2 flashmla "
		 "flashdecod "
		 "^flashprefill flashinfermla mqalogits =sdpa efficientattn =sageattn sagefwd",
		 ATTENTION),
	BASE("attention.words",
		 "=mha =mmha =xqa =gqa =mqa =mla =attn =attns mladecode mlaprefill mlareduce "
		 "mlacombine mlafwd "
		 "mlabwd mlav1 mlapsreduce ^xqa ^pa*=decode ^=pa*=kernel ^pabf16 ^pafp16 "
		 "!=norm !rmsnorm !rope !rotary !softmax",
		 ATTENTION),
	BASE("attention.paged",
		 "batchprefill batchdecode singleprefill singledecode withkvcache "
		 "withpagedkv withraggedkv mergestate mergeattn cascade pagedkv variablelengthmerge "
		 "batchmla reducesegments attnmerge",
		 ATTENTION),
	/* Triton kernels of vLLM, SGLang, LightLLM, flash-attention and the tutorials are only called
	   this. */
	BASE("attention.triton",
		 "^fwdkernel ^bwdkernel$ ^bwdkerneldk ^bwdkerneldq ^bwdkernelone ^bwdkernelkv "
		 "^bwdpreprocess ^bwdkernel*dkdv ^fwdgrouped ^fwdkernelstage ^fwdkerneldecode ^bwddkdv "
		 "^bwddq "
		 "^fwd$ ^attnfwd ^attnbwd ^decodeattn =splitkv contextattn ^bwdinner ^bwdsplitkernel "
		 "^splitkreduce$!=gemm ^parallelattn dotdo",
		 ATTENTION),
	BASE("attention.linear",
		 "chunkgateddelta gateddeltarule deltarule chunkfwdkernel chunkbwdkernel "
		 "chunkgla chunkkda fusedrecurrent recomputewu solvetril chunkscaleddotkkt "
		 "lightningattn linearattn retention chunklocalcumsum =kda prepare*wy chunkdelta "
		 "fwdpreparewy "
		 "bwdpreparewy chunkkernel*=delta",
		 ATTENTION),
	BASE("attention.sparse", "=indexer indexerscore =nsa topkattn sparseattn blocksparse*attn",
		 ATTENTION),
	WITHIN("attention.scope",
		   "pytorchflash =flash flashattn flashinfer*attention fmha aiter*fmha "
		   "pytorchfmha =sdpa",
		   "fwd bwd combine convertdq dodo dotdo preprocess postprocess attn mha", ATTENTION),
	BASE("attention.paged_words", "^=pa*=fwd pagedattention qkvmfma", ATTENTION),

	/* Recurrent networks, before "gemm" and "conv": cuDNN's persistent kernels, MIOpen, state-space
	   scans. */
	BASE("rnn.name",
		 "=rnn =lstm =gru lstm elemwisernn rnnblockpersist persistrnn grucell ^gru =grunit "
		 "rnnpersist wkvforward wkvbackward =wkv =sru",
		 RNN),
	BASE("rnn.state_space",
		 "selectivescan selectivestate chunkscan chunkstate statepassing mambachunk "
		 "=ssd =ssm "
		 "bmmchunk chunkcumsum statesave",
		 RNN),

	/* Convolution, also where it says gemm: cuDNN's *scudnn* and *16816cudnn*, implicit and
	 * explicit convolve, winograd, FFT, xmma fprop/dgrad/wgrad, CUTLASS ImplicitGemm, MIOpen,
	 * igemm. */
	BASE("conv.cudnn_engine",
		 "scudnn cudnn*winograd cudnn*nhwc 884cudnn 1688cudnn 16816cudnn hcudnn icudnn "
		 "i8816cudnn 161616cudnn fp16cudnn",
		 CONV),
	SCOPE("conv.xmma", "xmmacudnn", CONV),
	BASE("conv.name",
		 "convolve convolution conv1d conv2d conv3d winograd =fft*=conv convdepthwise "
		 "depthwise*conv "
		 "dwconv convtranspose deconv !=softconv",
		 CONV),
	BASE("conv.directions", "fprop dgrad wgrad =wrw implicitgemm implicitsgemm bwddata bwdweight",
		 CONV),
	BASE("conv.matrix", "im2col col2im im2d2col col2im2d vol2col col2vol unfoldkernel im2row",
		 CONV),
	SCOPE("conv.fft_scope", "=dse", CONV), /* cuDNN's FFT convolution */
	BASE("conv.fft", "^fft1d ^fft2d ^fft3d ^flip*filter pointwisemultandsum flipfilter biasdiff",
		 CONV),
	BASE("conv.miopen",
		 "^miopen*conv miopensp3 ^igemm naiveconv gcnasmconv gridwiseconv ^mlo*conv "
		 "miopengcnasmconv transposexdlopsconv ^gridwise",
		 CONV),
	BASE("conv.word",
		 "=conv convforward convbackward convfwd convbwd causalconv ^conv shortconv "
		 "!convert !=converter !convergence",
		 CONV),
	WITHIN("conv.cask", "caskcudnn caskplugincudnn cask5xcudnn", "compute*offsets computebatched",
		   CONV),
	BASE("conv.offsets", "computeoffsetskernel computewgradsplit computebnoffsets", CONV),
	BASE("conv.words_in_filter", "filterforward filterbackward backwardfilter backwarddata*kernel",
		 CONV),

	/* Around a product: rows that are not one. */
	BASE("gemm.layout", "transposeandpack packfp32into ue8m0 gemm*transpose transpose*gemm", COPY),
	BASE("gemm.quantised_prepare", "^dequantizeblock ^dequantizerow", QUANT),
	BASE("gemm.gather",
		 "getgroupgemmstarts groupgemmstarts groupedgemmargs setgroupedgemm "
		 "groupgemmprepare",
		 EMBEDDING),

	/* Products: cuBLAS since Maxwell, cuBLASLt, CUTLASS, nvjet, Tensile, rocBLAS, and the quantised
	   ones. */
	BASE("gemm.nvjet", "^nvjet", GEMM),
	BASE("gemm.tensile", "^cijk ^usercijk ^customcijk", GEMM),
	BASE("gemm.name", "gemm !gemma*norm !gemma*rope" NOT_A_PRODUCT, GEMM),
	BASE("gemm.matmul",
		 "matmul =bmm =mm =einsum =baddbmm =outerproduct =grouped*=mm =linear ^mulmat "
		 "mulmatq mulmatvec kqvmatmul batchedmm =addmm scaledmm matvec "
		 "!scattermatmul !matmulogsreduce" NOT_A_PRODUCT,
		 GEMM),
	BASE("gemm.gemv",
		 "gemv dotkernel reduce1block =dotc =dotu ^gevm =ger splitkreduce "
		 "splitkernelreduce",
		 GEMM),
	BASE("gemm.blas3",
		 "=syrk =trmm =symm =trsm =syr2k =herk =hemm =her2k trsm =trmv =symv =hemv =trsv", GEMM),
	BASE("gemm.blas1",
		 "=axpy axpykernel scalkernel =scal =rot asumkernel nrm2kernel iamax iamin =rotg "
		 "^asum ^nrm2 ^scal2 !=axpyfunctor",
		 GEMM),
	BASE("gemm.sparse", "spmm sddmm csrmm csrmv spmv coomm", GEMM),
	BASE("gemm.split_k", "wvsplitk splitkwv llmm1 splitkgroup =splitk streamk*reduce", GEMM),
	BASE("gemm.quantised",
		 "marlin machete exllama quickawq awqmm dequantmm flatmm ^f4gemm ^f8f8bf16 ^bf16i4 "
		 "^f8i4 q4matmul qmatmul matmul4bit wqlinear =w4a16 =w4a8 =w8a8 mfma =wmma projection "
		 "kernelmoe*gemm ^fmoe moemk1 =moe2stage",
		 GEMM),
	BASE("gemm.fused_moe",
		 "^fusedmoekernel ^fusedmoe$ fusedmoe ^invokefusedmoe moekernel moestage "
		 "moedown =moe*=gate*=up moemm "
		 "moegu ^fmoe groupedmm megamoe",
		 GEMM),
	BASE("gemm.cutlass_names", "^cutlass*tensorop ^cutlass*simt ^cutlass*wmma ^cutlass3x ^cutlass",
		 GEMM),
	BASE("gemm.cublas_names",
		 "^cublas ^hipblas ^rocblas ^sm80xmma ^sm90xmma ^sm86xmma ^sm75xmma "
		 "^sm70xmma ^xmma",
		 GEMM),
	SCOPE("gemm.cublas_scope", "=cublaslt =cublas =cublasdx =rocblas =hipblaslt gemvx gemmsn",
		  GEMM),
	END,
};
