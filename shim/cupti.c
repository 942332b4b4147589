#include "cupti.h"

#include "buffers.h"
#include "clock.h"
#include "config.h"
#include "cupti_layout.h"
#include "cupti_table.h"
#include "dict.h"
#include "lane.h"
#include "launch.h"
#include "message.h"
#include "nccl.h"
#include "stacks.h"
#include "writer.h"

#include <string.h>

/* Where the stream stands in the parameters of a launch (CUPTI's generated structures; the ABI of
 * the call). */
enum {
	RUNTIME_LAUNCH_STREAM = 48, /* func, grid, block, args, shared, stream */
	DRIVER_LAUNCH_STREAM = 40   /* f, 6 dimensions, shared, stream */
};

static void *subscriber;
static uint32_t attached_in; /* lane_generation; another one: a forked child, whose CUPTI is dead */

static SHIM_TLS uint32_t outer;    /* correlation id of the call in progress */
static SHIM_TLS uint32_t captured; /* of the last launch that became a node of a graph */

static uint8_t runtime_family[CUPTI_RUNTIME_CBID_END];
static uint8_t driver_family[CUPTI_DRIVER_CBID_END];
static uint32_t runtime_names[CUPTI_RUNTIME_CBID_END]; /* string ids */
static uint32_t driver_names[CUPTI_DRIVER_CBID_END];

static const struct {
	uint16_t id;
	uint8_t domain, family;
} calls[] = {
#define RUNTIME(name, number, family) {number, CUPTI_DOMAIN_RUNTIME, CUPTI_FAMILY_##family},
#define DRIVER(name, number, family) {number, CUPTI_DOMAIN_DRIVER, CUPTI_FAMILY_##family},
	CUPTI_RUNTIME_CALLS(RUNTIME) CUPTI_DRIVER_CALLS(DRIVER)};

/* ---- callbacks: on the thread that makes the call ---- */

static const void *at(const void *base, size_t offset)
{
	return base ? *(void *const *)((const char *)base + offset) : NULL;
}

static bool has_config(int domain, uint32_t id)
{
	return domain == CUPTI_DOMAIN_DRIVER
			   ? id == CUPTI_CBID_cuLaunchKernelEx || id == CUPTI_CBID_cuLaunchKernelEx_ptsz
			   : id == CUPTI_CBID_cudaLaunchKernelExC_v11060 ||
					 id == CUPTI_CBID_cudaLaunchKernelExC_ptsz_v11060;
}

static const void *launch_stream(int domain, uint32_t id, const struct cupti_call *call)
{
	if (has_config(domain, id))
		return launch_config_stream(at(call->params, 0));
	return at(call->params,
			  domain == CUPTI_DOMAIN_DRIVER ? DRIVER_LAUNCH_STREAM : RUNTIME_LAUNCH_STREAM);
}

static uint8_t slot_flags(unsigned family, const struct cupti_call *call)
{
	if (call->result && *(const int *)call->result != 0)
		return BATON_SLOT_FAILED;
	if (captured == call->correlation)
		return 0;
	return family == CUPTI_FAMILY_LAUNCH  ? BATON_SLOT_MAKES_OP
		   : family == CUPTI_FAMILY_GRAPH ? BATON_SLOT_MAKES_GRAPH
										  : 0;
}

/* The call's name, found once per process. */
static uint32_t call_name(int domain, uint32_t id, const struct cupti_call *call)
{
	uint32_t *names = domain == CUPTI_DOMAIN_RUNTIME ? runtime_names : driver_names;
	if (SHIM_UNLIKELY(!names[id]))
		names[id] = dict_literal(call->function);
	return names[id];
}

/* The launch path. Nothing in it changes errno, but for what saves it: opening the lane, a name or
 * a stack that is new. */
static void record(int domain, uint32_t id, unsigned family, const struct cupti_call *call)
{
	struct baton_lane *lane = lane_here();
	if (SHIM_UNLIKELY(!lane)) {
		lane_unheard(slot_flags(family, call) & BATON_SLOT_MAKES_OP);
		return;
	}
	uint32_t stack = config.stacks == STACKS_OFF ? 0 : stack_at(call->symbol);
	struct baton_slot *slot = lane_next(lane), full;
	struct baton_slot *to = SHIM_LIKELY(slot != NULL) ? slot : &full;
	to->begin = *call->data;
	to->name = call_name(domain, id, call);
	to->aux = 0;
	to->type = BATON_SLOT_CALL;
	to->flags = slot_flags(family, call);
	to->correlation = call->correlation;
	to->stack = stack;
	to->end = clock_ticks();
	if (SHIM_LIKELY(slot != NULL))
		lane_commit(lane);
	else
		lane_drop(lane, &full);
	if (family == CUPTI_FAMILY_LAUNCH && nccl_in_call())
		nccl_saw_launch(launch_stream(domain, id, call), call->symbol, call->correlation);
}

/* A runtime call makes driver calls with its own correlation id: only the outermost is recorded. */
static inline void on_call(int domain, uint32_t id, unsigned family, const struct cupti_call *call)
{
	if (call->site == CUPTI_ENTER) {
		*call->data = call->correlation == outer ? 0 : clock_ticks();
		outer = call->correlation;
	} else if (*call->data && !guard_depth) {
		record(domain, id, family, call);
		outer = 0;
	}
}

static void on_event(void *user, int domain, uint32_t id, const void *data)
{
	(void)user;
	if (SHIM_UNLIKELY(attached_in != lane_generation))
		return;
	if (domain == CUPTI_DOMAIN_RUNTIME && id < CUPTI_RUNTIME_CBID_END)
		on_call(domain, id, runtime_family[id], data);
	else if (domain == CUPTI_DOMAIN_DRIVER && id < CUPTI_DRIVER_CBID_END)
		on_call(domain, id, driver_family[id], data);
	else if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_RESOURCE_GRAPHNODE_CREATED)
		captured = outer;
	else if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING)
		writer_wake();
}

bool cupti_attached(void)
{
	return attached_in == lane_generation;
}

void cupti_forget(void)
{
	atomic_store(&launch_hooks_on, config.cuda);
	memset(runtime_names, 0, sizeof(runtime_names));
	memset(driver_names, 0, sizeof(driver_names));
}

/* ---- buffers ---- */

static void on_requested(uint8_t **bytes, size_t *size, size_t *most)
{
	*bytes = attached_in == lane_generation ? buffers_take() : NULL;
	*size = *bytes ? BUFFER_BYTES : 0;
	*most = 0;
}

static void on_completed(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
	(void)size;
	if (attached_in != lane_generation)
		return;
	buffers_full(bytes, valid, context, stream);
	writer_wake();
}

/* ---- attaching ---- */

static const char *why(int error)
{
	const char *text = NULL;
	if (error == CUPTI_MULTIPLE_SUBSCRIBERS || error == CUPTI_MAX_LIMIT_REACHED)
		return "another tool (nsys, ncu, a debugger, torch.profiler) holds it";
	return cupti.result_string(error, &text) == 0 && text ? text : "unknown error";
}

static int enable_calls(void)
{
	int known = 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		uint8_t *families =
			calls[i].domain == CUPTI_DOMAIN_RUNTIME ? runtime_family : driver_family;
		families[calls[i].id] = calls[i].family;
		if (calls[i].family != CUPTI_FAMILY_QUERY) /* polled in loops: nothing starves by them */
			known += cupti.enable_callback(1, subscriber, calls[i].domain, calls[i].id) == 0;
	}
	cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_RESOURCE,
						  CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING);
	cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_GRAPHNODE_CREATED);
	return known ? 0 : CUPTI_NOT_COMPATIBLE;
}

static int enable_activity(void)
{
	static const int kinds[] = {CUPTI_KIND_MEMCPY, CUPTI_KIND_MEMCPY2, CUPTI_KIND_MEMSET,
								CUPTI_KIND_OVERHEAD};
	size_t size = 1;
	uint8_t zeroed = 1;
	cupti.set_attribute(CUPTI_ATTRIBUTE_ZEROED_BUFFER, &size, &zeroed); /* not in every release */
	cupti.set_thread_id_type(CUPTI_THREAD_ID_SYSTEM);
	int error = cupti.register_callbacks(on_requested, on_completed);
	if (error)
		return error;
	if (config.graph_whole)
		cupti.enable(CUPTI_KIND_GRAPH_TRACE);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cupti.enable(kinds[i]);
	return cupti.enable(CUPTI_KIND_CONCURRENT_KERNEL);
}

static _Atomic uint32_t tried; /* lane_generation of the last attempt */

bool cupti_tried(void)
{
	return atomic_load(&tried) == lane_generation;
}

bool cupti_attach(void)
{
	if (atomic_exchange(&tried, lane_generation) == lane_generation)
		return attached_in == lane_generation;
	clock_open(); /* the first call is timed before the recording begins */
	const char *missing = cupti_table_open(config.cupti);
	int error = missing ? 0 : cupti.subscribe(&subscriber, on_event, NULL);
	if (!missing && !error) {
		error = enable_activity();
		if (!error)
			error = enable_calls();
		if (error)
			cupti.unsubscribe(subscriber);
	}
	if (missing || error) {
		message("CUPTI: %s; launches are recorded, GPU work is not",
				missing ? missing : why(error));
		return false;
	}
	attached_in = lane_generation;
	atomic_store(&launch_hooks_on, false);
	return true;
}

void cupti_flush(bool all)
{
	if (attached_in == lane_generation)
		cupti.flush_all(all ? CUPTI_FLUSH_FORCED : CUPTI_FLUSH_COMPLETED);
}

uint64_t cupti_dropped(void *context, uint32_t stream)
{
	size_t n = 0;
	if (attached_in != lane_generation || cupti.dropped(context, stream, &n) != 0)
		return 0;
	return n;
}
