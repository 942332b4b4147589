#include "graph/cause_kinds.h"

#include <baton/format.h>
#include <string.h>

static const char *const names[CAUSES] = {[CAUSE_INPUT] = "input",
										  [CAUSE_NO_CORE] = "no_core",
										  [CAUSE_BLOCKED] = "blocked",
										  [CAUSE_ALLOC] = "alloc",
										  [CAUSE_MODULE_LOAD] = "module_load",
										  [CAUSE_PROFILER] = "profiler",
										  [CAUSE_CODE] = "code",
										  [CAUSE_HOST] = "host",
										  [CAUSE_KERNELS] = "kernels",
										  [CAUSE_SYNC_DEVICE] = "sync.device",
										  [CAUSE_SYNC_MID] = "sync.mid",
										  [CAUSE_SYNC_END] = "sync.end",
										  [CAUSE_SYNC] = "sync",
										  [CAUSE_QUEUE_FULL] = "queue_full",
										  [CAUSE_HOST_FUNC] = "host_func",
										  [CAUSE_DEPENDENCY] = "dependency",
										  [CAUSE_SHARED] = "shared",
										  [CAUSE_LINK] = "link",
										  [CAUSE_EVEN_KERNELS] = "even_kernels",
										  [CAUSE_EVEN_HOST] = "even_host",
										  [CAUSE_STEADY_HOST] = "steady_host",
										  [CAUSE_TRANSFER] = "transfer",
										  [CAUSE_COPIES] = "copies",
										  [CAUSE_FRAMEWORK] = "framework",
										  [CAUSE_API] = "api"};

const char *cause_name(enum cause cause)
{
	return names[cause];
}

enum cause cause_find(const char *name)
{
	int i = 0;
	while (i < CAUSES && strcmp(names[i], name) != 0)
		i++;
	return (enum cause)i;
}

uint8_t cause_label(enum cause cause)
{
	static const uint8_t labels[CAUSES] = {[CAUSE_INPUT] = LABEL_INPUT,
										   [CAUSE_NO_CORE] = LABEL_NO_CORE,
										   [CAUSE_BLOCKED] = LABEL_BLOCKED,
										   [CAUSE_ALLOC] = LABEL_ALLOC,
										   [CAUSE_MODULE_LOAD] = LABEL_MODULE_LOAD,
										   [CAUSE_PROFILER] = LABEL_PROFILER};
	return labels[cause];
}

bool cause_pair(uint8_t label, enum cause pair[2])
{
	static const struct {
		bool is;
		enum cause of[2];
	} pairs[LABELS] = {[LABEL_LOCK_NO_CORE] = {true, {CAUSE_BLOCKED, CAUSE_NO_CORE}},
					   [LABEL_LOCK_PROFILER] = {true, {CAUSE_BLOCKED, CAUSE_PROFILER}},
					   [LABEL_LOCK_LOAD] = {true, {CAUSE_BLOCKED, CAUSE_MODULE_LOAD}},
					   [LABEL_LOCK_ALLOC] = {true, {CAUSE_BLOCKED, CAUSE_ALLOC}},
					   [LABEL_LOAD_NO_CORE] = {true, {CAUSE_MODULE_LOAD, CAUSE_NO_CORE}},
					   [LABEL_ALLOC_NO_CORE] = {true, {CAUSE_ALLOC, CAUSE_NO_CORE}},
					   [LABEL_INPUT_NO_CORE] = {true, {CAUSE_INPUT, CAUSE_NO_CORE}}};
	memcpy(pair, pairs[label].of, sizeof(pairs[label].of));
	return pairs[label].is;
}

bool cause_has_label(enum cause cause, uint8_t label)
{
	enum cause pair[2];
	if (cause_pair(label, pair))
		return cause == pair[0] || cause == pair[1];
	if (label == LABEL_QUEUE_FULL)
		return cause == CAUSE_QUEUE_FULL;
	return label != LABEL_NONE && label == cause_label(cause);
}

uint8_t cause_held(enum cause cause)
{
	static const uint8_t kinds[CAUSES] = {[CAUSE_HOST_FUNC] = BATON_SYNC_HOST_FUNC,
										  [CAUSE_DEPENDENCY] = BATON_SYNC_PEER,
										  [CAUSE_SHARED] = HELD_BY_PROCESS};
	return kinds[cause];
}

uint32_t cause_sites(enum cause cause)
{
	static const uint8_t sites[CAUSES] = {[CAUSE_ALLOC] = 1 << WAIT_FREE,
										  [CAUSE_SYNC_DEVICE] = 1 << WAIT_DEVICE,
										  [CAUSE_SYNC_MID] = 1 << WAIT_MID,
										  [CAUSE_SYNC_END] = 1 << WAIT_END,
										  [CAUSE_SYNC] =
											  1 << WAIT_DEVICE | 1 << WAIT_MID | 1 << WAIT_END};
	return sites[cause];
}
