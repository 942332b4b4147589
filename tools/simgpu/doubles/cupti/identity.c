#include "doubles/cupti/identity.h"
#include "doubles/cupti/driver.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic uint32_t thread_id_type; /* 0 the low half of pthread_self, 1 gettid */

uint32_t identity_thread(void)
{
	return atomic_load(&thread_id_type) ? (uint32_t)gettid() : (uint32_t)pthread_self();
}

bool identity_context(void *context, uint32_t *id, uint32_t *device)
{
	const struct driver *driver = driver_ready();

	return driver && driver->context_id && driver->context_id(context, id, device);
}

void identity_number_threads(uint32_t type)
{
	atomic_store(&thread_id_type, type);
}

uint32_t identity_threads_numbered(void)
{
	return atomic_load(&thread_id_type);
}

/* ---- ids from outside ---- */

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
