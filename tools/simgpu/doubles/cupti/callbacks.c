#include "doubles/cupti/callbacks.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/errors.h"
#include "doubles/cupti/knobs.h"
#include "doubles/cupti/names.h"
#include "doubles/cupti/observer.h"
#include "doubles/cupti/release.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
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
static atomic_uchar enabled[DOMAINS][CALLBACKS_CBIDS];

static uint32_t callbacks_limit(uint32_t domain)
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
	errors_callback_begin();
	subscriber->callback(subscriber->user, domain, cbid, data);
	errors_callback_end();
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

	if (call->cbid < CALLBACKS_CBIDS && atomic_load(&enabled[call->domain][call->cbid]))
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
		for (uint32_t cbid = 0; cbid < CALLBACKS_CBIDS; cbid++)
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

/* CUPTI, loaded after the driver, ends before it, and before whatever a subscriber made earlier: a
 * tool must not hear of contexts when its own objects are gone (PyTorch's would crash). */
static void callbacks_leave(void)
{
	const struct driver *driver = driver_ready();

	if (driver && driver->end_contexts)
		driver->end_contexts();
}

static enum result callbacks_subscribe(void **subscriber, callback_fn callback, void *user,
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
				 params && params->name ? params->name : "");
		atomic_store(&current, &only);
		*subscriber = &only;
	}
	pthread_mutex_unlock(&lock);
	if (!result) {
		atexit(callbacks_leave); /* of this subscriber, not of one before it */
		observer_attach();
	}
	return result;
}

enum result cuptiSubscribe(void **subscriber, callback_fn callback, void *user)
{
	enum result result = errors_gate();

	if (result)
		return result;
	if (!subscriber || !callback)
		return INVALID_PARAMETER;
	return callbacks_subscribe(subscriber, callback, user, NULL);
}

/* The structure grew once; whether a newer release takes the shorter one is not known, so not here.
 */
static size_t callbacks_params_bytes(void)
{
	return release_here()->version >= 130200 ? sizeof(struct subscriber_params)
											 : offsetof(struct subscriber_params, allow_multiple);
}

enum result cuptiSubscribe_v2(void **subscriber, callback_fn callback, void *user,
							  struct subscriber_params *params)
{
	enum result result = errors_gate();

	if (result)
		return result;
	if (!subscriber || !callback || (params && params->size != callbacks_params_bytes()))
		return INVALID_PARAMETER;
	return callbacks_subscribe(subscriber, callback, user, params);
}

/* These look at their argument first: without a driver a NULL subscriber gets INVALID_PARAMETER. */
static enum result callbacks_check(const void *subscriber)
{
	enum result result = errors_gate_open();

	if (result)
		return result;
	if (!subscriber)
		return INVALID_PARAMETER;
	result = errors_gate();
	if (result)
		return result;
	return subscriber == atomic_load(&current) ? OK : INVALID_PARAMETER;
}

enum result cuptiUnsubscribe(void *subscriber)
{
	enum result result = callbacks_check(subscriber);

	if (!result)
		callbacks_forget();
	return result;
}

enum result cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	enum result result = callbacks_check(subscriber);

	if (result)
		return result;
	if (!cbid || cbid >= callbacks_limit(domain))
		return INVALID_PARAMETER;
	atomic_store(&enabled[domain][cbid], enable != 0);
	return OK;
}

enum result cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain)
{
	enum result result = callbacks_check(subscriber);

	if (result)
		return result;
	if (!callbacks_limit(domain))
		return INVALID_PARAMETER;
	for (uint32_t cbid = 1; cbid < callbacks_limit(domain); cbid++)
		atomic_store(&enabled[domain][cbid], enable != 0);
	return OK;
}

enum result cuptiEnableAllDomains(uint32_t enable, void *subscriber)
{
	enum result result = OK;

	for (uint32_t domain = DOMAIN_DRIVER; domain < DOMAINS && !result; domain++)
		result = cuptiEnableDomain(enable, subscriber, domain);
	return result;
}

enum result cuptiGetCallbackState(uint32_t *enable, void *subscriber, uint32_t domain,
								  uint32_t cbid)
{
	enum result result = callbacks_check(subscriber);

	if (result)
		return result;
	if (!enable || !cbid || cbid >= callbacks_limit(domain))
		return INVALID_PARAMETER;
	*enable = atomic_load(&enabled[domain][cbid]);
	return OK;
}

enum result cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	enum result result = errors_gate_open();

	if (result)
		return result;
	if (!name)
		return INVALID_PARAMETER;
	*name = cbid < callbacks_limit(domain) ? names_find(domain, cbid) : NULL;
	return *name ? OK : INVALID_PARAMETER;
}

enum result cuptiSupportedDomains(size_t *count, const uint32_t **domains)
{
	static const uint32_t all[] = {DOMAIN_DRIVER, DOMAIN_RUNTIME, DOMAIN_RESOURCE};
	enum result result = errors_gate();

	if (result)
		return result;
	if (!count || !domains)
		return INVALID_PARAMETER;
	*count = sizeof(all) / sizeof(*all);
	*domains = all;
	return OK;
}
