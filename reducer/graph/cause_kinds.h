/* The causes, their names, and what of a model each of them is. */
#ifndef GRAPH_CAUSE_KINDS_H
#define GRAPH_CAUSE_KINDS_H

#include "graph/model.h"

enum cause {
	CAUSE_INPUT,
	CAUSE_NO_CORE,
	CAUSE_BLOCKED,
	CAUSE_ALLOC,
	CAUSE_MODULE_LOAD,
	CAUSE_PROFILER,
	CAUSE_CODE,
	CAUSE_HOST,
	CAUSE_KERNELS,
	CAUSE_SYNC_DEVICE,
	CAUSE_SYNC_MID,
	CAUSE_SYNC_END,
	CAUSE_SYNC,
	CAUSE_QUEUE_FULL,
	CAUSE_HOST_FUNC,
	CAUSE_DEPENDENCY,
	CAUSE_SHARED,
	CAUSE_LINK,
	CAUSE_EVEN_KERNELS,
	CAUSE_EVEN_HOST,
	CAUSE_STEADY_HOST,
	CAUSE_TRANSFER,
	CAUSE_COPIES,
	CAUSE_FRAMEWORK,
	CAUSE_API,
	CAUSES
};

/* Host code that drives no GPU for so long is a loss of its own. */
enum { CAUSE_CODE_NS = 1000000 };

const char *cause_name(enum cause cause);
/* By its name; CAUSES: there is no such cause. */
enum cause cause_find(const char *name);
/* Waits for the GPU. */
static inline bool cause_is_sync(enum cause cause)
{
	return cause >= CAUSE_SYNC_DEVICE && cause <= CAUSE_SYNC;
}
/* The enum label whose time the cause is; LABEL_NONE: none. */
uint8_t cause_label(enum cause cause);
/* The two causes that time with a label has, either of whose cures ends it: without the call, or with
 * a core, no thread would have waited for a core there. False: it has one, or none. */
bool cause_pair(uint8_t label, enum cause pair[2]);
/* Is time with this label the cause's? */
bool cause_has_label(enum cause cause, uint8_t label);
/* The kind of what holds work up whose time the cause is (struct held), 0: none. */
uint8_t cause_held(enum cause cause);
/* The waits that it takes out, a bit for each enum wait_site. */
uint32_t cause_sites(enum cause cause);

#endif
