/* Who may subscribe when somebody has: the codes that a tool must expect. */
#include "section.h"

#include "activity.h"
#include "result.h"
#include "work.h"

static void no_callback(void *user, int domain, uint32_t cbid, const void *data)
{
	(void)user;
	(void)domain;
	(void)cbid;
	(void)data;
}

static void tell(const char *what, int rc)
{
	result_text(what, "%d %s", rc, cupti_error(rc));
}

static void second_subscriber(void)
{
	char holder[128] = "";
	struct cupti_subscriber_params params = {sizeof(params), "baton probe 2", holder,
											 sizeof(holder)};
	void *second = NULL;
	int rc;

	rc = cupti.subscribe(&second, no_callback, NULL);
	tell("second cuptiSubscribe", rc);
	if (rc == 0)
		tell("unsubscribe the second", cupti.unsubscribe(second));
	if (!result_have("cuptiSubscribe_v2", cupti.subscribe2))
		return;
	rc = cupti.subscribe2(&second, no_callback, NULL, &params);
	tell("second cuptiSubscribe_v2", rc);
	result_text("it names the holder", "\"%s\"", holder);
	if (rc == 0)
		tell("unsubscribe that one", cupti.unsubscribe(second));
}

static void subscribe_run(const char *variant)
{
	void *first = NULL;

	(void)variant;
	if (!work_init() || !work_cupti() || !result_have("cuptiSubscribe", cupti.subscribe) ||
		!result_have("cuptiUnsubscribe", cupti.unsubscribe) ||
		!result_have("cuptiEnableCallback", cupti.enable_callback))
		return;
	if (activity_start((struct activity_options){0})) {
		result_text("activity without a subscriber", "%s",
					activity_enable(KIND_KERNEL) ? "accepted" : "refused");
		if (work_begin()) {
			activity_flush(1);
			result_value("records it gave", "count", (int64_t)activity.record_count);
		}
	}
	tell("first cuptiSubscribe", cupti.subscribe(&first, no_callback, NULL));
	second_subscriber();
	tell("unsubscribe the first", cupti.unsubscribe(first));
	tell("subscribe once more", cupti.subscribe(&first, no_callback, NULL));
	tell("unsubscribe that one too", cupti.unsubscribe(first));
	/* what may crash comes last */
	tell("enable a callback without a subscriber",
		 cupti.enable_callback(1, NULL, DOMAIN_DRIVER, CBID_LAUNCH));
	tell("unsubscribe it again", cupti.unsubscribe(first));
}

const struct section section_subscribe = {"subscribe", "all", 1, 20, subscribe_run};
