#include "graph/whatif_words.h"

#include "base/diag.h"
#include "classify/classes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(cause) (UINT32_C(1) << CAUSE_##cause)

const uint32_t taken_of_rank = BIT(KERNELS) | BIT(HOST) | BIT(INPUT) | BIT(NO_CORE) | BIT(BLOCKED) |
							   BIT(ALLOC) | BIT(MODULE_LOAD) | BIT(PROFILER);

static const struct {
	const char *word; /* a leaf, or the id of a finding that has no cause of its name */
	uint32_t causes;
} others[] = {
	{"idle.host.input", BIT(INPUT)},
	{"idle.host.no_core", BIT(NO_CORE)},
	{"idle.host.blocked", BIT(BLOCKED)},
	{"idle.host.alloc", BIT(ALLOC)},
	{"idle.host.module_load", BIT(MODULE_LOAD)},
	{"idle.tool.profiler", BIT(PROFILER)},
	{"idle.gpu.queue_full", BIT(QUEUE_FULL)},
	{"idle.host.host_func", BIT(HOST_FUNC)},
	{"idle.host.code", BIT(CODE)},
	{"idle.host.sync", BIT(SYNC)},
	{"idle.gpu.dependency", BIT(DEPENDENCY)},
	{"idle.gpu.shared", BIT(SHARED)},
	{"idle.cpu.framework", BIT(FRAMEWORK)},
	{"idle.cpu.api", BIT(API)},
	{"nccl.transfer", BIT(TRANSFER)},
	{"copy", BIT(COPIES)},
	{"host_code", BIT(CODE)},
	{"wait", BIT(EVEN_HOST) | BIT(EVEN_KERNELS)},
	{"unsplit", BIT(TRANSFER)},
};

/* 0: it is no such word. */
static uint32_t causes_of(const char *word)
{
	const enum cause cause = cause_find(word);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].word, word) == 0)
			return others[i].causes;
	return cause == CAUSES ? 0 : UINT32_C(1) << cause;
}

static int refuse(const char *word)
{
	char all[512] = "";
	for (int i = 0; i < CAUSES; i++) {
		strcat(all, i ? ", " : "");
		strcat(all, cause_name((enum cause)i));
	}
	diag("--without '%s': the causes are %s, a leaf or a finding of `baton report` that is one of "
		 "them, late_rank, late_host, host_code, wait, unsplit, 'rank R', 'device D' and "
		 "'collective BYTES'",
		 word, all);
	return STATUS_USAGE;
}

int taken_add(struct taken_list *list, const struct taken *taken)
{
	if (list->n == TAKEN_MOST) {
		diag("whatif takes at most %d items: those of --without and --scale, --overlap, --graphs "
			 "and "
			 "--like together",
			 TAKEN_MOST);
		return STATUS_USAGE;
	}
	list->at[list->n++] = *taken;
	return STATUS_OK;
}

/* "rank 3": the number. False: it is none. */
static bool number_of(const char *text, int64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return end > text && *end == 0 && errno == 0 && *out >= 0;
}

/* Of all ranks by nature. */
static int refuse_scope(const char *word)
{
	diag("--without %s is about all ranks: it is no rank's or host's alone", word);
	return STATUS_USAGE;
}

static int add_causes(struct taken_list *list, const char *word)
{
	const uint32_t causes = causes_of(word);
	struct taken taken = {.causes = causes, .rank = list->rank, .bytes = -1};
	if (!causes)
		return refuse(word);
	if (causes & (BIT(HOST) | BIT(KERNELS)) && list->rank < 0) {
		diag("--without %s compares a rank with the others: say which with --rank", word);
		return STATUS_USAGE;
	}
	if (causes & (BIT(LINK) | BIT(TRANSFER)) && (list->rank >= 0 || list->host))
		return refuse_scope(word);
	snprintf(taken.name, sizeof(taken.name), "%s", word);
	for (int i = 0; i < CAUSES; i++) /* a leaf is printed as its cause */
		if (causes == UINT32_C(1) << i)
			snprintf(taken.name, sizeof(taken.name), "%s", cause_name((enum cause)i));
	return taken_add(list, &taken);
}

/* A rank or a device by its own name. */
static int add_own(struct taken_list *list, const struct taken *taken)
{
	if (list->rank < 0)
		return taken_add(list, taken);
	diag("--without '%s' names its own: it does not go with --rank", taken->name);
	return STATUS_USAGE;
}

static int add_word(struct taken_list *list, const char *word)
{
	struct taken taken = {.causes = taken_of_rank, .rank = -1, .bytes = -1, .name = "rank"};
	int64_t number;
	if (strncmp(word, "rank ", 5) == 0) {
		if (!number_of(word + 5, &number))
			return refuse(word);
		taken.rank = number;
		return add_own(list, &taken);
	}
	if (strncmp(word, "device ", 7) == 0) {
		snprintf(taken.name, sizeof(taken.name), "device");
		snprintf(taken.device, sizeof(taken.device), "%s", word + 7);
		return taken.device[0] ? add_own(list, &taken) : refuse(word);
	}
	taken.causes = 0;
	if (strncmp(word, "collective ", 11) == 0) {
		if (!number_of(word + 11, &taken.bytes))
			return refuse(word);
		if (list->rank >= 0 || list->host)
			return refuse_scope("collective");
		taken.kind = TAKEN_COLLECTIVE;
		snprintf(taken.name, sizeof(taken.name), "collective");
		return taken_add(list, &taken);
	}
	if (strcmp(word, "late_rank") != 0 && strcmp(word, "late_host") != 0)
		return add_causes(list, word);
	if (list->rank >= 0 || list->host)
		return refuse_scope(word);
	taken.kind = TAKEN_CULPRITS;
	snprintf(taken.name, sizeof(taken.name), "%s", word);
	return taken_add(list, &taken);
}

/* Calls `add` with each word of a list by commas. */
static int each_word(struct taken_list *list, const char *words,
					 int (*add)(struct taken_list *, const char *))
{
	char *copy = strdup(words), *rest = copy;
	int status = copy ? STATUS_OK : STATUS_INPUT;
	for (char *word; status == STATUS_OK && rest && (word = strsep(&rest, ","));) {
		while (*word == ' ')
			word++;
		for (size_t n = strlen(word); n > 0 && word[n - 1] == ' '; n--)
			word[n - 1] = 0;
		status = add(list, word);
	}
	free(copy);
	return status;
}

int taken_words(struct taken_list *list, const char *words)
{
	return each_word(list, words, add_word);
}

static int refuse_scale(const char *word)
{
	char all[640] = "";
	for (int i = 0; i < GROUP_COUNT; i++)
		if (i != GROUP_NCCL)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), ", %s",
					 group_name((enum group)i));
	for (int i = 0; i < CLASS_COUNT; i++)
		if (class_group((enum class_id)i) != GROUP_NCCL && i != CLASS_MEMCPY && i != CLASS_MEMSET &&
			strchr(class_name((enum class_id)i), '.'))
			snprintf(all + strlen(all), sizeof(all) - strlen(all), ", %s",
					 class_name((enum class_id)i));
	diag("--scale '%s': it takes CLASS=TIMES, TIMES from 0 to 1000 (0.5: in half the time), CLASS "
		 "one of host, copies, nccl.transfer, kernels%s",
		 word, all);
	return STATUS_USAGE;
}

/* False: there is no such class. */
static bool scale_of(const char *word, size_t bytes, struct scale *scale)
{
	static const char *const names[] = {"host", "copies", "nccl.transfer", "kernels"};
	scale->group = scale->class = SCALED_ALL;
	for (int i = SCALED_HOST; i <= SCALED_KERNELS; i++) {
		scale->what = (enum scaled)i;
		if (strlen(names[i]) == bytes && memcmp(names[i], word, bytes) == 0)
			return true;
	}
	for (int i = 0; i < GROUP_COUNT; i++)
		if (strlen(group_name((enum group)i)) == bytes &&
			memcmp(group_name((enum group)i), word, bytes) == 0)
			scale->group = i;
	if (scale->group == SCALED_ALL)
		scale->class = class_find(word, bytes);
	const bool nccl = scale->group == GROUP_NCCL ||
					  (scale->class >= 0 && class_group((enum class_id)scale->class) == GROUP_NCCL);
	return !nccl && (scale->group != SCALED_ALL || scale->class >= 0);
}

static int add_scale(struct taken_list *list, const char *word)
{
	struct taken taken = {.kind = TAKEN_SCALED, .rank = -1, .bytes = -1};
	const char *equal = strchr(word, '=');
	char *end;
	if (!equal || !scale_of(word, (size_t)(equal - word), &taken.scale))
		return refuse_scale(word);
	taken.scale.times = strtod(equal + 1, &end);
	if (end == equal + 1 || *end || !(taken.scale.times >= 0 && taken.scale.times <= 1000))
		return refuse_scale(word);
	snprintf(taken.name, sizeof(taken.name), "%.*s", (int)(equal - word), word);
	return taken_add(list, &taken);
}

int taken_scales(struct taken_list *list, const char *words)
{
	return each_word(list, words, add_scale);
}

int taken_check_scope(const struct taken_list *list)
{
	bool narrows = list->rank < 0 && !list->host;
	for (uint32_t i = 0; i < list->n; i++)
		narrows |= list->at[i].kind == TAKEN_CAUSES;
	if (narrows)
		return STATUS_OK;
	diag("--rank and --host say whose time --without or --graphs takes off, and nothing here does: "
		 "--scale, --overlap and --like are about all ranks");
	return STATUS_USAGE;
}

int taken_overlap(struct taken_list *list)
{
	return taken_add(
		list, &(struct taken){.kind = TAKEN_OVERLAP, .rank = -1, .bytes = -1, .name = "overlap"});
}

int taken_graphs(struct taken_list *list)
{
	return taken_add(list, &(struct taken){.causes = BIT(FRAMEWORK) | BIT(API),
										   .rank = list->rank,
										   .bytes = -1,
										   .graphs = true,
										   .name = "graphs"});
}

int taken_like(struct taken_list *list)
{
	return taken_add(list,
					 &(struct taken){.kind = TAKEN_LIKE, .rank = -1, .bytes = -1, .name = "like"});
}
