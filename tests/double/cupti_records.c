/* Records: what is in them, for every kind and release; their clocks, correlation and order. */
#include "cupti_cases.h"
#include "cupti_client.h"
#include "fake_driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned record_bytes(uint32_t kind)
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

/* What the device did, and a wait for it. */
static void records_of_ops(void)
{
	const struct client_record *r;

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
}

/* What the host did. */
static void records_of_calls(void)
{
	const struct client_record *r;

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

void case_records(void)
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
	records_of_ops();
	records_of_calls();
}

void case_graph_trace(void)
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

/* A clock that runs three times as fast from another origin. */
static uint64_t client_clock(void)
{
	return (uint64_t)(simgpu_now_ns() - INT64_C(1000000000000000000)) * 3;
}

void case_clock(void)
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

void case_correlation(void)
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

void case_order(void)
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

void case_ids(void)
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
