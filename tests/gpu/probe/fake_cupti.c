/* A libcupti that makes records of what the fake libcuda does, in the layouts of CUDA 13.0. Any
 * call before cuInit aborts, as some real releases crash then. -DFAKE_POOR leaves functions out. */
#include "fake.h"

#include "clocks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_MOST = 1 << 17, CBIDS = 1024, DOMAINS = 8, KINDS = 64, LIMIT_REACHED = 12, HELD = 39 };

struct call_data {
	int32_t site;
	const char *function;
	const void *params;
	void *returned;
	const char *symbol;
	void *context;
	uint32_t context_uid;
	uint64_t *correlation_data;
	uint32_t correlation;
};

typedef void callback(void *user, int domain, uint32_t cbid, const void *data);
typedef void request(uint8_t **buffer, size_t *bytes, size_t *most);
typedef void done(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);

static struct fake_op ops[OPS_MOST]; /* those not yet delivered */
static size_t op_count, dropped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static callback *subscribed;
static void *subscribed_user;
static bool enabled[KINDS], wanted[DOMAINS][CBIDS];
static request *ask;
static done *give;
static uint64_t (*clock_of_user)(void);
static uint8_t attributes[16] = {[9] = 1};

static struct {
	uint8_t *bytes;
	size_t size, used;
} buffer;

#define ENTRY(name, ...)   \
	int name(__VA_ARGS__); \
	int name(__VA_ARGS__)

/* ---- what the driver tells ---- */

static void on_call(int domain, uint32_t cbid, int site, const char *function, uint32_t correlation)
{
	static _Thread_local uint64_t carried[DOMAINS];
	struct call_data data = {.site = site,
							 .function = function,
							 .context_uid = 1,
							 .correlation_data = &carried[domain],
							 .correlation = correlation};

	if (subscribed && cbid < CBIDS && wanted[domain][cbid])
		subscribed(subscribed_user, domain, cbid, &data);
}

static void buffer_ask(void)
{
	size_t most;

	if (!buffer.bytes && ask)
		ask(&buffer.bytes, &buffer.size, &most);
	if (buffer.bytes && !attributes[5])
		memset(buffer.bytes, 0, buffer.size);
	buffer.used = 0;
}

static void on_op(const struct fake_op *op)
{
	bool node = op->node != 0;

	if (!enabled[op->kind] || (node && enabled[51]))
		return;
	pthread_mutex_lock(&lock);
	if (!buffer.bytes)
		buffer_ask();
	if (!buffer.bytes || op_count == OPS_MOST)
		dropped++;
	else
		ops[op_count++] = *op;
	pthread_mutex_unlock(&lock);
}

static void on_context_ends(void)
{
	if (subscribed && wanted[3][2])
		subscribed(subscribed_user, 3, 2, NULL);
}

static const struct fake_observer observer = {on_call, on_op, on_context_ends};

/* Each entry begins here. */
static void enter(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	const struct fake_observer **slot = driver ? dlsym(driver, "fake_observer") : NULL;
	int *ready = driver ? dlsym(driver, "fake_initialised") : NULL;

	if (!slot || !ready || !*ready)
		abort();
	*slot = &observer;
}

/* ---- records ---- */

struct layout {
	uint32_t kind, size, start, end, stream, correlation, node, graph, bytes, context;
};

static const struct layout layouts[] = {
	{10, 216, 16, 24, 48, 92, 144, 156, 0, 44},
	{1, 96, 16, 24, 40, 44, 64, 72, 8, 36},
	{2, 88, 16, 24, 40, 44, 64, 72, 8, 36},
	{51, 56, 8, 16, 36, 4, 0, 28, 0, 32},
};

static const struct layout *layout_of(uint32_t kind)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].kind == kind)
			return &layouts[i];
	return NULL;
}

static void put32(uint8_t *record, uint32_t at, uint32_t value)
{
	if (at)
		memcpy(record + at, &value, sizeof(value));
}

static void put64(uint8_t *record, uint32_t at, uint64_t value)
{
	if (at)
		memcpy(record + at, &value, sizeof(value));
}

static uint64_t stamp(int64_t real)
{
	return clock_of_user ? (uint64_t)(real - clock_real()) + clock_of_user() : (uint64_t)real;
}

static void record_write(const struct layout *at, const struct fake_op *op, bool complete)
{
	uint8_t *record = buffer.bytes + buffer.used;

	memset(record, 0, at->size);
	memcpy(record, &op->kind, sizeof(op->kind));
	put64(record, at->start, complete ? stamp(op->start) : 0);
	put64(record, at->end, complete ? stamp(op->end) : 0);
	put32(record, at->stream, op->stream);
	put32(record, at->correlation, op->correlation);
	put32(record, at->context, 1);
	put64(record, at->node, op->node);
	put32(record, at->graph, op->graph);
	put64(record, at->bytes, op->bytes);
	if (op->kind == 10)
		put64(record, 104, (uint64_t)(uintptr_t)op->name);
	buffer.used += at->size;
}

static void buffer_give(void)
{
	if (buffer.bytes && give)
		give(NULL, 0, buffer.bytes, buffer.size, buffer.used);
	buffer.bytes = NULL;
}

ENTRY(cuptiActivityFlushAll, uint32_t flag)
{
	int64_t now;
	size_t i, kept = 0;

	enter();
	pthread_mutex_lock(&lock);
	now = clock_real();
	for (i = 0; i < op_count; i++) {
		const struct layout *at = layout_of(ops[i].kind);
		bool complete = ops[i].end <= now;

		if (!complete && !flag) {
			ops[kept++] = ops[i];
			continue;
		}
		if (buffer.bytes && buffer.used + at->size > buffer.size)
			buffer_give();
		if (!buffer.bytes)
			buffer_ask();
		if (buffer.bytes)
			record_write(at, &ops[i], complete);
		else
			dropped++;
	}
	op_count = kept;
	if (buffer.bytes && buffer.used)
		buffer_give();
	pthread_mutex_unlock(&lock);
	return 0;
}

ENTRY(cuptiActivityGetNextRecord, uint8_t *bytes, size_t valid, uint8_t **record)
{
	uint8_t *next = bytes;
	uint32_t kind;

	if (*record) {
		memcpy(&kind, *record, sizeof(kind));
		next = *record + layout_of(kind)->size;
	}
	if (next >= bytes + valid)
		return LIMIT_REACHED;
	*record = next;
	return 0;
}

/* ---- the rest ---- */

ENTRY(cuptiGetVersion, uint32_t *version)
{
	enter();
	*version = 130000;
	return 0;
}

ENTRY(cuptiGetResultString, int rc, const char **text)
{
	*text = rc == HELD ? "FAKE_HELD" : "FAKE_ERROR";
	return 0;
}

ENTRY(cuptiGetTimestamp, uint64_t *ns)
{
	enter();
	*ns = (uint64_t)clock_real();
	return 0;
}

ENTRY(cuptiSubscribe, void **subscriber, callback *function, void *user)
{
	enter();
	if (subscribed)
		return HELD;
	subscribed = function;
	subscribed_user = user;
	*subscriber = &subscribed;
	return 0;
}

ENTRY(cuptiUnsubscribe, void *subscriber)
{
	enter();
	if (subscriber != &subscribed || !subscribed)
		return 1;
	subscribed = NULL;
	memset(wanted, 0, sizeof(wanted));
	return 0;
}

ENTRY(cuptiEnableCallback, uint32_t enable, void *subscriber, int domain, uint32_t cbid)
{
	enter();
	if (subscriber != &subscribed || cbid >= CBIDS || domain >= DOMAINS)
		return 1;
	wanted[domain][cbid] = enable != 0;
	return 0;
}

ENTRY(cuptiEnableDomain, uint32_t enable, void *subscriber, int domain)
{
	enter();
	if (subscriber != &subscribed || domain >= DOMAINS)
		return 1;
	memset(wanted[domain], enable != 0, sizeof(wanted[domain]));
	return 0;
}

ENTRY(cuptiGetCallbackName, int domain, uint32_t cbid, const char **name)
{
	*name = domain == 1 && cbid == 307 ? "cuLaunchKernel" : "another";
	return 0;
}

ENTRY(cuptiActivityRegisterCallbacks, request *on_request, done *on_done)
{
	enter();
	ask = on_request;
	give = on_done;
	return 0;
}

ENTRY(cuptiActivityEnable, int kind)
{
	enter();
	if (kind <= 0 || kind >= KINDS)
		return 21;
	enabled[kind] = true;
	return 0;
}

ENTRY(cuptiActivityDisable, int kind)
{
	enabled[kind] = false;
	return 0;
}

ENTRY(cuptiActivityGetAttribute, int attribute, size_t *bytes, void *value)
{
	if (attribute > 9 || *bytes != 1)
		return attribute > 9 ? 1 : 10;
	memcpy(value, &attributes[attribute], 1);
	return 0;
}

ENTRY(cuptiActivitySetAttribute, int attribute, size_t *bytes, const void *value)
{
	if (attribute > 9 || *bytes != 1)
		return 1;
	memcpy(&attributes[attribute], value, 1);
	return 0;
}

ENTRY(cuptiSetThreadIdType, int type)
{
	return type > 1;
}

#ifndef FAKE_POOR
struct subscriber_params {
	size_t bytes;
	const char *name;
	char *holder;
	size_t holder_bytes;
};

ENTRY(cuptiSubscribe_v2, void **subscriber, callback *function, void *user,
	  struct subscriber_params *params)
{
	if (subscribed && params->holder_bytes > 12)
		memcpy(params->holder, "fake holder", 12);
	return cuptiSubscribe(subscriber, function, user);
}

ENTRY(cuptiActivityRegisterTimestampCallback, uint64_t (*clock)(void))
{
	if (enabled[10])
		return 7;
	clock_of_user = clock;
	return 0;
}

ENTRY(cuptiActivityFlushPeriod, uint32_t ms)
{
	return ms == 0;
}

ENTRY(cuptiActivityGetNumDroppedRecords, void *context, uint32_t stream, size_t *count)
{
	(void)context;
	(void)stream;
	*count = dropped;
	dropped = 0;
	return 0;
}
#endif
