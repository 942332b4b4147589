#include "classify/rules.h"

/* By NCCL's generations: "ncclAllReduceRingLLKernel_sum_f32" (2.3-2.7),
 * "ncclKernel_AllReduce_RING_LL_Sum_float" (2.8-2.18), "ncclDevKernel_..." (2.19+),
 * "ncclSymkDevKernel_..." (2.27+), "ncclKernelAllGatherCtran..."; RCCL has "ncclDevKernel_Generic"
 * for everything. */
static const struct rule COLLECTIVES[] = {
	BASE("nccl.alltoall", "alltoall", ALLTOALL),
	BASE("nccl.allreduce", "allreduce", ALLREDUCE),
	BASE("nccl.reducescatter", "reducescatter", REDUCESCATTER),
	BASE("nccl.allgather", "allgather", ALLGATHER),
	BASE("nccl.broadcast", "broadcast bcast", BROADCAST),
	BASE("nccl.sendrecv", "sendrecv =send =recv", SENDRECV),
	BASE("nccl.reduce", "=reduce", NCCL_REDUCE),
	END,
};

/* What kernels on symmetric memory do that are not NCCL's. Those that only signal or wait are of no
 * such kind. */
static const struct rule SYMMETRIC[] = {
	BASE("comm.symmetric.alltoall", "alltoall", ALLTOALL),
	BASE("comm.symmetric.reducescatter", "reducescatter", REDUCESCATTER),
	BASE("comm.symmetric.allgather", "allgather", ALLGATHER),
	BASE("comm.symmetric.allreduce", "allreduce", ALLREDUCE),
	BASE("comm.symmetric.broadcast", "broadcast bcast", BROADCAST),
	BASE("comm.symmetric.reduce", "tilereduce =reduce", NCCL_REDUCE),
	END,
};

/* The libraries of expert parallelism: DeepEP and its forks, MORI, pplx, UCCL, hybrid-EP. */
#define EXPERT_PARALLEL "=deepep deepep hybridep =pplx =uccl =mori =nixlep elasticbuffer"

/* Communication without the name. Words that also mean something inside one GPU ("dispatch",
 * "combine", "all-reduce" over a warp or block) need a scope or a second word. */
const struct rule RULES_COMM[] = {
	BASE("nccl.msccl", "^msccl", NCCL_CUSTOM),
	WRAPPER("nccl.name", "^nccl ^rccl ^pnccl", COLLECTIVES, NCCL_OTHER),
	WHOLE("nccl.annotation.p2p", "^nccl:*send ^nccl:*recv", SENDRECV),
	WHOLE("nccl.annotation", "^nccl:", NCCL_OTHER),
	SCOPE_WRAPPER("nccl.scope", "=nccl =rccl nccldevice", NULL, COLLECTIVES, NCCL_OTHER),

	/* Fused with a product: the product does the work. */
	BASE("comm.fused_gemm", "gemm*allreduce gemm*reducescatter allgather*gemm allreduce*gemm",
		 GEMM),

	/* What they do within one GPU: which token goes where, and in which order. */
	WITHIN("expert_parallel.layout", EXPERT_PARALLEL, "layout", EMBEDDING),
	WITHIN("expert_parallel.local", EXPERT_PARALLEL,
		   "permute =scan preprocess =topk =count !dispatch !combine !notify !barrier !sync !send "
		   "!recv",
		   EMBEDDING),

	/* Dispatch and combine; those and TensorRT-LLM's a2a. */
	SCOPE("comm.deep_ep", EXPERT_PARALLEL, NCCL_CUSTOM),
	SCOPE_WRAPPER("comm.symmetric_memory.scope", "nvshmem symmetricmemory =symmmem", NULL,
				  SYMMETRIC, NCCL_CUSTOM),
	BASE("comm.expert_parallel",
		 "epdispatch epcombine moea2a a2adispatch a2acombine moealltoall alltoall "
		 "cachednotify notifydispatch intranode internode =lowlatency*dispatch =lowlatency*combine "
		 "moeprepare*comm "
		 "moecomm",
		 NCCL_CUSTOM),
	WITHIN("comm.expert_parallel.scope",
		   "internode intranode lowlatency moea2a alltoall moecomm =ep =a2a "
		   "mnnvl",
		   "dispatch combine notify barrier a2a alltoall", NCCL_CUSTOM),
	BASE_ARGS("comm.dispatch_kernel", "^dispatchkernel$ ^combinekernel$",
			  "nvshmem alltoall =ep =rank "
			  "symm",
			  NCCL_CUSTOM),

	/* NVSHMEM, symmetric memory, NVLS multicast, user buffers of Transformer Engine, MSCCL++. */
	WRAPPER("comm.nvshmem", "nvshmem rocshmem ishmem", SYMMETRIC, NCCL_CUSTOM),
	SCOPE("comm.nvshmem.scope", "rocshmem mscclpp =comm =userbuffers quickreduce", NCCL_CUSTOM),
	WRAPPER("comm.multimem", "multimem", SYMMETRIC, NCCL_CUSTOM),
	WRAPPER("comm.symmetric_memory.shots",
			"^oneshotallreduce ^twoshotallreduce ^oneshotreducescatter ^twoshotreducescatter",
			SYMMETRIC, NCCL_CUSTOM),
	BASE("comm.multicast", "multicast*reduce nvls =mnnvl lamport mscclpp userbuffer", NCCL_CUSTOM),
	BASE("comm.symmetric_memory",
		 "^barrierkernel ^putsignal ^waitsignal ^symmmem symmbarrier barrieratstart "
		 "barrieratend =cross*=device barrieronsm",
		 NCCL_CUSTOM),

	/* One- and two-shot all-reduce of vLLM, SGLang, TensorRT-LLM, AITER, quickreduce, DDA. */
	BASE("comm.cross_device",
		 "crossdevice quickreduce =dda oneshot*reduce twoshot*reduce reduce*oneshot "
		 "reduce*twoshot oneshotar =1stage*reduce =2stage*reduce quickallreduce oneshotpush",
		 NCCL_CUSTOM),
	BASE("comm.allreduce",
		 "allreduce !warpallreduce !blockallreduce !ctaallreduce "
		 "!gpuallreduceloss",
		 NCCL_CUSTOM),
	BASE("comm.reducescatter", "reducescatter allgather !permute !embedding", NCCL_CUSTOM),
	BASE("comm.p2p", "^sendrecv ^p2psend ^p2precv p2ptransfer p2pcopy peertopeer =ipc*copy",
		 NCCL_CUSTOM),
	BASE("comm.ring", "ringexchange haloexchange pushpull*halo", NCCL_CUSTOM),
	END,
};
