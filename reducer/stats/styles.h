/* Kinds of ranges by the words of nsys, and by words of our own for those it does not know. */
#ifndef STATS_STYLES_H
#define STATS_STYLES_H

#include <baton/format.h>
#include <stddef.h>

/* NULL: Python frames, marks and ends of steps, which are no ranges of the source's own. */
static inline const char *style_of(int64_t category)
{
	switch (category) {
	case BATON_RANGE_NVTX:
		return "PushPop";
	case BATON_RANGE_NVTX_SPAN:
		return "StartEnd";
	case BATON_RANGE_ANNOTATION:
		return "Annotation";
	case BATON_RANGE_OPERATOR:
		return "Operator";
	default:
		return NULL;
	}
}

#endif
