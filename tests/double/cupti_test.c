/* The libcupti double, one case per process: cupti_test DIRECTORY RELEASE CASE, or "list". */
#include "cupti_client.h"
#include "fake_driver.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *release;
static int version; /* 1208 for 12.8 */

#define CHECK(condition)                                           \
	do {                                                           \
		if (!(condition)) {                                        \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                               \
		}                                                          \
	} while (0)
#define CHECK_IS(value, expected)                                                              \
	do {                                                                                       \
		long long is_ = (long long)(value), should_ = (long long)(expected);                   \
		if (is_ != should_) {                                                                  \
			printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #value, is_, should_); \
			exit(1);                                                                           \
		}                                                                                      \
	} while (0)

/* ---- what the tests do with the driver ---- */

static struct sim_call launch_call(void)
{
	return (struct sim_call){.domain = SIM_RUNTIME,
							 .cbid = CUPTI_CBID_cudaLaunchKernel_v7000,
							 .function = "cudaLaunchKernel",
							 .symbol = "_Z4gemmPf"};
}

static uint32_t launch(int result, uint32_t ops)
{
	struct sim_call call = launch_call();

	fake_enter(&call);
	fake_leave(&call, result, ops);
	return call.correlation;
}

static struct sim_record kernel_of(uint32_t correlation)
{
	return (struct sim_record){.kind = SIM_KERNEL,
							   .start_ns = 1000000 + correlation,
							   .end_ns = 2000000 + correlation,
							   .device = 3,
							   .context = 7,
							   .stream = 9,
							   .correlation = correlation,
							   .name = "_Z4gemmPf",
							   .grid = {1, 2, 3},
							   .block = {4, 5, 6}};
}

static void end_kernel(uint32_t correlation)
{
	struct sim_record record = kernel_of(correlation);

	fake_op(&record);
}

static void start(int kind)
{
	fake_set_ready(true);
	client_record();
	CHECK_IS(cupti.ActivityEnable(kind), CUPTI_OK);
}

/* Waits for what another thread delivers. */
static bool wait_records(unsigned count)
{
	for (int i = 0; i < 2000; i++) {
		if (client_count(CUPTI_KIND_CONCURRENT_KERNEL) >= count)
			return true;
		usleep(1000);
	}
	return false;
}

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

static void case_driverless(void)
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

static void case_fork(void)
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

static void case_subscribe(void)
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

static void case_holder(void)
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
static void case_busy(void)
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

static void case_callbacks(void)
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

static void case_names(void)
{
	const char *name = NULL;

	fake_set_ready(true);
	CHECK_IS(cupti.GetCallbackName(CUPTI_DOMAIN_RUNTIME, 211, &name), CUPTI_OK);
	CHECK(!strcmp(name, "cudaLaunchKernel_v7000"));
	CHECK_IS(cupti.GetCallbackName(CUPTI_DOMAIN_DRIVER, 307, &name), CUPTI_OK);
	CHECK(!strcmp(name, "cuLaunchKernel"));
	CHECK_IS(cupti.GetCallbackName(CUPTI_DOMAIN_RUNTIME, 5000, &name), CUPTI_INVALID_PARAMETER);
}

/* ---- records ---- */

/* Bytes of a record; from the vendor's headers (layouts_test.py), said here a third time. */
static unsigned record_bytes(uint32_t kind)
{
	switch (kind) {
	case CUPTI_KIND_KERNEL:
	case CUPTI_KIND_CONCURRENT_KERNEL:
		return version >= 1304   ? 248
			   : version == 1303 ? 232
			   : version >= 1301 ? 224
			   : version == 1300 ? 216
			   : version >= 1200 ? 208
								 : 200;
	case CUPTI_KIND_MEMCPY:
		return version >= 1304 ? 112 : version >= 1208 ? 96 : 88;
	case CUPTI_KIND_MEMCPY2:
		return 96;
	case CUPTI_KIND_MEMSET:
		return version >= 1304 ? 104 : 88;
	case CUPTI_KIND_SYNCHRONIZATION:
		return version >= 1208 ? 56 : 40;
	case CUPTI_KIND_GRAPH_TRACE:
		return version >= 1203 ? 56 : 48;
	case CUPTI_KIND_OVERHEAD:
		return version >= 1204 ? 56 : version == 1203 ? 48 : 40;
	case CUPTI_KIND_CUDA_EVENT:
		return version >= 1305 ? 80 : version >= 1208 ? 56 : 24;
	case CUPTI_KIND_EXTERNAL_CORRELATION:
		return 24;
	}
	return 40; /* API */
}

static uint32_t other_call(const char *function, uint32_t cbid, const void *params, uint32_t ops)
{
	struct sim_call call = {
		.domain = SIM_RUNTIME, .cbid = cbid, .function = function, .params = params};

	fake_enter(&call);
	fake_leave(&call, 0, ops);
	return call.correlation;
}

static void one_of_each(void)
{
	struct sim_record copy = kernel_of(0), peer = kernel_of(0), set = kernel_of(0);
	void *event_and_stream[2] = {(void *)5, (void *)6};
	struct sim_sync sync = {SIM_SYNC_STREAM, 100, 200, 0, 7, 9, 0};

	end_kernel(launch(0, 1));
	copy.kind = SIM_MEMCPY;
	copy.bytes = 4096;
	copy.copy_kind = CUPTI_COPY_HTOD;
	copy.source_kind = CUPTI_MEMORY_PAGEABLE;
	copy.target_kind = CUPTI_MEMORY_DEVICE;
	copy.correlation = other_call("cudaMemcpyAsync", 41, NULL, 1);
	fake_op(&copy);
	peer = copy; /* only the op tells that this one was between devices */
	peer.kind = SIM_MEMCPY_PEER;
	peer.copy_kind = CUPTI_COPY_PTOP;
	peer.source_device = 1;
	peer.target_device = 2;
	peer.correlation = other_call("cudaMemcpyAsync", 41, NULL, 1);
	fake_op(&peer);
	set.kind = SIM_MEMSET;
	set.bytes = 512;
	set.value = 77;
	set.correlation = other_call("cudaMemsetAsync", 51, NULL, 1);
	fake_op(&set);
	sync.correlation = other_call("cudaStreamSynchronize", 131, NULL, 0);
	fake_sync(&sync);
	other_call("cudaEventRecord", 135, event_and_stream, 0);
}

static void case_records(void)
{
	static const int kinds[] = {CUPTI_KIND_CONCURRENT_KERNEL,
								CUPTI_KIND_MEMCPY,
								CUPTI_KIND_MEMCPY2,
								CUPTI_KIND_MEMSET,
								CUPTI_KIND_SYNCHRONIZATION,
								CUPTI_KIND_RUNTIME,
								CUPTI_KIND_EXTERNAL_CORRELATION,
								CUPTI_KIND_OVERHEAD,
								CUPTI_KIND_CUDA_EVENT};
	const struct client_record *r;
	uint64_t id;

	fake_set_ready(true);
	client_record();
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		CHECK_IS(cupti.ActivityEnable(kinds[i]), CUPTI_OK);
	CHECK_IS(cupti.ActivityEnable(CUPTI_KIND_KERNEL), CUPTI_NOT_COMPATIBLE);
	CHECK_IS(cupti.ActivityEnable(63), CUPTI_INVALID_KIND);
	CHECK_IS(cupti.SetThreadIdType(CUPTI_THREAD_ID_SYSTEM), CUPTI_OK);
	CHECK_IS(cupti.ActivityPushExternalCorrelationId(3, 4242), CUPTI_OK);
	one_of_each();
	CHECK_IS(cupti.ActivityPopExternalCorrelationId(3, &id), CUPTI_OK);
	CHECK_IS(id, 4242);
	CHECK_IS(cupti.ActivityPopExternalCorrelationId(3, &id), 18);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(recorder.deliveries, 1);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK); /* the first one's overhead */
	CHECK_IS(recorder.last_step, CUPTI_MAX_LIMIT_REACHED);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		r = client_find((uint32_t)kinds[i], 0);
		if (!r)
			printf("no record of kind %d\n", kinds[i]);
		CHECK(r);
		CHECK_IS(r->size, record_bytes((uint32_t)kinds[i]));
	}

	r = client_find(CUPTI_KIND_CONCURRENT_KERNEL, 0);
	CHECK_IS(client_u64(r, CUPTI_KERNEL_START), 1000001);
	CHECK_IS(client_u64(r, CUPTI_KERNEL_END), 2000001);
	CHECK_IS(client_u32(r, CUPTI_KERNEL_DEVICE), 3);
	CHECK_IS(client_u32(r, CUPTI_KERNEL_CONTEXT), 7);
	CHECK_IS(client_u32(r, CUPTI_KERNEL_STREAM), 9);
	CHECK_IS(client_u32(r, CUPTI_KERNEL_CORRELATION), 1);
	CHECK_IS(client_u32(r, CUPTI_KERNEL_GRID + 4), 2);
	CHECK_IS(client_u32(r, CUPTI_KERNEL_BLOCK + 8), 6);
	CHECK(!strcmp((const char *)client_u64(r, CUPTI_KERNEL_NAME), "_Z4gemmPf"));

	r = client_find(CUPTI_KIND_MEMCPY, 0);
	CHECK_IS(client_count(CUPTI_KIND_MEMCPY), 1);
	CHECK_IS(r->bytes[CUPTI_MEMCPY_COPY_KIND], CUPTI_COPY_HTOD);
	CHECK_IS(r->bytes[CUPTI_MEMCPY_SOURCE_KIND], CUPTI_MEMORY_PAGEABLE);
	CHECK_IS(r->bytes[CUPTI_MEMCPY_TARGET_KIND], CUPTI_MEMORY_DEVICE);
	CHECK_IS(client_u64(r, CUPTI_MEMCPY_BYTES), 4096);
	CHECK_IS(client_u32(r, CUPTI_MEMCPY_CORRELATION), 2);

	r = client_find(CUPTI_KIND_MEMCPY2, 0);
	CHECK_IS(client_u32(r, CUPTI_MEMCPY2_CORRELATION), 3);
	CHECK_IS(client_u32(r, CUPTI_MEMCPY2_SOURCE_DEVICE), 1);
	CHECK_IS(client_u32(r, CUPTI_MEMCPY2_TARGET_DEVICE), 2);

	r = client_find(CUPTI_KIND_MEMSET, 0);
	CHECK_IS(client_u32(r, CUPTI_MEMSET_VALUE), 77);
	CHECK_IS(client_u64(r, CUPTI_MEMSET_BYTES), 512);

	r = client_find(CUPTI_KIND_SYNCHRONIZATION, 0);
	CHECK_IS(client_u32(r, CUPTI_SYNC_TYPE), CUPTI_SYNC_STREAM);
	CHECK_IS(client_u64(r, CUPTI_SYNC_START), 100);
	CHECK_IS(client_u32(r, CUPTI_SYNC_CORRELATION), 5);

	CHECK_IS(client_count(CUPTI_KIND_RUNTIME), 6);
	r = client_find(CUPTI_KIND_RUNTIME, 0);
	CHECK_IS(client_u32(r, CUPTI_API_CBID), 211);
	CHECK_IS(client_u32(r, CUPTI_API_THREAD), gettid());
	CHECK_IS(client_u32(r, CUPTI_API_PROCESS), getpid());
	CHECK(client_u64(r, CUPTI_API_START) <= client_u64(r, CUPTI_API_END));

	CHECK_IS(client_count(CUPTI_KIND_EXTERNAL_CORRELATION), 6);
	r = client_find(CUPTI_KIND_EXTERNAL_CORRELATION, 0);
	CHECK_IS(client_u64(r, CUPTI_EXTERNAL_ID), 4242);
	CHECK_IS(client_u32(r, CUPTI_EXTERNAL_CORRELATION), 1);

	r = client_find(CUPTI_KIND_OVERHEAD, 0);
	CHECK_IS(client_u32(r, CUPTI_OVERHEAD_KIND), CUPTI_OVERHEAD_BUFFER_FLUSH);
	CHECK_IS(client_u32(r, CUPTI_OVERHEAD_OBJECT_KIND), CUPTI_OBJECT_THREAD);
	CHECK_IS(client_u32(r, CUPTI_OVERHEAD_THREAD), gettid());

	r = client_find(CUPTI_KIND_CUDA_EVENT, 0);
	CHECK_IS(client_u32(r, CUPTI_EVENT_ID), 5);
	CHECK_IS(client_u32(r, CUPTI_EVENT_STREAM), 106);
}

static void case_graph_trace(void)
{
	struct sim_record node;
	const struct client_record *r;
	uint32_t correlation;

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	CHECK_IS(cupti.ActivityEnable(CUPTI_KIND_GRAPH_TRACE), CUPTI_OK);
	correlation = other_call("cudaGraphLaunch", CUPTI_CBID_cudaGraphLaunch_v10000, NULL, 3);
	for (int i = 0; i < 3; i++) {
		node = kernel_of(correlation);
		node.graph = 12;
		node.start_ns = 5000 + 1000 * i;
		node.end_ns = 5900 + 1000 * i;
		fake_op(&node);
	}
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 0);
	CHECK_IS(client_count(CUPTI_KIND_GRAPH_TRACE), 1);
	r = client_find(CUPTI_KIND_GRAPH_TRACE, 0);
	CHECK_IS(r->size, record_bytes(CUPTI_KIND_GRAPH_TRACE));
	CHECK_IS(client_u64(r, CUPTI_GRAPH_START), 5000);
	CHECK_IS(client_u64(r, CUPTI_GRAPH_END), 7900);
	CHECK_IS(client_u32(r, CUPTI_GRAPH_ID), 12);
	CHECK_IS(client_u32(r, CUPTI_GRAPH_CORRELATION), correlation);
}

/* ---- buffers ---- */

static void case_flush(void)
{
	uint32_t first, second;

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	CHECK_IS(recorder.requests, 0);
	first = launch(0, 1);
	CHECK_IS(recorder.requests, 1); /* at the first record, by the thread that makes it */
	CHECK_IS(recorder.request_thread, gettid());
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_COMPLETED), CUPTI_OK);
	CHECK_IS(recorder.deliveries, 0); /* it still runs */
	end_kernel(first);
	CHECK_IS(recorder.deliveries, 0); /* neither full nor flushed */
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_COMPLETED), CUPTI_OK);
	CHECK_IS(recorder.deliveries, 1);
	CHECK_IS(client_u64(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 0), CUPTI_KERNEL_END), 2000001);

	first = launch(0, 1);
	second = launch(0, 1);
	end_kernel(second);
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_COMPLETED), CUPTI_OK);
	CHECK_IS(recorder.deliveries, 1); /* one that runs holds back the one that ended */
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 3);
	CHECK_IS(client_u64(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 1), CUPTI_KERNEL_START), 0);
	CHECK_IS(client_u64(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 1), CUPTI_KERNEL_END), 0);
	CHECK_IS(client_u32(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 1), CUPTI_KERNEL_CORRELATION),
			 first);
	CHECK_IS(client_u64(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 2), CUPTI_KERNEL_END),
			 2000000 + second);
	end_kernel(first); /* too late: it went out without its times */
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 3);
}

static void case_invalid_incomplete(void)
{
	setenv("SIMGPU_CUPTI_INCOMPLETE", "invalid", 1);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	end_kernel(launch(0, 1));
	launch(0, 1);
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED), CUPTI_OK);
	CHECK_IS(recorder.last_step, CUPTI_INVALID_KIND);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 1);
}

/* A call that failed, one that was captured, and one that ended before its call returned. */
static void case_no_op(void)
{
	struct sim_call call = launch_call();

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	launch(719, 0);
	launch(0, 0);
	fake_enter(&call);
	end_kernel(call.correlation);
	fake_leave(&call, 0, 1);
	CHECK_IS(cupti.ActivityFlushAll(CUPTI_FLUSH_COMPLETED), CUPTI_OK);
	CHECK_IS(recorder.deliveries, 1);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 1);
	CHECK_IS(client_u32(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 0), CUPTI_KERNEL_CORRELATION), 3);
}

static void case_full(void)
{
	uint32_t last = 0;

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.buffer_bytes = 1024;
	unsigned per_buffer = 1024 / record_bytes(CUPTI_KIND_KERNEL);
	for (unsigned i = 0; i <= per_buffer; i++) {
		last = launch(0, 1);
		if (i)
			end_kernel(last);
	}
	usleep(50000);
	CHECK_IS(recorder.requests, 2);
	CHECK_IS(recorder.deliveries, 0); /* full, but its first kernel still runs */
	end_kernel(1);
	CHECK(wait_records(per_buffer)); /* nobody flushed */
	CHECK_IS(recorder.deliveries, 1);
	CHECK(recorder.delivery_thread != gettid());
	CHECK(recorder.signals_blocked);
	CHECK_IS(client_find(CUPTI_KIND_CONCURRENT_KERNEL, per_buffer - 1)->size,
			 record_bytes(CUPTI_KIND_CONCURRENT_KERNEL));
	/* the other limit of a buffer */
	recorder.max_records = 1;
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	end_kernel(launch(0, 1));
	end_kernel(launch(0, 1));
	CHECK(wait_records(per_buffer + 2));
}

static void *launch_thread(void *unused)
{
	(void)unused;
	end_kernel(launch(0, 1));
	return NULL;
}

static void case_threads(void)
{
	uint8_t value = 9;
	size_t size = 1;
	pthread_t thread;

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	CHECK_IS(cupti.ActivityGetAttribute(CUPTI_ATTRIBUTE_PER_THREAD_BUFFER, &size, &value),
			 version >= 1203 ? CUPTI_OK : CUPTI_INVALID_PARAMETER);
	launch_thread(NULL);
	pthread_create(&thread, NULL, launch_thread, NULL);
	pthread_join(thread, NULL);
	CHECK_IS(recorder.requests, version >= 1203 ? 2 : 1);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 2);
	if (version < 1203)
		return;
	CHECK_IS(value, 1);
	value = 0;
	recorder.requests = 0;
	CHECK_IS(cupti.ActivitySetAttribute(CUPTI_ATTRIBUTE_PER_THREAD_BUFFER, &size, &value),
			 CUPTI_OK);
	launch_thread(NULL);
	pthread_create(&thread, NULL, launch_thread, NULL);
	pthread_join(thread, NULL);
	CHECK_IS(recorder.requests, 1);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 4);
}

/* With a period full buffers wait for its end; buffers that are not full wait for a flush. */
static void case_period(void)
{
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.max_records = 2;
	CHECK_IS(cupti.ActivityFlushPeriod(300), CUPTI_OK);
	usleep(20000);
	for (int i = 0; i < 3; i++)
		end_kernel(launch(0, 1));
	usleep(50000);
	CHECK_IS(recorder.deliveries, 0);
	CHECK(wait_records(2));
	usleep(700000);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 2);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 3);
}

static void case_dropped(void)
{
	size_t n = 9;

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.buffer_bytes = 0;
	end_kernel(launch(0, 1));
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(1), CUPTI_OK);
	CHECK_IS(recorder.count, 0);
	CHECK_IS(cupti.ActivityGetNumDroppedRecords(NULL, 0, &n), CUPTI_OK);
	CHECK_IS(n, 2);
	CHECK_IS(cupti.ActivityGetNumDroppedRecords(NULL, 0, &n), CUPTI_OK);
	CHECK_IS(n, 0);             /* reading it resets it */
	recorder.buffer_bytes = 64; /* too small for a kernel */
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityGetNumDroppedRecords(NULL, 0, &n), CUPTI_OK);
	CHECK_IS(n, 1);
}

static void case_drop_knob(void)
{
	size_t n;

	setenv("SIMGPU_CUPTI_DROP", "3", 1);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	for (int i = 0; i < 9; i++)
		end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 6);
	CHECK_IS(cupti.ActivityGetNumDroppedRecords(NULL, 0, &n), CUPTI_OK);
	CHECK_IS(n, 3);
}

static void case_flush_in_callback(void)
{
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.try_flush = true;
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(recorder.flush_result, CUPTI_INVALID_OPERATION);
	CHECK_IS(recorder.deliveries, 1);
}

static void deadlock_found(int signal)
{
	(void)signal;
	_exit(0);
}

/* A client that holds a lock in FlushAll which its completion callback takes. */
static void case_deadlock(void)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

	setenv("SIMGPU_CUPTI_DEADLOCK_S", "1", 1);
	signal(SIGABRT, deadlock_found);
	alarm(20);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.gate = &gate;
	recorder.max_records = 1;
	pthread_mutex_lock(&gate);
	end_kernel(launch(0, 1));
	launch(0, 1); /* the first one's buffer is full: the worker delivers it */
	usleep(200000);
	cupti.ActivityFlushAll(0);
	CHECK(!"flushed past a callback that hangs");
}

enum { STRESS_THREADS = 4, STRESS_LAUNCHES = 700 };

static void *stress_launch(void *unused)
{
	(void)unused;
	for (int i = 0; i < STRESS_LAUNCHES; i++) {
		struct sim_call call = launch_call();
		bool early = i % 3 == 0;
		fake_enter(&call);
		if (early)
			end_kernel(call.correlation);
		fake_leave(&call, 0, 1);
		if (!early)
			end_kernel(call.correlation);
	}
	return NULL;
}

/* Nothing is lost or doubled while threads launch, buffers fill and somebody flushes. */
static void case_conservation(void)
{
	static unsigned char times[STRESS_THREADS * STRESS_LAUNCHES + 1];
	pthread_t threads[STRESS_THREADS];

	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.buffer_bytes = 4096;
	for (int i = 0; i < STRESS_THREADS; i++)
		pthread_create(&threads[i], NULL, stress_launch, NULL);
	for (int i = 0; i < 100; i++)
		CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	for (int i = 0; i < STRESS_THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(recorder.count, STRESS_THREADS * STRESS_LAUNCHES);
	CHECK_IS(recorder.requests, recorder.deliveries);
	for (unsigned i = 0; i < recorder.count; i++) {
		uint32_t correlation = client_u32(&recorder.records[i], CUPTI_KERNEL_CORRELATION);
		CHECK(correlation && correlation < sizeof(times) && !times[correlation]++);
		CHECK_IS(client_u64(&recorder.records[i], CUPTI_KERNEL_END), 2000000 + correlation);
	}
}

static void case_finalize(void)
{
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	launch(0, 1);
	CHECK_IS(cupti.Finalize(), CUPTI_OK);
	free(recorder.latest_buffer); /* it is never handed back */
	end_kernel(1);
	launch(0, 1);
	CHECK_IS(recorder.deliveries, 0);
	CHECK_IS(recorder.requests, 1);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 1);
}

/* ---- clocks, correlation, order ---- */

/* A clock that runs three times as fast from another origin. */
static uint64_t client_clock(void)
{
	return (uint64_t)(simgpu_now_ns() - INT64_C(1000000000000000000)) * 3;
}

static void case_clock(void)
{
	struct sim_record record = kernel_of(0);
	const struct client_record *r;
	uint64_t before, after;
	int64_t error;

	fake_set_ready(true);
	CHECK_IS(cupti.ActivityRegisterTimestampCallback(client_clock), CUPTI_OK);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	CHECK_IS(cupti.ActivityEnable(CUPTI_KIND_RUNTIME), CUPTI_OK);
	usleep(20000);
	before = client_clock();
	record.correlation = launch(0, 1);
	record.start_ns = simgpu_now_ns();
	record.end_ns = record.start_ns + 1000000;
	after = client_clock();
	usleep(20000);
	fake_op(&record);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	r = client_find(CUPTI_KIND_CONCURRENT_KERNEL, 0);
	CHECK(r);
	/* The line goes through two pairs of readings, each apart by what the scheduler makes of it. */
	error = (int64_t)(client_u64(r, CUPTI_KERNEL_START) - before);
	CHECK(error > -3000000 && error < (int64_t)(after - before) + 3000000);
	error = (int64_t)(client_u64(r, CUPTI_KERNEL_END) - client_u64(r, CUPTI_KERNEL_START));
	CHECK(error > 2500000 && error < 3500000);
	r = client_find(CUPTI_KIND_RUNTIME, 0);
	CHECK(client_u64(r, CUPTI_API_START) >= before && client_u64(r, CUPTI_API_END) <= after);
}

static void case_correlation(void)
{
	setenv("SIMGPU_CUPTI_FIRST_CORRELATION", "0xfffffffe", 1);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	for (int i = 0; i < 4; i++)
		end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_u32(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 0), CUPTI_KERNEL_CORRELATION),
			 0xfffffffe);
	CHECK_IS(client_u32(client_find(CUPTI_KIND_CONCURRENT_KERNEL, 3), CUPTI_KERNEL_CORRELATION), 1);
}

static void case_order(void)
{
	unsigned backwards = 0, early = 0;

	setenv("SIMGPU_CUPTI_SHUFFLE", "1", 1);
	setenv("SIMGPU_CUPTI_SKEW", "10:2000", 1);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	for (int i = 0; i < 50; i++) {
		struct sim_record record = kernel_of(launch(0, 1));
		record.start_ns = simgpu_now_ns() + 1000000 * i;
		record.end_ns = record.start_ns + 500;
		fake_op(&record);
	}
	uint64_t now = (uint64_t)simgpu_now_ns();
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 50);
	for (unsigned i = 0; i < 50; i++) {
		const struct client_record *r = client_find(CUPTI_KIND_CONCURRENT_KERNEL, i);
		if (i && client_u64(r, CUPTI_KERNEL_END) <
					 client_u64(client_find(CUPTI_KIND_CONCURRENT_KERNEL, i - 1), CUPTI_KERNEL_END))
			backwards++;
		if (client_u64(r, CUPTI_KERNEL_CORRELATION) % 10 == 0)
			early += client_u64(r, CUPTI_KERNEL_START) < now;
	}
	CHECK(backwards > 10);
	CHECK(early >= 5);
}

static void case_ids(void)
{
	uint32_t n = 0;
	uint64_t node = 0;

	fake_set_ready(true);
	CHECK_IS(cupti.GetDeviceId(FAKE_CONTEXT, &n), CUPTI_OK);
	CHECK_IS(n, 3);
	CHECK_IS(cupti.GetDeviceId((void *)8, &n), 3); /* invalid context */
	CHECK_IS(cupti.GetStreamIdEx(FAKE_CONTEXT, (void *)5, 0, &n), CUPTI_OK);
	CHECK_IS(n, 105);
	CHECK_IS(cupti.GetStreamIdEx(FAKE_CONTEXT, NULL, 1, &n), CUPTI_OK);
	CHECK_IS(n, 102); /* the per-thread default stream */
	CHECK_IS(cupti.GetGraphNodeId((void *)77, &node), CUPTI_OK);
	CHECK_IS(node, 77);
	client_record();
	CHECK_IS(cupti.ActivityEnableContext((void *)8, CUPTI_KIND_MEMSET), 3);
	CHECK_IS(cupti.ActivityEnableContext(FAKE_CONTEXT, CUPTI_KIND_CONCURRENT_KERNEL), CUPTI_OK);
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 1);
}

static const struct test_case {
	const char *name;
	void (*run)(void);
} cases[] = {{"driverless", case_driverless},
			 {"fork", case_fork},
			 {"subscribe", case_subscribe},
			 {"holder", case_holder},
			 {"busy", case_busy},
			 {"callbacks", case_callbacks},
			 {"names", case_names},
			 {"records", case_records},
			 {"graph_trace", case_graph_trace},
			 {"flush", case_flush},
			 {"invalid_incomplete", case_invalid_incomplete},
			 {"no_op", case_no_op},
			 {"full", case_full},
			 {"threads", case_threads},
			 {"period", case_period},
			 {"dropped", case_dropped},
			 {"drop_knob", case_drop_knob},
			 {"flush_in_callback", case_flush_in_callback},
			 {"deadlock", case_deadlock},
			 {"conservation", case_conservation},
			 {"finalize", case_finalize},
			 {"clock", case_clock},
			 {"correlation", case_correlation},
			 {"order", case_order},
			 {"ids", case_ids}};

int main(int argc, char **argv)
{
	unsigned major, minor;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (argc == 2)
			printf("%s\n", cases[i].name);
		if (argc != 4 || strcmp(argv[3], cases[i].name))
			continue;
		release = argv[2];
		if (sscanf(release, "%u.%u", &major, &minor) != 2 || !client_open(argv[1], release))
			return 1;
		version = (int)(major * 100 + minor);
		cases[i].run();
		return 0;
	}
	return argc == 2 ? 0 : 2;
}
