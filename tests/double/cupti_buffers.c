/* Buffers: when they come back, what is lost, threads, and the ends of a recording. */
#include "cupti_cases.h"
#include "cupti_client.h"
#include "fake_driver.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void case_flush(void)
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

void case_invalid_incomplete(void)
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
void case_no_op(void)
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

void case_full(void)
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

void case_threads(void)
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
void case_period(void)
{
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	recorder.max_records = 2;
	int64_t begin_ns = simgpu_now_ns();
	CHECK_IS(cupti.ActivityFlushPeriod(300), CUPTI_OK);
	usleep(20000);
	for (int i = 0; i < 3; i++)
		end_kernel(launch(0, 1));
	usleep(50000);
	CHECK(!recorder.deliveries || simgpu_now_ns() - begin_ns >= 300000000); /* we may have slept */
	CHECK(wait_records(2));
	usleep(700000);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 2);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 3);
}

void case_dropped(void)
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

void case_drop_knob(void)
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

void case_flush_in_callback(void)
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
void case_deadlock(void)
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
	while (!atomic_load(&recorder.at_gate))
		usleep(1000);
	cupti.ActivityFlushAll(0);
	CHECK(!"flushed past a callback that hangs");
}

/* Records that do not come: a flush says so, once, and delivers what there is. */
void case_behind(void)
{
	char said[256] = "";
	FILE *file = tmpfile();

	CHECK(file && dup2(fileno(file), STDERR_FILENO) >= 0);
	setenv("SIMGPU_CUPTI_DEADLOCK_S", "7", 1);
	start(CUPTI_KIND_CONCURRENT_KERNEL);
	end_kernel(launch(0, 1));
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(lseek(fileno(file), 0, SEEK_END), 0);
	end_kernel(launch(0, 1));
	fake_set_behind(true);
	CHECK_IS(cupti.ActivityFlushAll(0), CUPTI_OK);
	CHECK_IS(client_count(CUPTI_KIND_CONCURRENT_KERNEL), 2);
	CHECK(pread(fileno(file), said, sizeof(said) - 1, 0) > 0);
	CHECK(strstr(said, "has waited 7 s for the records"));
	CHECK(strchr(said, '\n') == said + strlen(said) - 1);
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
void case_conservation(void)
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

void case_finalize(void)
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
