#include "sources/launch/launch.h"

#include "base/clock.h"
#include "base/symbols.h"
#include "ring/dict.h"
#include "ring/hosted.h"
#include "ring/lane.h"
#include "ring/nccl_launch.h"
#include "ring/stack.h"

#include <string.h>

_Atomic(void *) launch_proc_address_real, launch_proc_address_v2_real;

static _Atomic uint32_t correlations;

static uint32_t next_correlation(void)
{
	uint32_t id = atomic_fetch_add_explicit(&correlations, 1, memory_order_relaxed) + 1;
	return id ? id : next_correlation(); /* 0 means none */
}

void launch_begin(struct launch *launch, const char *name, uint8_t makes, const void *stream)
{
	int saved_errno;

	launch->lane = NULL;
	launch->unheard = false;
	launch->outermost = guard_raise(GUARD_LAUNCH);
	if (!launch->outermost || guard_is_up(GUARD_SHIM) || !recording_by_wrappers())
		return;
	struct baton_lane *lane = lane_here();
	launch->unheard = !lane && makes == BATON_SLOT_MAKES_OP;
	if (!lane || !recording_by_wrappers() || !guard_enter(&saved_errno))
		return;
	launch->lane = lane;
	launch->makes = makes;
	launch->name = dict_literal(name);
	launch->correlation = next_correlation();
	launch->stack = stack_here();
	if (guard_is_up(GUARD_NCCL))
		nccl_saw_launch(stream, NULL, launch->correlation);
	launch->begin = clock_ticks();
	guard_leave(saved_errno);
}

void launch_end(const struct launch *launch, int result)
{
	int saved_errno;

	if (launch->outermost)
		guard_lower(GUARD_LAUNCH);
	if (launch->unheard && !result && recording_by_wrappers())
		lane_unheard(true);
	/* CUPTI came up inside this very call (the first one initialises the driver): it has seen it,
	 * and counted it if it got no lane either. Unless it is the window that has ended */
	if (!launch->lane || (!recording_by_wrappers() && !recording_is(RECORDING_ENDING)) ||
		!guard_enter(&saved_errno))
		return;
	lane_put(launch->lane, (struct baton_slot){.begin = launch->begin,
											   .end = clock_ticks(),
											   .name = launch->name,
											   .aux = (uint16_t)result,
											   .type = BATON_SLOT_CALL,
											   .flags = result ? BATON_SLOT_FAILED : launch->makes,
											   .correlation = launch->correlation,
											   .stack = launch->stack});
	guard_leave(saved_errno);
}

/* ---- host functions ---- */

/* Also when the driver does not say: then the function goes as it is. */
static bool may_be_captured(void *stream, bool per_thread)
{
	static _Atomic(void *) asks[2];
	int saved_errno, status = 0, result = -1;
	if (!guard_enter(&saved_errno))
		return true;
	void *ask = atomic_load_explicit(&asks[per_thread], memory_order_acquire);
	if (!ask) {
		ask = symbols_in("libcuda.so.1",
						 per_thread ? "cuStreamIsCapturing_ptsz" : "cuStreamIsCapturing");
		atomic_store_explicit(&asks[per_thread], ask, memory_order_release);
	}
	if (ask)
		result = ((int (*)(void *, int *))ask)(stream, &status);
	guard_leave(saved_errno);
	return result != 0 || status != 0;
}

int host_call(host_call_real real, void *stream, void (*function)(void *), void *data,
			  bool per_thread)
{
	struct hosted *hosted = NULL;
	if (function && recording_by_cupti() && recording_is_open() &&
		!may_be_captured(stream, per_thread))
		hosted = hosted_take(function, data);
	/* A call that fails may tell of an earlier error, and its function run all the same: the place is
	 * free again only once it has. */
	return hosted ? real(stream, hosted_run, hosted) : real(stream, function, data);
}

/* ---- where the wrappers forward to ---- */

static void find(_Atomic(void *) *real, const char *name, const char *const *libraries)
{
	void *nobody = NULL, *found = symbols_next(name);
	for (; !found && *libraries; libraries++)
		found = symbols_in(*libraries, name);
	if (found)
		atomic_compare_exchange_strong(real, &nobody, found);
}

/* A runtime that only a library opened RTLD_LOCAL needs is not in the scope of RTLD_NEXT. */
void launch_find_runtime(_Atomic(void *) *real, const char *name)
{
	static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12",
											"libcudart.so.11.0", NULL};
	find(real, name, libraries);
}

void launch_find_driver(_Atomic(void *) *real, const char *name)
{
	static const char *const libraries[] = {"libcuda.so.1", NULL};
	find(real, name, libraries);
}

/* ---- cuGetProcAddress ---- */

enum { PER_THREAD_STREAM = 2, SECOND_VERSION = 12000 };

/* A function is asked for by its base name and a flag, or by the name of the form itself. */
static int form_of(const struct launch_entry *entry, const char *symbol, uint64_t flags)
{
	size_t base = strlen(entry->name);
	if (strncmp(symbol, entry->name, base) != 0)
		return -1;
	if (symbol[base] == 0)
		return (flags & PER_THREAD_STREAM) != 0;
	return strcmp(symbol + base, "_ptsz") == 0 ? 1 : -1;
}

/* The wrapper that forwards to `found`; `found` itself when the wrapper forwards to something else
 * already. */
static void *entry_for(const char *symbol, uint64_t flags, void *found)
{
	for (unsigned i = 0; i < launch_entries_count; i++) {
		const struct launch_entry *entry = &launch_entries[i];
		int form = form_of(entry, symbol, flags);
		void *real = NULL;
		if (form < 0)
			continue;
		if (atomic_compare_exchange_strong(entry->real[form], &real, found) || real == found)
			return entry->wrapper[form];
		return found;
	}
	return found;
}

/* A caller that asks for cuGetProcAddress goes on asking through ours. */
static void *proc_address_for(int version, bool second, void *found)
{
	void *nobody = NULL;
	if (second || version >= SECOND_VERSION) {
		atomic_compare_exchange_strong(&launch_proc_address_v2_real, &nobody, found);
		return (void *)launch_proc_address_v2;
	}
	atomic_compare_exchange_strong(&launch_proc_address_real, &nobody, found);
	return (void *)launch_proc_address;
}

static void exchange(const char *symbol, void **function, int version, uint64_t flags)
{
	if (!symbol || !function || !*function || strncmp(symbol, "cu", 2) != 0)
		return;
	if (strcmp(symbol, "cuGetProcAddress") == 0)
		*function = proc_address_for(version, false, *function);
	else if (strcmp(symbol, "cuGetProcAddress_v2") == 0)
		*function = proc_address_for(version, true, *function);
	else
		*function = entry_for(symbol, flags, *function);
}

int launch_proc_address(const char *symbol, void **function, int version, uint64_t flags)
{
	int (*real)(const char *, void **, int, uint64_t) =
		(int (*)(const char *, void **, int, uint64_t))atomic_load(&launch_proc_address_real);
	int result = real(symbol, function, version, flags);
	if (!result)
		exchange(symbol, function, version, flags);
	return result;
}

int launch_proc_address_v2(const char *symbol, void **function, int version, uint64_t flags,
						   void *status)
{
	int (*real)(const char *, void **, int, uint64_t, void *) = (int (*)(
		const char *, void **, int, uint64_t, void *))atomic_load(&launch_proc_address_v2_real);
	int result = real(symbol, function, version, flags, status);
	if (!result)
		exchange(symbol, function, version, flags);
	return result;
}
