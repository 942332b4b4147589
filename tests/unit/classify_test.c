/* The classifier against names of our own making: every family's traps, and input nobody meant as a
 * name. */
#include "classify/class_cache.h"
#include "classify/classify.h"
#include "classify/identifier.h"
#include "classify/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void check(int ok, const char *what, const char *got)
{
	if (ok)
		return;
	printf("FAIL %s (got %s)\n", what, got);
	failures++;
}

struct expected {
	const char *name, *class;
};

/* Keeps out: the wrong group for a name whose words mislead. */
static const struct expected NAMES[] = {
	/* products: "gemm" missing, or beside other words */
	{"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816_made_up_tn>(Made::Params)",
	 "matmul.gemm"},
	{"nvjet_abc_8x8_1x1_v_TNN", "matmul.gemm"},
	{"Cijk_Made_Up_MT8x8x8.kd", "matmul.gemm"},
	{"void internal::gemvx::kernel<int, float, 3>(Made)", "matmul.gemm"},
	{"triton_tem_fused_layer_norm_softmax_9", "matmul.gemm"},
	{"std::enable_if<(((8)>(0)))&&((8)<=(16)), void>::type "
	 "internal::gemvMade_kernel<(int)8>(Made<float>)",
	 "matmul.gemm"},
	{"void cublasLt::made::helper<float>(int)", "matmul.gemm"},
	/* "gemm" present, no product */
	{"void moe_gemm::expandInputRowsMadeUp<float>(int)", "custom.embedding"},
	{"void deep_gemm::made_mqa_logits<1u>(int)", "custom.attention"},
	{"void fbgemm_gpu::made_up_lookup<float>(int)", "custom.embedding"},
	{"made_scudnn_64x64_relu_nn_v1", "custom.conv"},
	{"implicit_convolve_sgemm", "custom.conv"},
	{"void cutlass_cudnn::Kernel<cutlass_tensorop_s1688fprop_made>(Made)", "custom.conv"},
	{"sm80_xmma_wgrad_implicit_gemm_made_up", "custom.conv"},
	/* wrappers decided by their functor */
	{"void at::native::elementwise_kernel<128, 4, "
	 "at::native::direct_copy_kernel_cuda(int)::{lambda()#1}>(int)",
	 "memory.copy_kernel"},
	{"void at::native::unrolled_elementwise_kernel<at::native::MadeFunctor<float>, "
	 "at::detail::Array<char*, 3>, "
	 "at::native::memory::LoadWithCast<2>, at::native::memory::StoreWithCast<1> >(int)",
	 "custom.pointwise"},
	{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
	 "at::native::WelfordOps<float> > >(int)",
	 "custom.norm"},
	{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
	 "at::native::MadeOps<float> > >(int)",
	 "custom.reduce"},
	{"void multi_tensor_apply_kernel<TensorListMetadata<4>, MadeAdamFunctor<float> >(long)",
	 "custom.optimizer"},
	{"void multi_tensor_apply_kernel<TensorListMetadata<1>, L2NormMadeFunctor<float> >(long)",
	 "custom.norm"},
	{"void cutlass::device_kernel<flash::made_up<flash::FlashAttnMade> >(int)", "custom.attention"},
	{"kernel_cutlass_kernel_made_upRMSNormThing_object_at__0", "custom.norm"},
	{"void ck_tile::kentry<256, 2, ck_tile::FmhaMadeKernel<ck_tile::GemmThing> >(void)",
	 "custom.attention"},
	/* words inside words */
	{"void made::lambda_holder<int>(int)", "custom.other"},
	{"void vllm::rotary_embedding_made<float>(int)", "custom.pointwise"},
	{"triton_poi_fused_addmm_convolution_nccl_3", "custom.triton"},
	{"made_normal_fill", "custom.pointwise"},
	{"SubTensorOpWithScalarMade2d", "custom.pointwise"},
	{"SubTensorOpWithCastTensorMade1d", "memory.copy_kernel"},
	{"transpose_NCHW2CNHW_made_up", "memory.copy_kernel"},
	{"void MADE_NAMESPACE::permutationKernelMade<float>(int)", "memory.copy_kernel"},
	{"void made::PosEncKernel<float>(int)", "custom.pointwise"},
	{"blockAllReduce_made", "custom.reduce"},
	{"void made::all_reduce_peers<4>(int)", "nccl.custom"},
	/* communication */
	{"ncclDevKernel_AllReduce_Made_f32_RING_LL(ncclArgs)", "nccl.allreduce"},
	{"ncclKernel_ReduceScatter_RING_LL_Sum_float", "nccl.reducescatter"},
	{"ncclDevKernel_Generic_7", "nccl.other"},
	{"void deep_ep::made::combine<1>(int)", "nccl.custom"},
	/* it only works out which token goes where, and sends nothing */
	{"void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)",
	 "custom.embedding"},
	{"void hybrid_ep::scan<512, 64>(bool const*)", "custom.embedding"},
	{"void deep_ep::intranode::notify_dispatch<8>(int const*)", "nccl.custom"},
	{"void hybrid_ep::dispatch_with_permute<8>(int const*)", "nccl.custom"},
	{"void deep_ep::intranode::barrier<8>(int**, int)", "nccl.custom"},
	/* symmetric memory, by what it does */
	{"void c10d::(anonymous namespace)::two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(int)",
	 "nccl.allreduce"},
	{"one_shot_all_reduce_kernel<c10::BFloat16, 16, 8>", "nccl.allreduce"},
	{"void c10d::symmetric_memory::multimem_all_gather_kernel<16>(char*)", "nccl.allgather"},
	{"void c10d::nvshmem_extension::allToAllV(int)", "nccl.alltoall"},
	{"void c10d::symmetric_memory::put_signal_kernel(int)", "nccl.custom"},
	{"void c10d::symmetric_memory::barrier_kernel(int)", "nccl.custom"},
	{"void other_project::intranode::dispatch<1>(int)", "nccl.custom"},
	{"void made::cross_device_reduce_3stage<float>(int)", "nccl.custom"},
	/* memcpy, memset in many spellings */
	{"[CUDA memcpy DtoD]", "memory.memcpy"},
	{"[CUDA memcpy Host-to-Device]", "memory.memcpy"},
	{"Memcpy DtoH (Device -> Pinned)", "memory.memcpy"},
	{"MEMCPYDtoD", "memory.memcpy"},
	{"MemcpyH2D", "memory.memcpy"},
	{"CopyHostToDevice", "memory.memcpy"},
	{"CUDA_MEMCPY_KIND_HTOD", "memory.memcpy"},
	{"__amd_rocclr_copyMade.kd", "memory.memcpy"},
	{"Memset (Device)", "memory.memset"},
	{"[CUDA memset]", "memory.memset"},
	{"void routing::kernelWithMemsetInside<int>(int)", "custom.embedding"},
	/* the same name as nsys, Kineto and CUPTI print it, and cut short */
	{"void at::native::<unnamed>::MadeArrayBatchedCopy_Cat<at::native::<unnamed>::Opaque<(unsigned "
	 "int)4>, (int)3>(T1 *)",
	 "memory.copy_kernel"},
	{"void at::native::(anonymous namespace)::softmax_warp_made<float, 9>(float*)",
	 "custom.softmax"},
	{"_ZN2at6native12_GLOBAL__N_117softmax_warp_madeIfLi9EEEvPf", "custom.softmax"},
	{"_ZN2at6native29vectorized_elementwise_kernelILi4EZNS0_23direct_copy_kernel_cudaEvEUlfE_EEvi",
	 "memory.copy_kernel"},
	{"void at::native::(anonymous namespace)::softmax_warp_made<float, at::nat", "custom.softmax"},
	{"void made_layer_norm_kernel<float>(int) [clone .kd]", "custom.norm"},
	{"wrapped_transpose_1", "memory.copy_kernel"},
	{"loop_made_up_fusion_12", "custom.pointwise"},
	{"", "other"},
	{"what_is_this", "other"},
};

static void check_names(const struct classifier *classifier)
{
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
		struct kernel_class class;
		classifier_name(classifier, NAMES[i].name, strlen(NAMES[i].name), &class);
		check(strcmp(class.class_name, NAMES[i].class) == 0, NAMES[i].name, class.class_name);
	}
}

/* Keeps out: FFMA kernels counted as tensor core work, and Hopper's missed. */
static void check_tensor_cores(const struct classifier *classifier)
{
	static const struct {
		const char *name;
		int tensor_core;
	} cases[] = {
		{"sm80_xmma_gemm_f32f32_made_ffma_up", 0},
		{"nvjet_made_up", 1},
		{"igemm_fwd_gtcx9_nhwc_made", 1},
		{"SubTensorOpWithScalarMade2d", 0},
		{"volta_sgemm_made_nn", 0},
		{"volta_fp16_s884gemm_made_nn", 1},
		{"void cutlass::Kernel2<cutlass_80_simt_sgemm_made>(int)", 0},
		{"void flash_fwd_made<int>(int)", 1},
		{"void made_layer_norm<float>(int)", 0},
		{"made_grouped_gemm", -1},
		{"what_is_this", -1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kernel_class class;
		char got[16];
		classifier_name(classifier, cases[i].name, strlen(cases[i].name), &class);
		snprintf(got, sizeof(got), "%d", class.tensor_core);
		check(class.tensor_core == cases[i].tensor_core, cases[i].name, got);
	}
}

struct parts {
	const char *name, *scope, *base;
};

/* Keeps out: a base identifier lost to brackets that are none. */
static void check_identifiers(void)
{
	static const struct parts cases[] = {
		{"void a::b<c>::d<e, f<g> >(int)", "a::b::", "d"},
		{"std::enable_if<(((8)>(0)))&&((4)<(8)), void>::type x::my_thing<(int)4>(int)",
		 "x::", "mything"},
		{"void (anonymous namespace)::foo<(lambda)>(int)", "", "foo"},
		{"void <unnamed>::foo<a::<unnamed>::b, [lambda() (instance 1)]>(int)", "", "foo"},
		{"decltype(auto) ns::foo<a->b>(x)", "ns::", "foo"},
		{"foo<bar<", "", "foo"},
		{">>> )))foo", "", ">>>)))foo"},
		{"foo [clone .kd] [4158]", "", "foo"},
		{"ns::thing::kernel<1>(int)", "ns::thing::", "thing::kernel"},
		{"_ZN3abc3defILi4EEEvi", "abc::", "def"},
		{"_Z3defILi4EEvi", "", "def"},
		{"_ZN3abc99def", "abc::", "def"},
		{"_ZN", "", "zn"},
	};
	static struct identifier id;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		identifier_parse(&id, cases[i].name, strlen(cases[i].name));
		check(strcmp(id.scope.text, cases[i].scope) == 0, cases[i].name, id.scope.text);
		check(strcmp(id.base.text, cases[i].base) == 0, cases[i].name, id.base.text);
	}
}

/* Keeps out: a crash, a read past the end or quadratic time on input that is no name. */
static void check_hostile(const struct classifier *classifier)
{
	enum { BYTES = 1 << 20 };
	static const char fills[] = "<>()[]{}: _*aZ9\xff\0I";
	char *name = malloc(BYTES);
	if (!name)
		return check(0, "hostile input", "no memory");
	for (size_t i = 0; i < sizeof(fills); i++) {
		struct kernel_class class;
		memset(name, fills[i], BYTES);
		classifier_name(classifier, name, BYTES, &class);
		memcpy(name, "_ZN", 3);
		classifier_name(classifier, name, BYTES, &class);
		check(class.group < GROUP_COUNT, "hostile group", class.rule);
	}
	unsigned seed = 1;
	for (int round = 0; round < 2000; round++) {
		struct kernel_class class;
		size_t bytes = (size_t)round % 97;
		char *exact =
			malloc(bytes + 1); /* its end is the end of the allocation, for the sanitizer */
		for (size_t i = 0; exact && i < bytes; i++) {
			seed = seed * 1103515245u + 12345u;
			exact[i] = round % 2 ? (char)(seed >> 16) : "_ZN3ab<>(): SI*"[(seed >> 16) % 15];
		}
		if (exact)
			classifier_name(classifier, exact, bytes, &class);
		free(exact);
	}
	free(name);
}

/* Keeps out: a pattern that can never match because folding removed what it asks for. */
static void check_table(const struct rule *table)
{
	for (const struct rule *rule = table; rule->id; rule++) {
		const char *patterns[] = {rule->base, rule->scope, rule->args, rule->whole};
		for (size_t i = 0; i < 4; i++)
			for (const char *c = patterns[i] ? patterns[i] : ""; *c; c++)
				check(*c != '_' && !(*c >= 'A' && *c <= 'Z'), rule->id, patterns[i]);
		for (const struct rule *before = table; before < rule; before++)
			check(strcmp(before->id, rule->id) != 0, "rule id twice", rule->id);
		if (rule->functors)
			check_table(rule->functors);
	}
}

static void check_seed(void)
{
	static const struct expected cases[] = {
		{"ampere_made_sgemm", "matrix-mul"},
		{"void fbgemm::x", "matrix-mul"},
		{"made_GEMM", "other"},
		{"[CUDA memcpy HtoD]", "memory_mgmt"},
		{"Memcpy HtoD (Pageable -> Device)", "other"},
		{"xNcClx", "memory_mgmt"},
		{"void at::native::copy_device_to_device<int>", "memory_mgmt"},
		{"void at::native::made<int>", "custom_ops"},
		{"_ZN2at6native4madeIiEvi", "custom_ops"},
		{"x_cpp1_ii_x", "custom_ops"},
		{"x_cppl_ii_x", "custom_ops"},
		{"nvjet_made", "other"},
	};
	char message[256];
	struct classifier *classifier;
	if (classifier_open("seed", NULL, message, sizeof(message), &classifier))
		return check(0, "seed taxonomy", message);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kernel_class class;
		classifier_name(classifier, cases[i].name, strlen(cases[i].name), &class);
		check(strcmp(class.class_name, cases[i].class) == 0, cases[i].name, class.class_name);
		const char *label = classifier_group_label(classifier, &class);
		check(strcmp(label, cases[i].class) == 0, cases[i].name, label);
	}
	classifier_close(classifier);
	check(classifier_open("made", NULL, message, sizeof(message), &classifier) != 0, "taxonomy",
		  message);
}

static int open_with(const char *text, char *message, size_t bytes, struct classifier **out)
{
	char path[] = "/tmp/classify_test.XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		snprintf(message, bytes, "no temporary file");
		return -1;
	}
	close(fd);
	int error = classifier_open(NULL, path, message, bytes, out);
	unlink(path);
	return error;
}

static void check_user_rules(void)
{
	char message[256];
	struct classifier *classifier;
	struct kernel_class class;
	if (open_with("# mine\n\n^nvjet_.*_TNN$\tcustom.conv\nmade   matmul.gemm\n", message,
				  sizeof(message), &classifier))
		return check(0, "user rules", message);
	classifier_name(classifier, "nvjet_x_TNN", 11, &class);
	check(strcmp(class.class_name, "custom.conv") == 0 && strcmp(class.rule, "user:3") == 0,
		  "user rule", class.rule);
	classifier_name(classifier, "unmade", 6, &class);
	check(class.group == GROUP_MATMUL, "user rule", class.rule);
	classifier_name(classifier, "nvjet_x_TNT", 11, &class);
	check(class.group == GROUP_MATMUL, "rule after the user's", class.rule);
	classifier_close(classifier);
	int error = open_with("a matmul.gemm\n\nb nonsense\n", message, sizeof(message), &classifier);
	check(error && strstr(message, ":3: "), "unknown class", message);
	error = open_with("(  matmul.gemm\n", message, sizeof(message), &classifier);
	check(error && strstr(message, ":1: "), "bad pattern", message);
	/* Keeps out: patterns of a few bytes that take gigabytes. */
	static const char *const bombs[] = {
		"data$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$x$$$$$ py.* other\n",
		"n+++++++++++++++++++++++++++++ing other\n",
		"(((a{1,90}){1,90}){1,90}) other\n",
		"a{99999999999999999999} other\n",
		"((((((((((((((((a)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+ other\n",
		"^/******++++***:******** call:sync\n",
		"((((((^/*)+)*)?)+)+)+ other\n"};
	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		error = open_with(bombs[i], message, sizeof(message), &classifier);
		check(error && strstr(message, "repeats too much"), "a costly pattern", message);
	}
	error = open_with("^([a-z]+_[^x]+(ab)+){2,8}$ other\n^a(b)?(c)?(d)?(e)?(f)?(g)?.*? other\n",
					  message, sizeof(message), &classifier);
	check(!error, "a fair pattern", message);
	if (!error)
		classifier_close(classifier);
	error = open_with("alone\n", message, sizeof(message), &classifier);
	check(error && strstr(message, ":1: "), "no class", message);
	error = classifier_open(NULL, "/nonexistent/rules", message, sizeof(message), &classifier);
	check(error && strstr(message, "/nonexistent/rules"), "no file", message);
}

/* From the cache a name has the class that the classifier gives it, the first time and later, with
 * many names between. */
static void check_cache(const struct classifier *classifier)
{
	static const char *const kinds[] = {"ampere_sgemm_%d", "ncclDevKernel_AllReduce_%d", "my_%d",
										"void at::native::softmax_%d<float>(int)"};
	struct class_cache *cache;
	if (class_cache_open(classifier, &cache) != 0)
		return check(0, "class_cache_open", "");
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 2000; i++) {
			char name[64];
			struct kernel_class direct, cached;
			size_t n = (size_t)sprintf(name, kinds[i % 4], i);
			classifier_name(classifier, name, n, &direct);
			class_cache_name(cache, name, n, &cached);
			check(cached.group == direct.group && cached.tensor_core == direct.tensor_core &&
					  strcmp(cached.class_name, direct.class_name) == 0,
				  name, cached.class_name);
		}
	class_cache_close(cache);
}

int main(void)
{
	char message[256];
	struct classifier *classifier;
	if (classifier_open(NULL, NULL, message, sizeof(message), &classifier)) {
		printf("FAIL open: %s\n", message);
		return 1;
	}
	const struct rule *const tables[] = {RULES_MEMORY, RULES_COMM,   RULES_GENERATED, RULES_WRAPPER,
										 RULES_DENSE,  RULES_CUSTOM, RULES_FALLBACK};
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		check_table(tables[i]);
	check_names(classifier);
	check_tensor_cores(classifier);
	check_identifiers();
	check_hostile(classifier);
	check_cache(classifier);
	classifier_close(classifier);
	check_seed();
	check_user_rules();
	return failures > 0;
}
