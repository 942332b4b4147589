#include "sources/cupti/cupti_guest.h"

#include "base/clock.h"
#include "base/recording.h"
#include "base/symbols.h"
#include "sources/cupti/cupti_kinds.h"
#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_table.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef void (*request_function)(uint8_t **bytes, size_t *size, size_t *most);
typedef void (*complete_function)(void *context, uint32_t stream, uint8_t *bytes, size_t size,
								  size_t valid);
typedef uint64_t (*clock_function)(void);

struct room {
	uint8_t *bytes;
	size_t size;
};

/* Its clock against CLOCK_REALTIME, which CUPTI's records have. */
struct reading {
	int64_t ns;
	uint64_t guest;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows; never held over a call
															of the guest's */
static request_function request;
static complete_function complete;
static clock_function guest_clock;
static struct reading first;
static struct room spare; /* one is always held: without, Kineto does not flush */
static uint64_t kinds;    /* a bit for each that it has enabled */
static atomic_bool owed;  /* it has enabled something, and not flushed since it disabled all */

void cupti_guest_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	request = NULL;
	complete = NULL;
	guest_clock = NULL;
	spare = (struct room){NULL, 0};
	kinds = 0;
	atomic_store(&owed, false);
}

bool cupti_guest_wants(int kind)
{
	pthread_mutex_lock(&lock);
	bool wanted = kinds >> kind & 1;
	pthread_mutex_unlock(&lock);
	return wanted;
}

bool cupti_guest_records(void)
{
	return atomic_load(&owed);
}

/* ---- the true functions, for a process in which we are not attached ---- */

enum entry {
	REGISTER,
	ENABLE,
	DISABLE,
	FLUSH,
	TIMESTAMP,
	FINALIZE,
	SUBSCRIBE,
	UNSUBSCRIBE,
	ENABLE_CALLBACK,
	ENABLE_DOMAIN,
	ENTRIES
};

static void *true_entry(enum entry entry)
{
	static const char *const names[ENTRIES] = {
		[REGISTER] = "cuptiActivityRegisterCallbacks",
		[ENABLE] = "cuptiActivityEnable",
		[DISABLE] = "cuptiActivityDisable",
		[FLUSH] = "cuptiActivityFlushAll",
		[TIMESTAMP] = "cuptiActivityRegisterTimestampCallback",
		[FINALIZE] = "cuptiFinalize",
		[SUBSCRIBE] = "cuptiSubscribe",
		[UNSUBSCRIBE] = "cuptiUnsubscribe",
		[ENABLE_CALLBACK] = "cuptiEnableCallback",
		[ENABLE_DOMAIN] = "cuptiEnableDomain",
	};
	static const char *const libraries[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
											"libcupti.so.11.7"};
	static _Atomic(void *) found[ENTRIES];
	void *function = atomic_load(&found[entry]);
	for (size_t i = 0; !function && i < sizeof(libraries) / sizeof(libraries[0]); i++)
		function = symbols_in(libraries[i], names[entry]);
	atomic_store(&found[entry], function);
	return function;
}

#define FORWARD(entry, type, ...)                \
	do {                                         \
		int(*function) type = true_entry(entry); \
		if (!function)                           \
			return CUPTI_NOT_INITIALIZED;        \
		return function(__VA_ARGS__);            \
	} while (0)

/* ---- time ---- */

static struct reading read_clocks(clock_function clock)
{
	struct reading reading;
	clock_tightest(clock, CLOCK_REALTIME, &reading.guest, &reading.ns);
	return reading;
}

static void convert(uint8_t *at, const struct reading *now, long double rate)
{
	uint64_t ns;
	memcpy(&ns, at, sizeof(ns));
	if (!ns) /* not known */
		return;
	ns = now->guest - (uint64_t)(int64_t)((long double)(now->ns - (int64_t)ns) * rate);
	memcpy(at, &ns, sizeof(ns));
}

/* Where a record has its begin and end; 0: it has none. */
static size_t times_of(uint32_t kind)
{
	switch (kind) {
	case CUPTI_KIND_CONCURRENT_KERNEL:
	case CUPTI_KIND_KERNEL:
		return CUPTI_KERNEL_START;
	case CUPTI_KIND_MEMCPY:
		return CUPTI_MEMCPY_START;
	case CUPTI_KIND_MEMCPY2:
		return CUPTI_MEMCPY2_START;
	case CUPTI_KIND_MEMSET:
		return CUPTI_MEMSET_START;
	case CUPTI_KIND_DRIVER:
	case CUPTI_KIND_RUNTIME:
		return CUPTI_API_START;
	case CUPTI_KIND_OVERHEAD:
		return CUPTI_OVERHEAD_START;
	case CUPTI_KIND_SYNCHRONIZATION:
		return CUPTI_SYNC_START;
	case CUPTI_KIND_GRAPH_TRACE:
		return CUPTI_GRAPH_START;
	default:
		return 0;
	}
}

static void convert_all(uint8_t *bytes, size_t valid, clock_function clock, struct reading from)
{
	struct reading now = read_clocks(clock);
	void *record = NULL;
	if (now.ns <= from.ns)
		return;
	long double rate = (long double)(int64_t)(now.guest - from.guest) / (now.ns - from.ns);
	while (cupti.next_record(bytes, valid, &record) == CUPTI_OK) {
		uint32_t kind;
		memcpy(&kind, record, sizeof(kind));
		size_t at = times_of(kind);
		if (!at)
			continue;
		convert((uint8_t *)record + at, &now, rate);
		convert((uint8_t *)record + at + sizeof(uint64_t), &now, rate);
	}
}

/* ---- its buffers ---- */

static struct room ask(request_function from)
{
	struct room room = {NULL, 0};
	size_t most = 0;
	if (from)
		from(&room.bytes, &room.size, &most);
	return room;
}

/* The room held so far, for `next`. */
static struct room swap_spare(struct room next)
{
	pthread_mutex_lock(&lock);
	struct room room = spare;
	spare = next;
	pthread_mutex_unlock(&lock);
	return room;
}

void cupti_guest_deliver(void *context, uint32_t stream, const uint8_t *bytes, size_t valid)
{
	if (SHIM_LIKELY(!atomic_load_explicit(&owed, memory_order_acquire)) || !valid)
		return;
	pthread_mutex_lock(&lock);
	request_function from = request;
	complete_function to = complete;
	clock_function clock = guest_clock;
	struct reading since = first;
	pthread_mutex_unlock(&lock);
	struct room room = swap_spare(ask(from));
	if (!room.bytes || !to)
		return;
	if (room.size < valid)
		valid = 0;
	memcpy(room.bytes, bytes, valid);
	if (clock)
		convert_all(room.bytes, valid, clock, since);
	to(context, stream, room.bytes, room.size, valid);
}

/* It is over for now: its room goes back, empty. */
static void end_delivery(void)
{
	atomic_store(&owed, false);
	struct room room = swap_spare((struct room){NULL, 0});
	if (room.bytes && complete)
		complete(NULL, 0, room.bytes, room.size, 0);
}

/* ---- what it calls ---- */

SHIM_EXPORT int cuptiActivityRegisterCallbacks(request_function requested,
											   complete_function completed);
SHIM_EXPORT int cuptiActivityRegisterCallbacks(request_function requested,
											   complete_function completed)
{
	if (!recording_by_cupti())
		FORWARD(REGISTER, (request_function, complete_function), requested, completed);
	pthread_mutex_lock(&lock);
	request = requested;
	complete = completed;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

static void want(int kind, bool wanted)
{
	pthread_mutex_lock(&lock);
	kinds = (kinds & ~(1ull << kind)) | (uint64_t)wanted << kind;
	pthread_mutex_unlock(&lock);
}

SHIM_EXPORT int cuptiActivityEnable(int kind);
SHIM_EXPORT int cuptiActivityEnable(int kind)
{
	if (!recording_by_cupti())
		FORWARD(ENABLE, (int), kind);
	if (kind < 0 || kind > 63)
		return cupti.enable(kind);
	pthread_mutex_lock(&lock); /* first: or a window that ends turns it off again */
	uint64_t before = kinds;
	bool begins = !kinds && !spare.bytes;
	kinds |= 1ull << kind;
	request_function from = request;
	pthread_mutex_unlock(&lock);
	int error = cupti.enable(kind);
	if (error) {
		want(kind, before >> kind & 1);
		return error;
	}
	if (begins)
		swap_spare(ask(from));
	atomic_store(&owed, true);
	return error;
}

SHIM_EXPORT int cuptiActivityDisable(int kind);
SHIM_EXPORT int cuptiActivityDisable(int kind)
{
	if (!recording_by_cupti())
		FORWARD(DISABLE, (int), kind);
	if (kind >= 0 && kind < 64)
		want(kind, false);
	if (cupti_kinds_need(kind))
		return CUPTI_OK;
	int error = cupti.disable(kind);
	if (cupti_kinds_need(kind)) /* a window has opened meanwhile */
		cupti.enable(kind);
	return error;
}

SHIM_EXPORT int cuptiActivityFlushAll(uint32_t flag);
SHIM_EXPORT int cuptiActivityFlushAll(uint32_t flag)
{
	if (!recording_by_cupti())
		FORWARD(FLUSH, (uint32_t), flag);
	int error = cupti.flush_all(flag);
	pthread_mutex_lock(&lock);
	bool over = !kinds;
	pthread_mutex_unlock(&lock);
	if (over && atomic_load(&owed))
		end_delivery();
	return error;
}

SHIM_EXPORT int cuptiActivityRegisterTimestampCallback(clock_function clock);
SHIM_EXPORT int cuptiActivityRegisterTimestampCallback(clock_function clock)
{
	if (!recording_by_cupti())
		FORWARD(TIMESTAMP, (clock_function), clock);
	if (!clock)
		return CUPTI_INVALID_PARAMETER;
	struct reading now = read_clocks(clock);
	pthread_mutex_lock(&lock);
	guest_clock = clock;
	first = now;
	pthread_mutex_unlock(&lock);
	return CUPTI_OK;
}

/* CUPTI is ours until the process ends. */
SHIM_EXPORT int cuptiFinalize(void);
SHIM_EXPORT int cuptiFinalize(void)
{
	if (!recording_by_cupti())
		FORWARD(FINALIZE, (void));
	return CUPTI_OK;
}

/* CUPTI takes one subscriber, and that is us. Kineto records nothing when it is refused, though all
 * it wants of callbacks is to hear of contexts, for another way to start it: it is told yes and
 * hears nothing. Everybody else is refused by CUPTI itself. */
static char subscription;

static bool is_kineto(const void *caller)
{
	Dl_info info;
	if (!dladdr(caller, &info) || !info.dli_fname)
		return false;
	const char *slash = strrchr(info.dli_fname, '/'), *file = slash ? slash + 1 : info.dli_fname;
	return strncmp(file, "libtorch", 8) == 0 || strstr(file, "kineto") != NULL;
}

SHIM_EXPORT int cuptiSubscribe(void **subscriber, cupti_callback callback, void *user);
SHIM_EXPORT int cuptiSubscribe(void **subscriber, cupti_callback callback, void *user)
{
	if (!recording_by_cupti() || !subscriber || !is_kineto(__builtin_return_address(0)))
		FORWARD(SUBSCRIBE, (void **, cupti_callback, void *), subscriber, callback, user);
	*subscriber = &subscription;
	return CUPTI_OK;
}

SHIM_EXPORT int cuptiUnsubscribe(void *subscriber);
SHIM_EXPORT int cuptiUnsubscribe(void *subscriber)
{
	if (subscriber != &subscription)
		FORWARD(UNSUBSCRIBE, (void *), subscriber);
	return CUPTI_OK;
}

SHIM_EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id);
SHIM_EXPORT int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
	if (subscriber != &subscription)
		FORWARD(ENABLE_CALLBACK, (uint32_t, void *, int, uint32_t), enable, subscriber, domain, id);
	return CUPTI_OK;
}

SHIM_EXPORT int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain);
SHIM_EXPORT int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain)
{
	if (subscriber != &subscription)
		FORWARD(ENABLE_DOMAIN, (uint32_t, void *, int), enable, subscriber, domain);
	return CUPTI_OK;
}
