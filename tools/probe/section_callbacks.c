/* The callbacks of whole domains: enter and exit, how runtime and driver nest, whether they share a
 * correlation id, and which id the device's record carries. */
#include "section.h"

#include "activity.h"
#include "result.h"
#include "work.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 16 };

typedef int runtime_memset(void *to, int value, size_t bytes, void *stream);

/* Any runtime that there is; a static one does as well but has no name to be found by. */
static runtime_memset *find_runtime(void)
{
	static const char *const sonames[] = {"libcudart.so.13", "libcudart.so.12",
										  "libcudart.so.11.0"};
	char path[1024];
	void *handle = NULL, *found = NULL;
	runtime_memset *function = NULL;
	size_t i;

	for (i = 0; i < sizeof(sonames) / sizeof(sonames[0]) && !handle; i++) {
		const char *slash = strrchr(options.cupti, '/');
		int folder = slash ? (int)(slash - options.cupti) + 1 : 0;

		handle = dlopen(sonames[i], RTLD_NOW);
		if (!handle &&
			snprintf(path, sizeof(path), "%.*s%s", folder, options.cupti, sonames[i]) > 0)
			handle = dlopen(path, RTLD_NOW);
		if (!handle && snprintf(path, sizeof(path), "%.*s../../cuda_runtime/lib/%s", folder,
								options.cupti, sonames[i]) > 0)
			handle = dlopen(path, RTLD_NOW);
	}
	if (handle)
		found = dlsym(handle, "cudaMemsetAsync");
	memcpy(&function, &found, sizeof(found));
	return function;
}

/* The calls of the main thread as nested brackets. */
static void tell_nesting(void)
{
	const struct call_seen *open[DEPTH_MOST];
	uint32_t i, depth = 0, count = calls_count(), me = activity_tid();
	int64_t wrong = 0, carried = 0, pairs = 0, shared = 0, apart = 0, deepest = 0;

	for (i = 0; i < count; i++) {
		const struct call_seen *call = &call_log.calls[i];

		if (call->domain > DOMAIN_RUNTIME || call->tid != me)
			continue;
		if (call->site == SITE_ENTER) {
			if (depth > 0 && depth <= DEPTH_MOST && open[depth - 1]->domain != call->domain) {
				shared += open[depth - 1]->correlation == call->correlation;
				apart += open[depth - 1]->correlation != call->correlation;
			}
			if (depth < DEPTH_MOST)
				open[depth] = call;
			depth++;
			deepest = depth > deepest ? depth : deepest;
			continue;
		}
		if (depth == 0 || depth > DEPTH_MOST || open[depth - 1]->cbid != call->cbid) {
			wrong++;
			continue;
		}
		depth--;
		pairs++;
		carried += open[depth]->data == call->data;
	}
	result_value("pairs of enter and exit", "count", pairs);
	result_value("of them with our data carried over", "count", carried);
	result_value("exits that match no enter", "count", wrong);
	result_value("enters left open", "count", depth);
	result_value("deepest nesting", "count", deepest);
	result_value("driver call shares the runtime call's correlation", "count", shared);
	result_value("driver call has a correlation of its own", "count", apart);
}

/* Records whose correlation id is that of a callback, by domain. */
static void tell_matches(void)
{
	int64_t driver = 0, runtime = 0, none = 0;
	uint32_t at, count = calls_count();
	size_t i;

	for (i = 0; i < activity.record_count; i++) {
		uint8_t domains = 0;

		if (activity.records[i].kind != KIND_KERNEL && activity.records[i].kind != KIND_MEMSET)
			continue;
		for (at = 0; at < count; at++)
			if (call_log.calls[at].correlation == activity.records[i].correlation)
				domains |= (uint8_t)(1 << call_log.calls[at].domain);
		driver += (domains >> DOMAIN_DRIVER) & 1;
		runtime += (domains >> DOMAIN_RUNTIME) & 1;
		none += domains == 0;
	}
	result_value("records with the id of a driver call", "count", driver);
	result_value("records with the id of a runtime call", "count", runtime);
	result_value("records with the id of no call", "count", none);
}

static void tell_names(void)
{
	uint32_t i, count = calls_count();
	const char *name;
	int told = 0;

	for (i = 0; i < count && cupti.callback_name && told < 24; i++) {
		const struct call_seen *call = &call_log.calls[i];

		if (call->site != SITE_ENTER || call->domain > DOMAIN_RESOURCE ||
			cupti.callback_name(call->domain, call->cbid, &name) != 0)
			continue;
		result_text("callback", "domain %u cbid %u %s, correlation %u", call->domain, call->cbid,
					name, call->correlation);
		told++;
	}
}

static void play(void)
{
	runtime_memset *by_runtime = find_runtime();
	void *graph;
	int i;

	for (i = 0; i < 5; i++)
		work_empty(work.stream);
	if (work.memory && cuda.memset8)
		cuda.memset8(work.memory, 0, 4096, work.stream);
	work_sync();
	if (by_runtime && work.memory)
		for (i = 0; i < 5; i++)
			result_ok("cudaMemsetAsync",
					  by_runtime((void *)(uintptr_t)work.memory, 0, 4096, work.stream));
	else
		result_message("no libcudart: how runtime and driver calls nest is left out");
	work_sync();
	graph = work_graph(5);
	if (graph)
		for (i = 0; i < 3; i++)
			cuda.graph_launch(graph, work.stream);
	work_sync();
}

static void callbacks_run(const char *variant)
{
	(void)variant;
	if (!work_init() || !work_cupti() || !calls_subscribe() || !calls_domain(DOMAIN_DRIVER) ||
		!calls_domain(DOMAIN_RUNTIME) || !calls_domain(DOMAIN_RESOURCE) ||
		!calls_domain(DOMAIN_SYNCHRONIZE) ||
		!activity_start((struct activity_options){.keep = true}) || !activity_enable(KIND_KERNEL) ||
		!activity_enable(KIND_MEMSET) || !work_begin())
		return;
	play();
	activity_flush(1);
	tell_nesting();
	tell_matches();
	tell_names();
	work_fixture("callbacks", "launches, memsets by driver and runtime, a graph; all callbacks");
}

const struct section section_callbacks = {"callbacks", "all", 1, 20, callbacks_run};
