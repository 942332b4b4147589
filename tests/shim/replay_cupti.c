/* A CUPTI that plays a fixture of the GPU probe (tools/probe/FORMAT.md) to whoever subscribed:
 * the logged calls on one thread per thread of the log, those only whose callbacks were asked for,
 * then the buffers, in the order in which they were completed. BATON_CUPTI names it; replay()
 * plays.
 */
#include "fixture.h"

#include <pthread.h>
#include <time.h>

enum { DOMAINS = 8, CALLBACKS = 4096, NO_MORE = 12, LAUNCH_DOMAIN = 2, LAUNCH = 211 };

struct callback_data { /* CUpti_CallbackData */
	int site;
	const char *function;
	const void *params;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_uid;
	uint64_t *data;
	uint32_t correlation;
};

typedef void (*on_call)(void *user, int domain, uint32_t id, const void *data);
typedef void (*on_request)(uint8_t **bytes, size_t *size, size_t *most);
typedef void (*on_complete)(void *context, uint32_t stream, uint8_t *bytes, size_t size,
							size_t valid);

on_call subscriber; /* tools/bench/launch.c finds it by name and calls it itself */
static on_request request;
static on_complete complete;
static bool enabled[DOMAINS][CALLBACKS];
static struct fixture fixture;
static uint64_t *kept; /* per call of the log: the 8 bytes of its enter */

/* Where the records of each buffer given out begin: the walk of the shim's writer thread. */
static struct given {
	uint8_t *bytes;
	const struct fixture_view *view;
	uint32_t first, end; /* records of it */
} * given;
static size_t given_count;
static pthread_mutex_t giving = PTHREAD_MUTEX_INITIALIZER;

static struct given *given_find(const uint8_t *bytes)
{
	for (size_t i = given_count; i-- > 0;)
		if (given[i].bytes == bytes)
			return &given[i];
	return NULL;
}

static uint64_t record_at(const struct fixture_view *view, uint32_t i)
{
	return i < view->head.records ? view->offsets[i] : view->head.valid;
}

/* As many records from `first` on as one buffer of the subscriber holds; the next one, or 0 when no
 * buffer was to be had. */
static uint32_t give(const struct fixture_view *view, const uint8_t *block, uint32_t first)
{
	uint8_t *bytes = NULL;
	size_t size = 0, most = 0;
	uint64_t from = record_at(view, first);
	uint32_t end = first;
	request(&bytes, &size, &most);
	if (!bytes)
		return 0;
	while (end < view->head.records && record_at(view, end + 1) - from <= size)
		end++;
	memcpy(bytes, block + from, record_at(view, end) - from);
	pthread_mutex_lock(&giving);
	given = realloc(given, (given_count + 1) * sizeof(*given));
	given[given_count++] = (struct given){bytes, view, first, end};
	pthread_mutex_unlock(&giving);
	complete((void *)(uintptr_t)view->head.context, view->head.stream, bytes, size,
			 record_at(view, end) - from);
	return end;
}

static int give_all(void)
{
	for (size_t i = 0; i < fixture.buffer_count; i++) {
		const struct fixture_view *view = &fixture.buffers[i];
		uint8_t *block = fixture_block(&fixture, i);
		for (uint32_t first = 0; block && first < view->head.records;) {
			uint32_t next = give(view, block, first);
			if (next <= first)
				return 1; /* no buffer, or one that holds no record */
			first = next;
		}
		free(block);
	}
	return 0;
}

static const char *function_of(const struct fixture_call *call)
{
	static char names[DOMAINS][CALLBACKS][24];
	char *name = names[call->domain % DOMAINS][call->cbid % CALLBACKS];
	snprintf(name, 24, "call %u.%u", call->domain, call->cbid);
	return name;
}

static void *play_thread(void *tid)
{
	static int result;
	static uint64_t params[16]; /* whatever is looked at in them is NULL */
	for (size_t i = 0; i < fixture.call_count; i++) {
		const struct fixture_call *call = &fixture.calls[i];
		if (call->tid != *(const uint32_t *)tid || call->domain >= DOMAINS ||
			call->cbid >= CALLBACKS || !enabled[call->domain][call->cbid])
			continue;
		size_t enter = call->site && call->data ? call->data - 1 : i;
		struct callback_data data = {.site = call->site,
									 .function = function_of(call),
									 .params = params,
									 .result = &result,
									 .context_uid = call->context_uid,
									 .data = &kept[enter < fixture.call_count ? enter : i],
									 .correlation = call->correlation};
		subscriber(NULL, call->domain, call->cbid, &data);
	}
	return NULL;
}

/* A launch that failed: the shim begins its recording at the first call, and a log may have none. */
static void play_first(void)
{
	static int failed = 1;
	uint64_t slot = 0;
	struct callback_data data = {.function = "first",
								 .result = &failed,
								 .data = &slot,
								 .correlation = UINT32_MAX};
	subscriber(NULL, LAUNCH_DOMAIN, LAUNCH, &data);
	data.site = 1;
	subscriber(NULL, LAUNCH_DOMAIN, LAUNCH, &data);
}

/* The threads of the log one after the other: what they record is told apart by thread anyway. */
static int play_calls(void)
{
	for (size_t i = 0; i < fixture.call_count; i++) {
		uint32_t tid = fixture.calls[i].tid;
		bool played = false;
		for (size_t k = 0; k < i && !played; k++)
			played = fixture.calls[k].tid == tid;
		pthread_t thread;
		if (!played && (pthread_create(&thread, NULL, play_thread, &tid) != 0 ||
						pthread_join(thread, NULL) != 0))
			return 1;
	}
	return 0;
}

/* 0; else what went wrong is on stderr. */
int replay(const char *path);
int replay(const char *path)
{
	char why[600];
	if (fixture_load(&fixture, path, why, sizeof(why)) != 0) {
		fprintf(stderr, "replay: %s\n", why);
		return 3;
	}
	kept = calloc(fixture.call_count + 1, sizeof(*kept));
	if (!kept || !subscriber || !request || !complete) {
		fprintf(stderr, "replay: nobody has subscribed\n");
		return 1;
	}
	play_first();
	if (play_calls() || give_all()) {
		fprintf(stderr, "replay: %s: no thread or no buffer\n", path);
		return 1;
	}
	return 0;
}

/* ---- what the shim calls ---- */

int cuptiSubscribe(void **handle, on_call callback, void *user);
int cuptiSubscribe(void **handle, on_call callback, void *user)
{
	(void)user;
	*handle = &subscriber;
	subscriber = callback;
	return 0;
}

int cuptiEnableCallback(uint32_t enable, void *handle, int domain, uint32_t id);
int cuptiEnableCallback(uint32_t enable, void *handle, int domain, uint32_t id)
{
	if (handle != &subscriber || domain < 0 || domain >= DOMAINS || id >= CALLBACKS)
		return 1;
	enabled[domain][id] = enable;
	return 0;
}

int cuptiActivityRegisterCallbacks(on_request requested, on_complete completed);
int cuptiActivityRegisterCallbacks(on_request requested, on_complete completed)
{
	request = requested;
	complete = completed;
	return 0;
}

int cuptiActivityGetNextRecord(uint8_t *bytes, size_t valid, uint8_t **record);
int cuptiActivityGetNextRecord(uint8_t *bytes, size_t valid, uint8_t **record)
{
	(void)valid;
	pthread_mutex_lock(&giving);
	struct given *from = given_find(bytes);
	int status = from ? 0 : 1;
	if (from) {
		uint64_t base = record_at(from->view, from->first);
		uint32_t next = from->first;
		while (*record && next < from->end && bytes + record_at(from->view, next) - base <= *record)
			next++;
		status = next < from->end ? 0 : NO_MORE;
		*record = next < from->end ? bytes + record_at(from->view, next) - base : *record;
	}
	pthread_mutex_unlock(&giving);
	return status;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
	(void)context;
	(void)stream;
	*n = 0;
	return 0;
}

int cuptiGetTimestamp(uint64_t *ns);
int cuptiGetTimestamp(uint64_t *ns)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	*ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return 0;
}

#define SUCCEEDS(name) \
	int name(void);    \
	int name(void)     \
	{                  \
		return 0;      \
	}

SUCCEEDS(cuptiUnsubscribe)
SUCCEEDS(cuptiActivityEnable)
SUCCEEDS(cuptiActivityDisable)
SUCCEEDS(cuptiActivityFlushAll)
SUCCEEDS(cuptiActivitySetAttribute)
SUCCEEDS(cuptiSetThreadIdType)
SUCCEEDS(cuptiGetResultString)
