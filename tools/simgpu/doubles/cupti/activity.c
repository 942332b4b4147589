#include "doubles/cupti/activity.h"
#include "doubles/cupti/knobs.h"
#include <stdatomic.h>

enum { CONTEXTS = 64 };

static atomic_bool everywhere[KINDS];
static atomic_ullong in_contexts[CONTEXTS]; /* a bit per kind; by context id */
static atomic_uchar calls[2][CBIDS];        /* driver, runtime: enabled one by one */

bool activity_is_set(uint32_t kind)
{
	return atomic_load(&everywhere[kind]);
}

bool activity_wants(uint32_t kind, uint32_t context)
{
	if (atomic_load(&everywhere[kind]))
		return true;
	return atomic_load(&in_contexts[context % CONTEXTS]) >> kind & 1;
}

bool activity_wants_call(uint32_t domain, uint32_t cbid)
{
	return domain <= DOMAIN_RUNTIME && cbid < CBIDS && atomic_load(&calls[domain - 1][cbid]);
}

enum kind activity_kernel_kind(uint32_t context)
{
	return activity_wants(KIND_KERNEL, context) ? KIND_KERNEL : KIND_CONCURRENT_KERNEL;
}

uint32_t activity_correlation(uint32_t correlation)
{
	return correlation ? correlation + knobs()->first_correlation - 1 : 0;
}

/* Kinds that are calls: all of them, beside those that are set one by one. */
static void set_all_calls(uint32_t domain, bool on)
{
	for (uint32_t cbid = 0; cbid < CBIDS; cbid++)
		atomic_store(&calls[domain - 1][cbid], on);
}

void activity_set(uint32_t kind, bool on)
{
	atomic_store(&everywhere[kind], on);
	if (kind == KIND_DRIVER || kind == KIND_RUNTIME)
		set_all_calls(kind == KIND_DRIVER ? DOMAIN_DRIVER : DOMAIN_RUNTIME, on);
}

void activity_set_context(uint32_t context, uint32_t kind, bool on)
{
	if (on)
		atomic_fetch_or(&in_contexts[context % CONTEXTS], 1ull << kind);
	else
		atomic_fetch_and(&in_contexts[context % CONTEXTS], ~(1ull << kind));
}

void activity_set_call(uint32_t domain, uint32_t cbid, bool on)
{
	atomic_store(&calls[domain - 1][cbid], on);
}

void activity_forget(void)
{
	for (uint32_t kind = 0; kind < KINDS; kind++)
		atomic_store(&everywhere[kind], false);
	for (uint32_t context = 0; context < CONTEXTS; context++)
		atomic_store(&in_contexts[context], 0);
	set_all_calls(DOMAIN_DRIVER, false);
	set_all_calls(DOMAIN_RUNTIME, false);
}
