#include "sources/cupti/cupti_contexts.h"

#include "sources/cupti/cupti_table.h"

#include <stdatomic.h>

enum { CONTEXTS = 256 };

static _Atomic uint8_t devices[CONTEXTS]; /* + 1; 0: not met */
static _Atomic uint8_t first;             /* the same of the first one that was met */
static _Atomic bool many;

void cupti_contexts_note(void *context, uint32_t number)
{
	uint32_t device = 0;
	uint8_t nobody = 0;
	if (number >= CONTEXTS || atomic_load(&devices[number]) || !cupti.device_id ||
		cupti.device_id(context, &device) != 0 || device >= UINT8_MAX)
		return;
	uint8_t place = (uint8_t)(device + 1);
	atomic_store(&devices[number], place);
	if (!atomic_compare_exchange_strong(&first, &nobody, place) && nobody != place)
		atomic_store(&many, true);
}

void cupti_contexts_made(void *context)
{
	uint32_t number = 0;
	if (cupti.context_id && cupti.context_id(context, &number) == 0)
		cupti_contexts_note(context, number);
}

int cupti_contexts_device(uint32_t number)
{
	return number < CONTEXTS ? atomic_load(&devices[number]) - 1 : -1;
}

bool cupti_contexts_many(void)
{
	return atomic_load(&many);
}

void cupti_contexts_forget(void)
{
	for (int i = 0; i < CONTEXTS; i++)
		atomic_store(&devices[i], 0);
	atomic_store(&first, 0);
	atomic_store(&many, false);
}
