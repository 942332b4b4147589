#include "doubles/cupti/external.h"

enum { EXTERNAL_DEPTH = 256 };

static __thread uint64_t ids[EXTERNAL_KINDS][EXTERNAL_DEPTH];
static __thread unsigned depths[EXTERNAL_KINDS];

bool external_top(uint32_t kind, uint64_t *id)
{
	if (!depths[kind])
		return false;
	*id = ids[kind][depths[kind] - 1];
	return true;
}

bool external_push(uint32_t kind, uint64_t id)
{
	if (depths[kind] == EXTERNAL_DEPTH)
		return false;
	ids[kind][depths[kind]++] = id;
	return true;
}

bool external_pop(uint32_t kind, uint64_t *id)
{
	if (!external_top(kind, id))
		return false;
	depths[kind]--;
	return true;
}
