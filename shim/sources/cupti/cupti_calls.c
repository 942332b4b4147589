#include "sources/cupti/cupti_calls.h"

#include "base/clock.h"
#include "base/config.h"
#include "base/launch_config.h"
#include "base/wake.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/nccl_launch.h"
#include "ring/stack.h"
#include "sources/cupti/cupti_allocations.h"
#include "sources/cupti/cupti_contexts.h"
#include "sources/cupti/cupti_events.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_streams.h"
#include "sources/cupti/cupti_table.h"

#include <stdatomic.h>
#include <string.h>

/* Where the stream stands in the parameters of a launch (CUPTI's generated structures; the ABI of
 * the call). */
enum {
	RUNTIME_LAUNCH_STREAM = 48, /* func, grid, block, args, shared, stream */
	DRIVER_LAUNCH_STREAM = 40   /* f, 6 dimensions, shared, stream */
};

struct kind {              /* a call of the interface */
	_Atomic uint32_t name; /* its string id, once a thread has made it */
	uint8_t family;
	uint8_t makes; /* enum baton_slot_flag */
	/* enum baton_memory: what it allocates; 0: its parameters do not say how much */
	uint8_t memory;
	bool per_thread; /* the default stream is the thread's own */
};

/* 0: no thread has made it yet. What another thread put into the dictionary before is there. */
static inline uint32_t name_of(const struct kind *kind)
{
	return atomic_load_explicit(&kind->name, memory_order_acquire);
}

static void set_name(struct kind *kind, uint32_t name)
{
	atomic_store_explicit(&kind->name, name, memory_order_release);
}

static SHIM_HOT bool stacks_on;

static struct kind runtime_calls[CUPTI_RUNTIME_CBID_END], driver_calls[CUPTI_DRIVER_CBID_END];

/* The last number of a list sizes its table, so the lists are in the order of their numbers. */
#define RUNTIME_FITS(name, number, family) \
	_Static_assert(number < CUPTI_RUNTIME_CBID_END, #name " stands after a larger number");
#define DRIVER_FITS(name, number, family) \
	_Static_assert(number < CUPTI_DRIVER_CBID_END, #name " stands after a larger number");
CUPTI_RUNTIME_CALLS(RUNTIME_FITS)
CUPTI_DRIVER_CALLS(DRIVER_FITS)
#undef RUNTIME_FITS
#undef DRIVER_FITS

static SHIM_TLS uint32_t outer;    /* correlation id of the call in progress */
static SHIM_TLS uint32_t around;   /* of the call that it was made in, by an id of its own */
static SHIM_TLS uint32_t captured; /* of the last launch that became a node of a graph */

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

static inline uint8_t slot_flags(const struct kind *kind, const struct cupti_call *call)
{
	if (call->result && *(const int *)call->result != 0)
		return BATON_SLOT_FAILED;
	if (captured == call->correlation)
		return 0;
	return kind->makes;
}

static inline void fill(struct baton_slot *to, const struct kind *kind,
						const struct cupti_call *call, uint32_t stack)
{
	to->begin = *call->data;
	to->name = name_of(kind);
	to->aux = (uint16_t)call->context_id;
	to->type = BATON_SLOT_CALL;
	to->flags = slot_flags(kind, call);
	if (SHIM_UNLIKELY(to->flags == BATON_SLOT_FAILED))
		to->aux = (uint16_t) * (const int *)call->result;
	to->correlation = call->correlation;
	to->stack = stack;
}

/* What may be new: the thread, or the name of the call. False: nothing is recorded here. */
static SHIM_COLD bool prepare(struct kind *kind, const struct cupti_call *call)
{
	if (!lane_here()) {
		lane_unheard(slot_flags(kind, call) & BATON_SLOT_MAKES_OP);
		return false;
	}
	if (!name_of(kind))
		set_name(kind, dict_literal(call->function));
	return true;
}

static inline bool is_prepared(const struct kind *kind)
{
	struct baton_lane *lane = lane_mine;
	return lane && lane_own(lane)->generation == recording_generation && name_of(kind);
}

/* What a call says beside its own slot. */
static void record_more(const struct kind *kind, const struct baton_slot *slot,
						const struct cupti_call *call)
{
	if (kind->family == CUPTI_FAMILY_EVENT_RECORD || kind->family == CUPTI_FAMILY_STREAM_WAIT)
		cupti_events_put(slot, call, kind->family == CUPTI_FAMILY_STREAM_WAIT, kind->per_thread);
}

/* The launch path, as a job is recorded by default: its stack, two timestamps, a slot. */
static __attribute__((noinline)) void record(struct kind *kind, int domain, uint32_t id,
											 const struct cupti_call *call)
{
	if (SHIM_UNLIKELY(!is_prepared(kind)) && !prepare(kind, call))
		return;
	struct baton_lane *lane = lane_mine;
	if (SHIM_UNLIKELY(kind->memory))
		cupti_allocations_put(lane, kind->memory, call);
	uint32_t stack = stacks_on ? stack_at(call->symbol) : 0;
	struct baton_slot *slot = lane_next(lane), full;
	struct baton_slot *to = SHIM_LIKELY(slot != NULL) ? slot : &full;
	fill(to, kind, call, stack);
	to->end = clock_ticks();
	if (SHIM_LIKELY(slot != NULL))
		lane_commit(lane, slot);
	else
		lane_drop(lane, &full);
	if (SHIM_UNLIKELY(kind->family != CUPTI_FAMILY_LAUNCH))
		record_more(kind, to, call);
	else if (guard_is_up(GUARD_NCCL))
		nccl_saw_launch(launch_stream(domain, id, call), call->symbol, call->correlation);
}

/* The same without stacks, where nothing is new. No call is made from it, so that no register needs
 * saving, but to give up. */
static inline void record_bare(struct kind *kind, int domain, uint32_t id,
							   const struct cupti_call *call)
{
	struct baton_slot *slot = NULL;
	if (SHIM_LIKELY(is_prepared(kind) && kind->family < CUPTI_FAMILY_EVENT_RECORD &&
					clock_is_counter() && !guard_is_up(GUARD_NCCL)))
		slot = lane_next(lane_mine);
	if (SHIM_UNLIKELY(!slot)) {
		record(kind, domain, id, call);
		return;
	}
	fill(slot, kind, call, 0);
	slot->end = clock_counter_ticks();
	lane_commit(lane_mine, slot);
}

/* A runtime call makes driver calls with its own correlation id: only the outermost is recorded. A
 * call with an id of its own inside another (a module loaded by a launch) is a call like any; the
 * driver calls of the other that follow are still known by its id. */
static inline void on_call(struct kind *kind, int domain, uint32_t id,
						   const struct cupti_call *call)
{
	if (call->site == CUPTI_ENTER) {
		if (call->correlation == outer) {
			*call->data = 0;
			return;
		}
		around = outer;
		outer = call->correlation;
		*call->data = clock_ticks();
	} else if (*call->data && !guard_is_up(GUARD_SHIM)) {
		outer = around;
		around = 0;
		if (SHIM_LIKELY(stacks_on))
			record(kind, domain, id, call);
		else
			record_bare(kind, domain, id, call);
	}
}

static inline void on_driver_call(struct kind *kind, uint32_t id, const struct cupti_call *call)
{
	if (SHIM_UNLIKELY(kind->family >= CUPTI_FAMILY_HOST_FUNC) && !guard_is_up(GUARD_SHIM)) {
		if (kind->family == CUPTI_FAMILY_HOST_FUNC)
			cupti_events_hosted(call, kind->per_thread);
		else if (id == CUPTI_CBID_cuStreamCreate || id == CUPTI_CBID_cuStreamCreateWithPriority)
			cupti_streams_made(call, id == CUPTI_CBID_cuStreamCreateWithPriority);
	}
	on_call(kind, CUPTI_DOMAIN_DRIVER, id, call);
}

/* Nothing in it changes errno, but for what saves it: opening the lane, a name or a stack that is
 * new. */
void cupti_on_event(void *user, int domain, uint32_t id, const void *data)
{
	(void)user;
	if (SHIM_UNLIKELY(!recording_by_cupti()))
		return;
	if (domain == CUPTI_DOMAIN_RUNTIME && id < CUPTI_RUNTIME_CBID_END)
		on_call(&runtime_calls[id], domain, id, data);
	else if (domain == CUPTI_DOMAIN_DRIVER && id < CUPTI_DRIVER_CBID_END)
		on_driver_call(&driver_calls[id], id, data);
	else if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_RESOURCE_GRAPHNODE_CREATED)
		captured = outer;
	else if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_RESOURCE_CONTEXT_CREATED)
		cupti_contexts_made(((const struct cupti_resource_data *)data)->context);
	else if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_RESOURCE_STREAM_DESTROY_STARTING)
		cupti_events_stream_gone();
	else if (domain == CUPTI_DOMAIN_RESOURCE && id == CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING)
		wake_writer();
}

static uint8_t makes(uint8_t family)
{
	switch (family) {
	case CUPTI_FAMILY_LAUNCH:
		return BATON_SLOT_MAKES_OP;
	case CUPTI_FAMILY_GRAPH:
		return BATON_SLOT_MAKES_GRAPH;
	case CUPTI_FAMILY_COPY:
	case CUPTI_FAMILY_SET:
		return BATON_SLOT_MAKES_COPY;
	default:
		return 0;
	}
}

int cupti_calls_enable(void *subscriber, bool on)
{
	static const struct {
		const char *name;
		uint16_t id;
		uint8_t domain, family;
	} calls[] = {
#define RUNTIME(name, number, family) {#name, number, CUPTI_DOMAIN_RUNTIME, CUPTI_FAMILY_##family},
#define DRIVER(name, number, family) {#name, number, CUPTI_DOMAIN_DRIVER, CUPTI_FAMILY_##family},
		CUPTI_RUNTIME_CALLS(RUNTIME) CUPTI_DRIVER_CALLS(DRIVER)};
	int known = 0;
	stacks_on = config.stacks != STACKS_OFF;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct kind *kinds = calls[i].domain == CUPTI_DOMAIN_RUNTIME ? runtime_calls : driver_calls;
		kinds[calls[i].id].family = calls[i].family;
		kinds[calls[i].id].makes = makes(calls[i].family);
		kinds[calls[i].id].memory = cupti_allocations_of(calls[i].domain, calls[i].id);
		kinds[calls[i].id].per_thread = strstr(calls[i].name, "_pts") != NULL;
		if (calls[i].family != CUPTI_FAMILY_QUERY) /* polled in loops: nothing starves by them */
			known += cupti.enable_callback(on, subscriber, calls[i].domain, calls[i].id) == 0;
	}
	cupti.enable_callback(on, subscriber, CUPTI_DOMAIN_RESOURCE,
						  CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING);
	cupti.enable_callback(on, subscriber, CUPTI_DOMAIN_RESOURCE,
						  CUPTI_RESOURCE_STREAM_DESTROY_STARTING);
	cupti.enable_callback(on, subscriber, CUPTI_DOMAIN_RESOURCE, CUPTI_RESOURCE_GRAPHNODE_CREATED);
	return known ? 0 : CUPTI_NOT_COMPATIBLE;
}

void cupti_calls_enable_range(void *subscriber)
{
	static const uint32_t runtime[] = {CUPTI_RANGE_cudaProfilerStart_v4000,
									   CUPTI_RANGE_cudaProfilerStop_v4000},
						  driver[] = {CUPTI_RANGE_cuProfilerStart, CUPTI_RANGE_cuProfilerStop};
	for (int i = 0; i < 2; i++) {
		cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_RUNTIME, runtime[i]);
		cupti.enable_callback(1, subscriber, CUPTI_DOMAIN_DRIVER, driver[i]);
	}
}

void cupti_calls_forget(void)
{
	cupti_contexts_forget();
	cupti_events_stream_gone();
	cupti_streams_forget();
	for (uint32_t id = 0; id < CUPTI_RUNTIME_CBID_END; id++)
		set_name(&runtime_calls[id], 0);
	for (uint32_t id = 0; id < CUPTI_DRIVER_CBID_END; id++)
		set_name(&driver_calls[id], 0);
}
