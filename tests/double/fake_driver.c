#include "fake_driver.h"
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static _Atomic(const struct sim_observer *) observer;
static atomic_bool is_ready, is_behind;
static atomic_uint correlations;

const struct sim_observer *simgpu_observe(const struct sim_observer *next)
{
	return atomic_exchange(&observer, next);
}

bool simgpu_ready(void)
{
	return atomic_load(&is_ready);
}

bool simgpu_observed(unsigned ms)
{
	(void)ms;
	return !atomic_load(&is_behind);
}

int64_t simgpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

bool simgpu_context_id(void *context, uint32_t *id, uint32_t *device)
{
	*id = 7;
	*device = 3;
	return context == FAKE_CONTEXT;
}

bool simgpu_stream_id(void *context, void *stream, uint32_t *id)
{
	(void)context;
	*id = (uint32_t)(uintptr_t)stream + 100;
	return stream != (void *)-1;
}

bool simgpu_event_id(void *event, uint32_t *id)
{
	*id = (uint32_t)(uintptr_t)event;
	return event;
}

bool simgpu_graph_node_id(void *node, uint64_t *id)
{
	*id = (uintptr_t)node;
	return true;
}

void fake_set_ready(bool ready)
{
	atomic_store(&is_ready, ready);
}

void fake_set_behind(bool behind)
{
	atomic_store(&is_behind, behind);
}

uint32_t fake_enter(struct sim_call *call)
{
	const struct sim_observer *o = atomic_load(&observer);

	if (!call->correlation)
		call->correlation = atomic_fetch_add(&correlations, 1) + 1;
	call->context = FAKE_CONTEXT;
	call->context_id = 7;
	call->begin_ns = simgpu_now_ns();
	if (o)
		o->enter(call);
	return call->correlation;
}

void fake_leave(struct sim_call *call, int result, uint32_t ops)
{
	const struct sim_observer *o = atomic_load(&observer);

	call->result = result;
	call->ops = ops;
	if (o)
		o->leave(call);
}

void fake_op(const struct sim_record *record)
{
	const struct sim_observer *o = atomic_load(&observer);

	if (o)
		o->op(record);
}

void fake_sync(const struct sim_sync *sync)
{
	const struct sim_observer *o = atomic_load(&observer);

	if (o)
		o->sync(sync);
}

void fake_resource(enum sim_resource_kind kind, void *context, uint32_t id)
{
	const struct sim_observer *o = atomic_load(&observer);

	if (o)
		o->resource(kind, context, id);
}
