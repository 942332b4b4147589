#include "activity.h"

#include "clocks.h"
#include "result.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct activity activity;
struct call_log call_log;
_Atomic uint64_t calls_counted;

enum { FILL = 0xa5, RECORDS_MOST = 1 << 20 };

/* Who asked for which buffer, until it is completed. */
struct lent {
	uint8_t *buffer;
	uint32_t tid;
};

static struct lent lent[1024];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *subscriber;
static uint8_t *_Atomic spare;

uint32_t activity_tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void lent_add(uint8_t *buffer)
{
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < sizeof(lent) / sizeof(lent[0]); i++)
		if (!lent[i].buffer) {
			lent[i] = (struct lent){buffer, activity_tid()};
			break;
		}
	pthread_mutex_unlock(&lock);
}

static uint32_t lent_take(const uint8_t *buffer) /* under lock */
{
	size_t i;

	for (i = 0; i < sizeof(lent) / sizeof(lent[0]); i++)
		if (lent[i].buffer == buffer) {
			lent[i].buffer = NULL;
			return lent[i].tid;
		}
	return 0;
}

static uint8_t *buffer_make(void)
{
	size_t size = activity.options.buffer_bytes;
	uint8_t *buffer = activity.options.fill ? malloc(size) : calloc(1, size);

	if (buffer && activity.options.fill)
		memset(buffer, FILL, size);
	return buffer;
}

void activity_prepare(void)
{
	if (!spare)
		spare = buffer_make();
}

static void buffer_request(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
	activity.requested++;
	*buffer = NULL;
	*bytes = 0;
	*most_records = 0;
	if (activity.options.refuse)
		return;
	*buffer = atomic_exchange(&spare, NULL);
	if (!*buffer)
		*buffer = buffer_make();
	if (!*buffer)
		return;
	*bytes = activity.options.buffer_bytes;
	lent_add(*buffer);
}

/* The array with room for one more, or false. */
static bool grow(void **array, size_t count, size_t *capacity, size_t item, size_t most)
{
	size_t wanted = *capacity ? *capacity * 2 : 1024;
	void *grown;

	if (count < *capacity)
		return true;
	if (count >= most)
		return false;
	grown = realloc(*array, wanted * item);
	if (!grown)
		return false;
	*array = grown;
	*capacity = wanted;
	return true;
}

static void record_add(const uint8_t *record, uint32_t size, uint32_t buffer)
{
	if (!grow((void **)&activity.records, activity.record_count, &activity.record_capacity,
			  sizeof(*activity.records), RECORDS_MOST))
		return;
	activity.records[activity.record_count] = cupti_record(record, size);
	activity.records[activity.record_count++].buffer = buffer;
}

/* Where each record begins, as CUPTI's own walk says. */
static uint32_t *buffer_offsets(uint8_t *bytes, size_t valid, uint32_t *count)
{
	size_t capacity = 0;
	uint8_t *record = NULL;
	uint32_t *offsets = NULL;

	*count = 0;
	while (cupti.next_record && cupti.next_record(bytes, valid, &record) == 0 && record) {
		if (!grow((void **)&offsets, *count, &capacity, sizeof(*offsets), RECORDS_MOST))
			break;
		offsets[(*count)++] = (uint32_t)(record - bytes);
	}
	return offsets;
}

static void buffer_read(const struct activity_buffer *buffer, const uint8_t *bytes, uint32_t number)
{
	uint32_t i, end;

	for (i = 0; i < buffer->records; i++) {
		end = i + 1 < buffer->records ? buffer->offsets[i + 1] : (uint32_t)buffer->valid;
		record_add(bytes + buffer->offsets[i], end - buffer->offsets[i], number);
	}
}

static void buffer_keep(struct activity_buffer *buffer, uint8_t *bytes)
{
	if (!activity.options.keep || buffer->valid == 0)
		return;
	if (activity.kept_bytes + buffer->valid > ACTIVITY_KEEP_BYTES) {
		activity.cut_buffers++;
		return;
	}
	buffer->bytes = malloc(buffer->valid);
	if (!buffer->bytes)
		return;
	memcpy(buffer->bytes, bytes, buffer->valid);
	activity.kept_bytes += buffer->valid;
}

static uint32_t fill_left(const uint8_t *bytes, size_t size, size_t valid)
{
	uint32_t left = 0;
	size_t i;

	for (i = valid; bytes && i < size; i++)
		left += bytes[i] == FILL;
	return left;
}

static void buffer_done(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
	struct activity_buffer buffer = {.size = size,
									 .valid = valid,
									 .context = context,
									 .stream = stream,
									 .done_ns = clock_real(),
									 .done_tid = activity_tid()};

	/* CUPTI is never called with our lock held: its other threads may wait for it in a request. */
	if (bytes && valid && !activity.options.count_only)
		buffer.offsets = buffer_offsets(bytes, valid, &buffer.records);
	pthread_mutex_lock(&lock);
	buffer.request_tid = lent_take(bytes);
	if (activity.options.fill)
		buffer.unzeroed = fill_left(bytes, size, valid);
	if (buffer.offsets)
		buffer_read(&buffer, bytes, (uint32_t)activity.buffer_count);
	buffer_keep(&buffer, bytes);
	if (grow((void **)&activity.buffers, activity.buffer_count, &activity.buffer_capacity,
			 sizeof(*activity.buffers), RECORDS_MOST))
		activity.buffers[activity.buffer_count++] = buffer;
	pthread_mutex_unlock(&lock);
	free(bytes);
}

bool activity_start(struct activity_options options)
{
	if (!result_have("cuptiActivityRegisterCallbacks", cupti.register_buffers))
		return false;
	if (options.buffer_bytes == 0)
		options.buffer_bytes = 64 * 1024;
	activity.options = options;
	return result_ok("cuptiActivityRegisterCallbacks",
					 cupti.register_buffers(buffer_request, buffer_done));
}

bool activity_enable(int kind)
{
	int rc;

	if (!result_have("cuptiActivityEnable", cupti.enable))
		return false;
	rc = cupti.enable(kind);
	if (rc)
		result_message("cuptiActivityEnable(%d): error %d %s", kind, rc, cupti_error(rc));
	return rc == 0;
}

int64_t activity_flush(uint32_t flag)
{
	int64_t from = clock_mono();

	if (!result_have("cuptiActivityFlushAll", cupti.flush_all))
		return 0;
	result_ok("cuptiActivityFlushAll", cupti.flush_all(flag));
	return clock_mono() - from;
}

size_t activity_count(int kind)
{
	size_t i, count = 0;

	for (i = 0; i < activity.record_count; i++)
		count += activity.records[i].kind == (uint32_t)kind;
	return count;
}

static int by_start(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

void activity_sort_starts(void)
{
	if (activity.record_count)
		qsort(activity.records, activity.record_count, sizeof(*activity.records), by_start);
}

const struct record *activity_find(uint32_t correlation, int kind)
{
	size_t i;

	for (i = 0; i < activity.record_count; i++)
		if (activity.records[i].correlation == correlation &&
			activity.records[i].kind == (uint32_t)kind)
			return &activity.records[i];
	return NULL;
}

/* ---- callbacks ---- */

static void log_call(void *user, int domain, uint32_t cbid, const void *data)
{
	const struct cupti_call *call = data;
	bool api = domain == DOMAIN_DRIVER || domain == DOMAIN_RUNTIME;
	uint32_t at = call_log.count++;
	struct call_seen *seen;

	(void)user;
	if (at >= CALLS_MOST)
		return;
	seen = &call_log.calls[at];
	seen->ns = clock_real();
	seen->domain = (uint8_t)domain;
	seen->cbid = cbid;
	seen->tid = activity_tid();
	if (!api)
		return;
	seen->site = (uint8_t)call->site;
	seen->correlation = call->correlation;
	seen->context_uid = call->context_uid;
	if (call->correlation_data) {
		if (call->site == SITE_ENTER)
			*call->correlation_data = (uint64_t)at + 1;
		seen->data = *call->correlation_data;
	}
}

static void count_call(void *user, int domain, uint32_t cbid, const void *data)
{
	(void)user;
	(void)domain;
	(void)cbid;
	(void)data;
	atomic_fetch_add_explicit(&calls_counted, 1, memory_order_relaxed);
}

static bool subscribe_with(cupti_callback *callback)
{
	int rc;

	if (!result_have("cuptiSubscribe", cupti.subscribe))
		return false;
	rc = cupti.subscribe(&subscriber, callback, NULL);
	if (rc)
		result_message("cuptiSubscribe: error %d %s", rc, cupti_error(rc));
	return rc == 0;
}

bool calls_subscribe(void)
{
	if (!call_log.calls)
		call_log.calls = calloc(CALLS_MOST, sizeof(*call_log.calls));
	return call_log.calls && subscribe_with(log_call);
}

bool calls_subscribe_counting(void)
{
	return subscribe_with(count_call);
}

bool calls_enable(int domain, uint32_t cbid)
{
	if (!result_have("cuptiEnableCallback", cupti.enable_callback))
		return false;
	return result_ok("cuptiEnableCallback", cupti.enable_callback(1, subscriber, domain, cbid));
}

bool calls_domain(int domain)
{
	if (!result_have("cuptiEnableDomain", cupti.enable_domain))
		return false;
	return result_ok("cuptiEnableDomain", cupti.enable_domain(1, subscriber, domain));
}

void calls_unsubscribe(void)
{
	if (result_have("cuptiUnsubscribe", cupti.unsubscribe))
		result_ok("cuptiUnsubscribe", cupti.unsubscribe(subscriber));
	subscriber = NULL;
}

uint32_t calls_count(void)
{
	uint32_t count = call_log.count;

	return count < CALLS_MOST ? count : CALLS_MOST;
}
