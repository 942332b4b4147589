/* Before there is a driver; subscribers and their callbacks. */
#include "cupti_cases.h"
#include "cupti_client.h"
#include "fake_driver.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- without a driver ---- */

static void nothing(void *user, int domain, unsigned cbid, const void *data)
{
	(void)user, (void)domain, (void)cbid, (void)data;
}

static void case_driverless_crash(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		uint32_t n;
		cupti.GetVersion(&n);
		_exit(0);
	}
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status));
	CHECK_IS(WTERMSIG(status), SIGABRT);
}

void case_driverless(void)
{
	bool all = version >= 1303; /* fails even what needs no driver */
	int error = version >= 1300 ? CUPTI_UNKNOWN : CUPTI_NOT_INITIALIZED;
	uint32_t n = 0;
	uint64_t t = 0;
	void *subscriber = NULL;
	const char *text = NULL;

	if (version == 1302) {
		case_driverless_crash();
		return;
	}
	CHECK_IS(cupti.GetVersion(&n), all ? error : 0);
	CHECK_IS(cupti.GetTimestamp(&t), all ? error : 0);
	CHECK_IS(t != 0, !all);
	CHECK_IS(cupti.Subscribe(&subscriber, nothing, NULL), error);
	CHECK_IS(cupti.ActivityEnable(CUPTI_KIND_MEMCPY), error);
	CHECK_IS(cupti.ActivityFlushAll(0), error);
	CHECK_IS(cupti.ActivityFlushPeriod(1000), error);
	CHECK_IS(cupti.SetThreadIdType(1), error);
	CHECK_IS(cupti.EnableCallback(1, NULL, CUPTI_DOMAIN_RUNTIME, 211), all ? error : 1);
	CHECK_IS(cupti.EnableDomain(1, NULL, CUPTI_DOMAIN_RUNTIME), all ? error : 1);
	CHECK_IS(cupti.Unsubscribe(NULL), all ? error : 1);
	CHECK_IS(cupti.GetResultString(39, &text), all ? error : 0);
	CHECK_IS(text != NULL, !all);
	CHECK_IS(cupti.Subscribe_v2 != NULL, version >= 1300);
	CHECK_IS(cupti.ActivityEnableHWTrace != NULL, version >= 1200);
	if (cupti.ActivityEnableHWTrace)
		CHECK_IS(cupti.ActivityEnableHWTrace(1), error);
	client_record();
	CHECK_IS(recorder.requests, 0);
	fake_set_ready(true); /* and then cuInit succeeds after all */
	CHECK_IS(cupti.Subscribe(&subscriber, nothing, NULL), CUPTI_OK);
}

void case_fork(void)
{
	int status;
	pid_t child;

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	end_kernel(launch(0, 1));
	child = fork();
	if (!child) {
		alarm(10);
		_exit(version == 1302 ? 0 : cupti.ActivityFlushAll(1) == 0);
	}
	waitpid(child, &status, 0);
	CHECK(WIFEXITED(status));
	CHECK_IS(WEXITSTATUS(status), 0);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 1);
}

/* ---- subscribing and callbacks ---- */

void case_subscribe(void)
{
	int taken = version < 1200 ? CUPTI_MAX_LIMIT_REACHED : CUPTI_MULTIPLE_SUBSCRIBERS;
	void *first = NULL, *second = NULL;

	fake_set_ready(true);
	CHECK_IS(cupti.Subscribe(&first, nothing, NULL), CUPTI_OK);
	CHECK_IS(cupti.Subscribe(&second, nothing, NULL), taken);
	CHECK(first && !second);
	CHECK_IS(cupti.EnableCallback(1, &second, CUPTI_DOMAIN_RUNTIME, 211), CUPTI_INVALID_PARAMETER);
	CHECK_IS(cupti.Unsubscribe(first), CUPTI_OK);
	CHECK_IS(cupti.Unsubscribe(first), CUPTI_INVALID_PARAMETER);
	CHECK_IS(cupti.Subscribe(&second, nothing, NULL), CUPTI_OK);
	/* a call number of a later release, of no domain */
	CHECK_IS(cupti.EnableCallback(1, second, CUPTI_DOMAIN_RUNTIME, 211), CUPTI_OK);
	CHECK_IS(
		cupti.EnableCallback(1, second, CUPTI_DOMAIN_RUNTIME, CUPTI_CBID___cudaLaunchKernel_v13000),
		version >= 1300 ? CUPTI_OK : CUPTI_INVALID_PARAMETER);
	CHECK_IS(cupti.EnableCallback(1, second, 17, 211), CUPTI_INVALID_PARAMETER);
}

void case_holder(void)
{
	char holder[64] = "";
	struct cupti_subscriber_params mine = {.name = "baton"};
	struct cupti_subscriber_params other = {.name = "late", .holder = holder, .holder_bytes = 64};
	void *subscriber;

	if (!cupti.Subscribe_v2)
		return;
	fake_set_ready(true);
	mine.size = other.size =
		version >= 1302 ? CUPTI_SUBSCRIBER_PARAMS_13_2 : CUPTI_SUBSCRIBER_PARAMS_13_0;
	CHECK_IS(cupti.Subscribe_v2(&subscriber, nothing, NULL, &mine), CUPTI_OK);
	CHECK_IS(cupti.Subscribe_v2(&subscriber, nothing, NULL, &other), CUPTI_MULTIPLE_SUBSCRIBERS);
	CHECK(!strcmp(holder, "CUPTI for baton"));
	other.size = 8;
	CHECK_IS(cupti.Subscribe_v2(&subscriber, nothing, NULL, &other), CUPTI_INVALID_PARAMETER);
}

/* A tool that was there before the process, as nsys is. */
void case_busy(void)
{
	void *subscriber = NULL;

	setenv("SIMGPU_CUPTI_BUSY", "Nsight Systems", 1);
	fake_set_ready(true);
	CHECK_IS(cupti.Subscribe(&subscriber, nothing, NULL),
			 version < 1200 ? CUPTI_MAX_LIMIT_REACHED : CUPTI_MULTIPLE_SUBSCRIBERS);
}

struct seen {
	int site, domain, result;
	unsigned cbid, correlation, context;
	unsigned long long data;
	char symbol[32];
};
static struct seen seen[16];
static unsigned seen_count;

static void see(void *user, int domain, unsigned cbid, const void *data)
{
	const struct cupti_call *call = data;
	struct seen *s = &seen[seen_count++];

	CHECK(user == &seen_count);
	s->domain = domain;
	s->cbid = cbid;
	if (domain == CUPTI_DOMAIN_RESOURCE) {
		CHECK(((const struct cupti_resource_data *)data)->context == FAKE_CONTEXT);
		return;
	}
	s->site = call->site;
	s->correlation = call->correlation;
	s->context = call->context_id;
	if (call->symbol)
		snprintf(s->symbol, sizeof(s->symbol), "%s", call->symbol);
	if (call->site == CUPTI_ENTER)
		*call->data = 1000 + cbid;
	else
		s->result = *(int *)call->result;
	s->data = *call->data;
}

static void nested_launch(int result)
{
	struct sim_call outer = launch_call();
	struct sim_call inner = {.domain = SIM_DRIVER,
							 .cbid = CUPTI_CBID_cuLaunchKernel,
							 .function = "cuLaunchKernel",
							 .symbol = "_Z4gemmPf"};

	fake_enter(&outer);
	inner.correlation = outer.correlation;
	fake_enter(&inner);
	fake_leave(&inner, result, 1);
	fake_leave(&outer, result, 1);
}

void case_callbacks(void)
{
	void *subscriber;

	fake_set_ready(true);
	CHECK_IS(cupti.Subscribe(&subscriber, see, &seen_count), CUPTI_OK);
	nested_launch(0);
	CHECK_IS(seen_count, 0); /* nothing was enabled */
	CHECK_IS(cupti.EnableCallback(1, subscriber, CUPTI_DOMAIN_RUNTIME, 211), CUPTI_OK);
	CHECK_IS(cupti.EnableCallback(1, subscriber, CUPTI_DOMAIN_DRIVER, 307), CUPTI_OK);
	nested_launch(719);
	CHECK_IS(seen_count, 4);
	CHECK_IS(seen[0].domain, CUPTI_DOMAIN_RUNTIME);
	CHECK_IS(seen[1].domain, CUPTI_DOMAIN_DRIVER);
	CHECK_IS(seen[1].site, CUPTI_ENTER);
	CHECK_IS(seen[2].domain, CUPTI_DOMAIN_DRIVER);
	CHECK_IS(seen[2].site, CUPTI_EXIT);
	CHECK_IS(seen[3].domain, CUPTI_DOMAIN_RUNTIME);
	CHECK_IS(seen[3].site, CUPTI_EXIT);
	CHECK_IS(seen[3].result, 719);
	CHECK_IS(seen[3].data, 1211); /* kept from the entry, apart from the driver call's */
	CHECK_IS(seen[2].data, 1307);
	CHECK_IS(seen[0].correlation, 2);
	for (int i = 0; i < 4; i++) {
		CHECK_IS(seen[i].correlation, seen[0].correlation);
		CHECK_IS(seen[i].context, 7);
		CHECK(!strcmp(seen[i].symbol, "_Z4gemmPf"));
	}
	CHECK_IS(cupti.EnableCallback(0, subscriber, CUPTI_DOMAIN_DRIVER, 307), CUPTI_OK);
	nested_launch(0);
	CHECK_IS(seen_count, 6);
	CHECK_IS(cupti.EnableCallback(1, subscriber, CUPTI_DOMAIN_RESOURCE,
								  CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING),
			 CUPTI_OK);
	fake_resource(SIM_CONTEXT_CREATED, FAKE_CONTEXT, 7);
	fake_resource(SIM_CONTEXT_DESTROY_STARTING, FAKE_CONTEXT, 7);
	CHECK_IS(seen_count, 7);
	CHECK_IS(seen[6].cbid, CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING);
	CHECK_IS(cupti.Unsubscribe(subscriber), CUPTI_OK);
	nested_launch(0);
	CHECK_IS(seen_count, 7);
}

void case_names(void)
{
	const char *name = NULL;

	fake_set_ready(true);
	CHECK_IS(cupti.GetCallbackName(CUPTI_DOMAIN_RUNTIME, 211, &name), CUPTI_OK);
	CHECK(!strcmp(name, "cudaLaunchKernel_v7000"));
	CHECK_IS(cupti.GetCallbackName(CUPTI_DOMAIN_DRIVER, 307, &name), CUPTI_OK);
	CHECK(!strcmp(name, "cuLaunchKernel"));
	CHECK_IS(cupti.GetCallbackName(CUPTI_DOMAIN_RUNTIME, 5000, &name), CUPTI_INVALID_PARAMETER);
}
