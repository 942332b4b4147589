#include "doubles/driver/calls/observe_call.h"

#include "doubles/driver/core/core.h"
#include "doubles/driver/core/delivery.h"
#include "doubles/driver/stream/context.h"

static _Atomic uint32_t correlations;

static uint32_t next_correlation(void)
{
	uint32_t id = atomic_fetch_add_explicit(&correlations, 1, memory_order_relaxed) + 1;
	return id ? id : next_correlation(); /* 0 means none */
}

static void begin(struct sim_observed *observed, enum sim_domain domain, uint32_t cbid,
				  const char *function, const void *params, const char *symbol)
{
	const struct sim_observer *observer = observed->observer = delivery_observer();
	if (!observer)
		return;
	struct context *context = context_current();
	observed->call = (struct sim_call){.domain = domain,
									   .cbid = cbid,
									   .function = function,
									   .params = params,
									   .symbol = symbol,
									   .context = context,
									   .context_id = context ? context->id : 0,
									   .correlation = host_thread()->correlation,
									   .begin_ns = core_now()};
	if (observer->enter)
		observer->enter(&observed->call);
}

static void finish(struct sim_observed *observed, int result)
{
	if (!observed->observer)
		return;
	observed->call.result = result;
	observed->call.ops = result ? 0 : host_thread()->ops;
	observed->call.full_from_ns = host_thread()->full_from_ns;
	observed->call.full_to_ns = host_thread()->full_to_ns;
	if (observed->observer->leave)
		observed->observer->leave(&observed->call);
}

int observe_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
				  const void *params, const char *symbol)
{
	struct host_thread *thread = host_thread();
	int failed = core_state();
	observed->observer = NULL;
	observed->outermost = !thread->in_driver;
	if (failed || !observed->outermost)
		return failed;
	thread->in_driver = true;
	if (!thread->in_runtime) {
		thread->correlation = next_correlation();
		thread->ops = 0;
		thread->full_from_ns = thread->full_to_ns = 0;
	}
	begin(observed, SIM_DRIVER, cbid, function, params, symbol);
	return CUDA_OK;
}

int observe_leave(struct sim_observed *observed, int result)
{
	if (host_thread()->captured && context_current())
		context_tell(SIM_GRAPH_NODE_CREATED, context_current());
	host_thread()->captured = false;
	finish(observed, result);
	if (observed->outermost)
		host_thread()->in_driver = false;
	return result;
}

int simgpu_runtime_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
						 const void *params, const char *symbol)
{
	struct host_thread *thread = host_thread();
	observed->observer = NULL;
	observed->outermost = !thread->in_runtime;
	int failed = simgpu_init();
	if (failed || !observed->outermost)
		return failed;
	thread->in_runtime = true;
	thread->correlation = next_correlation();
	thread->ops = 0;
	thread->full_from_ns = thread->full_to_ns = 0;
	begin(observed, SIM_RUNTIME, cbid, function, params, symbol);
	return CUDA_OK;
}

int simgpu_runtime_leave(struct sim_observed *observed, int result)
{
	finish(observed, result);
	if (observed->outermost)
		host_thread()->in_runtime = false;
	return result;
}
