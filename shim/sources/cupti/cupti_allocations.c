#include "sources/cupti/cupti_allocations.h"

#include <baton/format.h>

static const struct {
	uint16_t id;
	uint8_t domain, memory;
} allocations[] = {
#define RUNTIME(name, memory) {CUPTI_CBID_##name, CUPTI_DOMAIN_RUNTIME, BATON_MEMORY_##memory},
#define DRIVER(name, memory) {CUPTI_CBID_##name, CUPTI_DOMAIN_DRIVER, BATON_MEMORY_##memory},
	CUPTI_RUNTIME_ALLOCATIONS(RUNTIME) CUPTI_DRIVER_ALLOCATIONS(DRIVER)};

uint8_t cupti_allocations_of(int domain, uint32_t id)
{
	for (size_t i = 0; i < sizeof(allocations) / sizeof(allocations[0]); i++)
		if (allocations[i].domain == domain && allocations[i].id == id)
			return allocations[i].memory;
	return 0;
}

void cupti_allocations_put(struct baton_lane *lane, uint8_t memory, const struct cupti_call *call)
{
	const size_t *params = call->params; /* an address or where it goes, the bytes */
	if (!params || (call->result && *(const int *)call->result != 0))
		return;
	lane_put(lane, (struct baton_slot){.begin = params[1],
									   .aux = memory,
									   .type = BATON_SLOT_ALLOCATION,
									   .correlation = call->correlation});
}
