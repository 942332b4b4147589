#include "classify/classify.h"

#include "classify/identifier.h"
#include "classify/rules.h"
#include "classify/seed.h"
#include "classify/user_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct classifier {
	bool seed;
	struct user_rules user;
};

/* First match wins across the tables too. Dense before custom: "layer_norm_gemm" is rarer than
 * "gemm...norm". */
static const struct rule *const RULES[] = {
	RULES_MEMORY, RULES_COMM,   RULES_GENERATED, RULES_WRAPPER,
	RULES_DENSE,  RULES_CUSTOM, RULES_FALLBACK,
};

static bool part_matches(const char *pattern, const struct folded *part)
{
	return !pattern || pattern_matches(pattern, part);
}

static bool rule_matches(const struct rule *rule, const struct identifier *name)
{
	return part_matches(rule->base, &name->base) && part_matches(rule->scope, &name->scope) &&
		   part_matches(rule->args, &name->args) && part_matches(rule->whole, &name->whole);
}

static const struct rule *table_find(const struct rule *table, const struct identifier *name)
{
	for (const struct rule *rule = table; rule->id; rule++)
		if (rule_matches(rule, name))
			return rule;
	return NULL;
}

static const struct rule *rules_find(const struct identifier *name)
{
	for (size_t i = 0; i < sizeof(RULES) / sizeof(*RULES); i++) {
		const struct rule *rule = table_find(RULES[i], name);
		const struct rule *functor =
			rule && rule->functors ? table_find(rule->functors, name) : NULL;
		if (rule)
			return functor ? functor : rule;
	}
	return NULL;
}

int classifier_open(const char *taxonomy, const char *classes_file, char *message,
					size_t message_bytes, struct classifier **out)
{
	*out = NULL;
	if (taxonomy && strcmp(taxonomy, "seed") != 0) {
		snprintf(message, message_bytes, "unknown taxonomy '%s' (there is: seed)", taxonomy);
		return -EINVAL;
	}
	struct classifier *classifier = calloc(1, sizeof(*classifier));
	if (!classifier) {
		snprintf(message, message_bytes, "out of memory");
		return -ENOMEM;
	}
	classifier->seed = taxonomy != NULL;
	int error = 0;
	if (classes_file)
		error = user_rules_read(&classifier->user, classes_file, message, message_bytes);
	if (error) {
		classifier_close(classifier);
		return error;
	}
	*out = classifier;
	return 0;
}

void classifier_close(struct classifier *classifier)
{
	if (!classifier)
		return;
	user_rules_free(&classifier->user);
	free(classifier);
}

/* Says no even where another word says yes: "sm80_xmma_gemm_f32f32_..._ffma_..." runs on the CUDA
 * cores of an H100, which the substring list of DLProf and its heirs gets wrong. */
static const char NO_TENSOR_CORES[] =
	"=ffma =simt =dfma =hfma2 gemv ^dotkernel splitkreduce splitkv*reduce =gemmk =gemmsn "
	"^maxwell ^volta*sgemm ^volta*dgemm ^volta*cgemm ^volta*zgemm ^volta*hgemm "
	"^ampere*=sgemm ^ampere*=dgemm ^ampere*=cgemm ^ampere*=zgemm ^turing*=sgemm ^turing*=dgemm "
	"^ampere*sgemm ^sgemm ^dgemm ^cgemm ^zgemm convolvesgemm dgradengine wgradalg im2col "
	"=offsets =offset scalkernel globalkernel wgradnchwhelper scudnn =cudnn*winograd "
	"generatewinograd "
	"!16816 !884 !1688 !161616 !tensorop";

/* The list of interop.md section 4 (h884 ... c1688), and what came after it: Hopper's gmma, nvjet,
 * CUTLASS 3 collectives, tcgen05, AMD's mfma and xdl. */
static const char TENSOR_CORES[] =
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

static bool may_use_tensor_cores(enum class_id class)
{
	return class_group(class) == GROUP_MATMUL || class == CLASS_ATTENTION || class == CLASS_CONV ||
		   class == CLASS_RNN || class == CLASS_OTHER;
}

/* 1 yes, 0 no, -1 unknown. */
static int tensor_core_of(const struct identifier *name, enum class_id class)
{
	if (!may_use_tensor_cores(class))
		return 0;
	if (pattern_matches(NO_TENSOR_CORES, &name->whole))
		return 0;
	if (pattern_matches(TENSOR_CORES, &name->whole))
		return 1;
	return -1;
}

void classifier_name(const struct classifier *classifier, const char *name, size_t name_bytes,
					 struct kernel_class *out)
{
	struct identifier parts;
	identifier_parse(&parts, name, name_bytes);
	const struct rule *rule = rules_find(&parts);
	const struct user_rule *user =
		user_rules_find(&classifier->user, &(struct user_name){USER_KERNELS, name, name_bytes});
	enum class_id class = rule ? rule->class : CLASS_OTHER;
	const char *id = rule ? rule->id : "none";
	if (user) {
		class = user->class;
		id = user->id;
	}
	*out = (struct kernel_class){.group = class_group(class),
								 .class_name = class_name(class),
								 .rule = id,
								 .tensor_core = tensor_core_of(&parts, class)};
	if (classifier->seed && !user)
		seed_classify(&parts, name, name_bytes, out);
}

const struct user_rules *classifier_user_rules(const struct classifier *classifier)
{
	return &classifier->user;
}

const char *classifier_group_label(const struct classifier *classifier,
								   const struct kernel_class *class)
{
	return classifier->seed ? seed_label(class->group) : group_name(class->group);
}
