#include "classify/seed.h"

#include <stdbool.h>
#include <string.h>

static const struct seed_rule {
	const char *text;
	bool any_case;
	enum group group;
	const char *id;
} RULES[] = {
	/* first match wins */
	{"gemm", false, GROUP_MATMUL, "seed.gemm"},
	{"CUDA memcpy", false, GROUP_MEMORY, "seed.memcpy"},
	{"nccl", true, GROUP_MEMORY, "seed.nccl"},
	{"copy_device_to_device", false, GROUP_MEMORY, "seed.copy_device_to_device"},
	{"CUDA memset", false, GROUP_MEMORY, "seed.memset"},
	{"::native", false, GROUP_CUSTOM, "seed.native"},
	{"vectorized_elementwise", false, GROUP_CUSTOM, "seed.vectorized_elementwise"},
	{"_cpp1_ii", false, GROUP_CUSTOM, "seed.cpp1_ii"},
	{"_cppl_ii", false, GROUP_CUSTOM, "seed.cpp1_ii"}, /* as a scan of the study prints it */
	{"reduce_kernel", false, GROUP_CUSTOM, "seed.reduce_kernel"},
};

const char *seed_label(enum group group)
{
	static const char *const labels[GROUP_COUNT] = {
		[GROUP_MATMUL] = "matrix-mul", [GROUP_MEMORY] = "memory_mgmt",
		[GROUP_CUSTOM] = "custom_ops", [GROUP_NCCL] = "memory_mgmt",
		[GROUP_OTHER] = "other",
	};
	return labels[group];
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains_any_case(const char *name, size_t bytes, const char *text)
{
	size_t n = strlen(text);
	for (size_t i = 0; i + n <= bytes; i++) {
		size_t same = 0;
		while (same < n && lower(name[i + same]) == text[same])
			same++;
		if (same == n)
			return true;
	}
	return false;
}

static bool contains(const struct seed_rule *rule, const char *name, size_t bytes)
{
	if (rule->any_case)
		return contains_any_case(name, bytes, rule->text);
	return memmem(name, bytes, rule->text, strlen(rule->text)) != NULL;
}

void seed_classify(const struct identifier *parts, const char *name, size_t bytes,
				   struct kernel_class *out)
{
	bool mangled = bytes > 2 && name[0] == '_' && name[1] == 'Z';
	out->group = GROUP_OTHER;
	out->rule = "seed.other";
	for (size_t i = 0; i < sizeof(RULES) / sizeof(*RULES); i++) {
		bool found = contains(&RULES[i], name, bytes) ||
					 (mangled && contains(&RULES[i], parts->text, parts->n));
		if (found) {
			out->group = RULES[i].group;
			out->rule = RULES[i].id;
			break;
		}
	}
	out->class_name = seed_label(out->group);
}
