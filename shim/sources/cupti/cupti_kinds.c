#include "sources/cupti/cupti_kinds.h"

#include "base/config.h"
#include "base/recording.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_table.h"

#include <stddef.h>

static const int kinds[] = {CUPTI_KIND_MEMCPY, CUPTI_KIND_MEMCPY2, CUPTI_KIND_MEMSET,
							CUPTI_KIND_OVERHEAD, CUPTI_KIND_CONCURRENT_KERNEL};

bool cupti_kinds_need(int kind)
{
	/* one look: the window may open between two */
	if (recording.windowed && !recording_is(RECORDING_OPENING | RECORDING_OPEN | RECORDING_ENDING))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i] == kind)
			return true;
	return config.graph_whole && kind == CUPTI_KIND_GRAPH_TRACE;
}

int cupti_kinds_enable(void)
{
	int error = 0;
	if (config.graph_whole)
		cupti.enable(CUPTI_KIND_GRAPH_TRACE);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		error = cupti.enable(kinds[i]);
	return error; /* the kernels' */
}

static void disable_ours(int kind, bool (*wanted)(int kind))
{
	if (wanted(kind))
		return;
	cupti.disable(kind);
	if (wanted(kind)) /* since a moment ago */
		cupti.enable(kind);
}

void cupti_kinds_disable(bool (*wanted)(int kind))
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		disable_ours(kinds[i], wanted);
	if (config.graph_whole)
		disable_ours(CUPTI_KIND_GRAPH_TRACE, wanted);
}
