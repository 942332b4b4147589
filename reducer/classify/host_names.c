#include "classify/host_names.h"

#include <baton/format.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify/match.h"
#include "classify/user_rules.h"

static const struct {
	uint32_t mask;
	bool calls, ranges; /* what it applies to */
	int flags;
	const char *pattern;
} rules[] = {
	{HOST_MASK(HOST_BIT_ALLOC) | HOST_MASK(HOST_BIT_DRIVING), true, false, 0,
	 "^(cuda|hip)(Malloc|Free|HostAlloc|HostFree|HostMalloc|HostRegister|HostUnregister)|"
	 "^cuMem(Alloc|Free|Host(Alloc|Register|Unregister|GetDevice)?|Create|Release|Map|Unmap|"
	 "Address)"},
	{HOST_MASK(HOST_BIT_MODULE_LOAD) | HOST_MASK(HOST_BIT_DRIVING), true, false, 0,
	 "^(cu|hip)(Module(Load|Unload)|Library(Load|GetKernel)|Link)|^cudaLibraryLoad|"
	 "Graph(Instantiate|ExecUpdate|Upload)|^(cu|hip)Init$|Ctx(Create|Retain)|^(cuda|hip|cu)"
	 "StreamCreate"},
	{HOST_MASK(HOST_BIT_SYNC) | HOST_MASK(HOST_BIT_DRIVING), true, false, 0,
	 "(Device|Stream|Event|Ctx)Synchronize|^(cuda|hip)Memcpy(2D|3D)?$|^hipMemcpyWithStream$|"
	 "^cuMemcpy(DtoH|HtoD)?(_v2)?$"},
	{HOST_MASK(HOST_BIT_DRIVING), true, false, 0, "Launch|Memcpy|Memset"},
	{HOST_MASK(HOST_BIT_GRAPH_LAUNCH), true, false, 0, "GraphLaunch"},
	{HOST_MASK(HOST_BIT_FREE), true, false, 0,
	 "^(cuda|hip)Free(Host|Array|Mipmapped)?$|^cuMemFree(Host)?(_v2)?$"},
	{HOST_MASK(HOST_BIT_NCCL_HOST), true, true, 0, "^nccl:|^record_param_comms$|^c10d::"},
	{HOST_MASK(HOST_BIT_NCCL_HOST), true, false, 0, "^p?nccl[A-Z]"},
	{HOST_MASK(HOST_BIT_INPUT), false, true, REG_ICASE,
	 "DataLoader|torch/utils/data/|data_?load|load_batch|wait_for_batch"},
};

enum { RULES = sizeof(rules) / sizeof(rules[0]) };

/* On FILE:FUNCTION of a Python frame. */
static const char compile_frames[] =
	"(^|/)torch/_dynamo/convert_frame\\.py:|"
	"(^|/)torch/_inductor/compile_fx\\.py:(.*\\.)?(_?compile_fx(_inner)?|fx_codegen_and_compile|"
	"codegen_and_compile)$|"
	"(^|/)triton/compiler/compiler\\.py:compile$";
static const char input_frames[] =
	"(^|/)torch/utils/data/dataloader\\.py:(.*\\.)?(__next__|__iter__|_next_data|_get_data|"
	"_try_get_data|_get_iterator|_reset)$|"
	"(^|/)torch/utils/data/_utils/(collate|fetch|pin_memory)\\.py:|"
	"(^|/)torchdata/.*\\.py:(.*\\.)?(__next__|next|_next_data|_get_data|_try_get_data)$|"
	"(^|/)webdataset/[^/]*\\.py:|"
	"(^|/)datasets/(arrow_dataset|iterable_dataset)\\.py:(.*\\.)?(__iter__|__getitem__|"
	"__getitems__)$|"
	"(^|/)nvidia/dali/(pipeline|plugin/.*)\\.py:(.*\\.)?(__next__|_get_outputs|share_outputs|"
	"outputs|run)$";
static const char hand_over_frames[] =
	"(^|/)torch/autograd/(graph|__init__)\\.py:|(^|/)torch/_tensor\\.py:(.*\\.)?backward$|"
	"(^|/)threading\\.py:|(^|/)queue\\.py:(.*\\.)?get$|(^|/)concurrent/futures/|"
	"(^|/)torch/nn/parallel/parallel_apply\\.py:|"
	"(^|/)multiprocessing/(connection|popen_fork|synchronize|queues)\\.py:|(^|/)selectors\\.py:";
enum { FRAME_TEXT_BYTES = 8200 };

struct host_names {
	const struct user_rules *user; /* not owned; may be NULL */
	regex_t rules[RULES];
	regex_t input_frames, compile_frames, hand_over_frames;
	regex_t markers[MARKER_NAMED];
};

enum { MARKER_GROUPS = 5 }; /* the whole match and its groups */

static const struct {
	const char *pattern;
	int number; /* the group that holds the step's number */
} marker_forms[MARKER_NAMED] = {
	[MARKER_TRAINING] = {"^(train(ing)?|global|epoch[ _#:=]?[0-9]+)[ _./:,-]*"
						 "(step|iter|iteration|batch)[ _#:=]*([0-9]+)([^[:alnum:]].*)?$",
						 4},
	[MARKER_ITERATION] = {"^iter(ation)?[ _#]?([0-9]+)$", 2},
	[MARKER_STEP] = {"^step[ _#]?([0-9]+)$", 1},
	[MARKER_PROFILER_STEP] = {"^ProfilerStep#([0-9]+)$", 1},
};

int host_names_open(const struct user_rules *user, struct host_names **out)
{
	struct host_names *names = calloc(1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	int error = 0;
	names->user = user;
	for (int form = MARKER_NONE + 1; form < MARKER_NAMED; form++)
		error |=
			regcomp(&names->markers[form], marker_forms[form].pattern, REG_EXTENDED | REG_ICASE);
	error |= regcomp(&names->input_frames, input_frames, REG_EXTENDED | REG_NOSUB);
	error |= regcomp(&names->compile_frames, compile_frames, REG_EXTENDED | REG_NOSUB);
	error |= regcomp(&names->hand_over_frames, hand_over_frames, REG_EXTENDED | REG_NOSUB);
	for (int i = 0; i < RULES; i++)
		error |=
			regcomp(&names->rules[i], rules[i].pattern, REG_EXTENDED | REG_NOSUB | rules[i].flags);
	if (error)
		abort(); /* the table above is wrong */
	*out = names;
	return 0;
}

void host_names_close(struct host_names *names)
{
	if (!names)
		return;
	for (int i = 0; i < RULES; i++)
		regfree(&names->rules[i]);
	regfree(&names->input_frames);
	regfree(&names->compile_frames);
	regfree(&names->hand_over_frames);
	for (int form = MARKER_NONE + 1; form < MARKER_NAMED; form++)
		regfree(&names->markers[form]);
	free(names);
}

/* nsys writes cudaLaunchKernel_v7000: the call's name is what comes before _vNNNN. */
static void cut_version(const char *name, char *bare, size_t room)
{
	snprintf(bare, room, "%s", name);
	size_t n = strlen(bare), digits = 0;
	while (digits < n && bare[n - 1 - digits] >= '0' && bare[n - 1 - digits] <= '9')
		digits++;
	if (digits >= 4 && n > digits + 2 && strncmp(bare + n - digits - 2, "_v", 2) == 0)
		bare[n - digits - 2] = 0;
}

/* What is left of `mask`, the table's, when the user has a rule for the name. */
static uint32_t by_user(const struct host_names *names, enum user_names of, const char *name,
						uint32_t mask)
{
	const struct user_rule *rule =
		names->user ? user_rules_find(names->user, &(struct user_name){of, name, strlen(name)})
					: NULL;
	return rule ? (mask & ~(uint32_t)HOST_CLASS_BITS) | rule->mask : mask;
}

uint32_t host_names_call(const struct host_names *names, const char *name)
{
	char bare[256];
	uint32_t mask = HOST_MASK(HOST_BIT_CALL);
	cut_version(name, bare, sizeof(bare));
	for (int i = 0; i < RULES; i++)
		if (rules[i].calls && match(&names->rules[i], bare, NULL, 0))
			mask |= rules[i].mask;
	return by_user(names, USER_CALLS, bare, mask);
}

uint32_t host_names_range(const struct host_names *names, const char *name, int category)
{
	int64_t number;
	bool step = host_names_marker(names, name, &number) != MARKER_NONE;
	uint32_t mask = step ? HOST_MASK(HOST_BIT_STEP) : 0;
	for (int i = 0; i < RULES; i++)
		if (rules[i].ranges && match(&names->rules[i], name, NULL, 0))
			mask |= rules[i].mask;
	if (category == BATON_RANGE_PYTHON || category == BATON_RANGE_MARK)
		mask &= ~HOST_MASK(HOST_BIT_NCCL_HOST);
	return by_user(names, USER_RANGES, name, mask);
}

/* FILE:FUNCTION; false: it is too long. */
static bool frame_text(char text[FRAME_TEXT_BYTES], const char *file, const char *function)
{
	int n = snprintf(text, FRAME_TEXT_BYTES, "%s:%s", file, function);
	return n > 0 && n < FRAME_TEXT_BYTES;
}

bool host_names_hands_over(const struct host_names *names, const char *file, const char *function)
{
	char text[FRAME_TEXT_BYTES];
	return frame_text(text, file, function) && match(&names->hand_over_frames, text, NULL, 0);
}

uint32_t host_names_frame(const struct host_names *names, const char *file, const char *function)
{
	char text[FRAME_TEXT_BYTES];
	uint32_t mask = 0;
	if (!frame_text(text, file, function))
		return 0;
	if (match(&names->input_frames, text, NULL, 0))
		mask = HOST_MASK(HOST_BIT_INPUT);
	else if (match(&names->compile_frames, text, NULL, 0))
		mask = HOST_MASK(HOST_BIT_MODULE_LOAD);
	return by_user(names, USER_FRAMES, text, mask);
}

/* Few ranges get as far as the patterns. */
static bool may_be_marker(const char *name)
{
	return name[0] && strchr("PpSsIiTtGgEe", name[0]) && strpbrk(name, "0123456789");
}

enum marker_form host_names_marker(const struct host_names *names, const char *name,
								   int64_t *number)
{
	regmatch_t groups[MARKER_GROUPS];
	*number = -1;
	if (!may_be_marker(name))
		return MARKER_NONE;
	enum marker_form form = MARKER_NAMED - 1;
	while (form != MARKER_NONE && !match(&names->markers[form], name, groups, MARKER_GROUPS))
		form--;
	if (form != MARKER_NONE)
		*number = (int64_t)(strtoull(name + groups[marker_forms[form].number].rm_so, NULL, 10) &
							INT64_MAX);
	return form;
}
