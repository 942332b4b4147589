/* Subscribing, and which calls are heard of. */
#include "doubles/cupti/callbacks.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/gate.h"
#include "doubles/cupti/names.h"
#include "doubles/cupti/observer.h"
#include "doubles/cupti/release.h"
#include <stdlib.h>

/* CUPTI, loaded after the driver, ends before it, and before whatever a subscriber made earlier: a
 * tool must not hear of contexts when its own objects are gone (PyTorch's would crash). */
static void leave(void)
{
	const struct driver *driver = driver_ready();

	if (driver && driver->end_contexts)
		driver->end_contexts();
}

static enum result subscribe(void **subscriber, callback_fn callback, void *user,
							 struct subscriber_params *params)
{
	enum result result = callbacks_subscribe(subscriber, callback, user, params);

	if (!result) {
		atexit(leave); /* of this subscriber, not of one before it */
		observer_attach();
	}
	return result;
}

enum result cuptiSubscribe(void **subscriber, callback_fn callback, void *user)
{
	enum result result = gate();

	if (result)
		return result;
	if (!subscriber || !callback)
		return INVALID_PARAMETER;
	return subscribe(subscriber, callback, user, NULL);
}

/* The structure grew once. Whether newer releases take the shorter one is not known. */
static size_t params_bytes(void)
{
	return release_here()->version >= 130200 ? sizeof(struct subscriber_params)
											 : offsetof(struct subscriber_params, allow_multiple);
}

enum result cuptiSubscribe_v2(void **subscriber, callback_fn callback, void *user,
							  struct subscriber_params *params)
{
	enum result result = gate();

	if (result)
		return result;
	if (!subscriber || !callback || (params && params->size != params_bytes()))
		return INVALID_PARAMETER;
	return subscribe(subscriber, callback, user, params);
}

/* These look at their argument first: without a driver a NULL subscriber gets INVALID_PARAMETER. */
static enum result check(const void *subscriber)
{
	enum result result = gate_open();

	if (result)
		return result;
	if (!subscriber)
		return INVALID_PARAMETER;
	result = gate();
	if (result)
		return result;
	return callbacks_has(subscriber) ? OK : INVALID_PARAMETER;
}

enum result cuptiUnsubscribe(void *subscriber)
{
	enum result result = check(subscriber);

	if (!result)
		callbacks_forget();
	return result;
}

enum result cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	enum result result = check(subscriber);

	if (result)
		return result;
	if (!cbid || cbid >= callbacks_limit(domain))
		return INVALID_PARAMETER;
	callbacks_enable(domain, cbid, enable != 0);
	return OK;
}

enum result cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain)
{
	enum result result = check(subscriber);

	if (result)
		return result;
	if (!callbacks_limit(domain))
		return INVALID_PARAMETER;
	for (uint32_t cbid = 1; cbid < callbacks_limit(domain); cbid++)
		callbacks_enable(domain, cbid, enable != 0);
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
	enum result result = check(subscriber);

	if (result)
		return result;
	if (!enable || !cbid || cbid >= callbacks_limit(domain))
		return INVALID_PARAMETER;
	*enable = callbacks_enabled(domain, cbid);
	return OK;
}

enum result cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	enum result result = gate_open();

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
	enum result result = gate();

	if (result)
		return result;
	if (!count || !domains)
		return INVALID_PARAMETER;
	*count = sizeof(all) / sizeof(*all);
	*domains = all;
	return OK;
}
