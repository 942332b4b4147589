#include "doubles/cupti/callbacks.h"
#include "doubles/cupti/client.h"
#include "doubles/cupti/knobs.h"
#include "doubles/cupti/release.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { HOLDER_BYTES = 64, RESOURCE_CBIDS = 24 };

struct subscriber {
	callback_fn callback;
	void *user;
	char name[HOLDER_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct subscriber only;
static _Atomic(struct subscriber *) current;
static atomic_uchar enabled[DOMAINS][CBIDS];

uint32_t callbacks_limit(uint32_t domain)
{
	switch (domain) {
	case DOMAIN_DRIVER:
		return release_here()->driver_cbids;
	case DOMAIN_RUNTIME:
		return release_here()->runtime_cbids;
	case DOMAIN_RESOURCE:
		return RESOURCE_CBIDS;
	}
	return 0;
}

static void callbacks_send(uint32_t domain, uint32_t cbid, const void *data)
{
	struct subscriber *subscriber = atomic_load(&current);

	if (!subscriber)
		return;
	client_enter();
	subscriber->callback(subscriber->user, domain, cbid, data);
	client_leave();
}

void callbacks_call(struct sim_call *call, int site, uint32_t correlation)
{
	struct callback_data data = {.site = site,
								 .function = call->function,
								 .params = call->params,
								 .result = site ? &call->result : NULL,
								 .symbol = call->symbol,
								 .context = call->context,
								 .context_id = call->context_id,
								 .correlation_data = &call->data,
								 .correlation = correlation};

	if (call->cbid < CBIDS && atomic_load(&enabled[call->domain][call->cbid]))
		callbacks_send(call->domain, call->cbid, &data);
}

void callbacks_resource(uint32_t cbid, void *context)
{
	struct resource_data data = {context, NULL, NULL};

	if (cbid < RESOURCE_CBIDS && atomic_load(&enabled[DOMAIN_RESOURCE][cbid]))
		callbacks_send(DOMAIN_RESOURCE, cbid, &data);
}

void callbacks_forget(void)
{
	pthread_mutex_lock(&lock);
	for (uint32_t domain = 0; domain < DOMAINS; domain++)
		for (uint32_t cbid = 0; cbid < CBIDS; cbid++)
			atomic_store(&enabled[domain][cbid], 0);
	atomic_store(&current, NULL);
	pthread_mutex_unlock(&lock);
}

/* Somebody else has the slot, which only the newest way to subscribe tells by name. */
static enum result callbacks_refuse(struct subscriber_params *params)
{
	const char *name = atomic_load(&current) ? only.name : knobs()->holder;

	if (params && params->old_name && params->old_name_bytes)
		snprintf(params->old_name, params->old_name_bytes, "%s", name);
	return strncmp(release_here()->name, "11.", 3) ? MULTIPLE_SUBSCRIBERS : MAX_LIMIT_REACHED;
}

enum result callbacks_subscribe(void **subscriber, callback_fn callback, void *user,
								struct subscriber_params *params)
{
	enum result result = OK;

	pthread_mutex_lock(&lock);
	if (atomic_load(&current) || knobs()->busy) {
		result = callbacks_refuse(params);
	} else {
		only.callback = callback;
		only.user = user;
		snprintf(only.name, sizeof(only.name), "CUPTI for %s",
				 params && params->name ? params->name : "<not provided>");
		atomic_store(&current, &only);
		*subscriber = &only;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

bool callbacks_has(const void *subscriber)
{
	return subscriber == atomic_load(&current);
}

void callbacks_enable(uint32_t domain, uint32_t cbid, bool on)
{
	atomic_store(&enabled[domain][cbid], on);
}

bool callbacks_enabled(uint32_t domain, uint32_t cbid)
{
	return atomic_load(&enabled[domain][cbid]);
}
