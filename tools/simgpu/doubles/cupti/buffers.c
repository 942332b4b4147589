#include "doubles/cupti/buffers.h"
#include "doubles/cupti/activity.h"
#include "doubles/cupti/client.h"
#include "doubles/cupti/driver.h"
#include "doubles/cupti/identity.h"
#include "doubles/cupti/knobs.h"
#include "doubles/cupti/release.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PER_THREAD_SINCE = 21, OVERHEAD_FLUSH = 1 << 16 };

struct buffer {
	struct buffer *next;
	uint64_t serial; /* of this use: the structure serves again */
	uint8_t *data;
	size_t size, used, max_records;
	struct entry *entries;
	unsigned count, room, pending;
};

struct lane {
	struct lane *next;
	struct buffer *open;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake, delivered;
static struct lane process_lane;
static struct lane *lanes = &process_lane;
static struct buffer *full, *unused;
static buffer_request_fn client_request;
static buffer_complete_fn client_complete;
static uint64_t dropped, added, serials;
static uint32_t period_ms;
static unsigned period_changes;
static bool worker_running, client_zeroes;
/* Flushes that were asked of the worker and that it is through with, and what they gave. */
static unsigned flushes_asked, flushes_done, flushed_records;
static bool flush_is_forced;
static atomic_int per_thread = -1;
static __thread struct lane *my_lane;

static void __attribute__((constructor)) buffers_init(void)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &monotonic);
	pthread_cond_init(&delivered, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

/* ---- lanes ---- */

bool buffers_per_thread(void)
{
	int value = atomic_load(&per_thread);

	return value < 0 ? release_here()->version >= PER_THREAD_SINCE : value;
}

void buffers_use_threads(bool on)
{
	atomic_store(&per_thread, on);
}

void buffers_client_zeroes(bool zeroes)
{
	pthread_mutex_lock(&lock);
	client_zeroes = zeroes;
	pthread_mutex_unlock(&lock);
}

bool buffers_are_zeroed(void)
{
	return client_zeroes;
}

/* A lane outlives its thread: what the thread left is flushed like the rest. */
struct lane *buffers_lane(void)
{
	if (!buffers_per_thread())
		return &process_lane;
	if (!my_lane) {
		my_lane = calloc(1, sizeof(*my_lane));
		if (!my_lane)
			return &process_lane;
		pthread_mutex_lock(&lock);
		my_lane->next = lanes;
		lanes = my_lane;
		pthread_mutex_unlock(&lock);
	}
	return my_lane;
}

/* ---- one buffer ---- */

static struct buffer *buffer_new(void) /* locked */
{
	struct buffer *buffer = unused;

	if (buffer)
		unused = buffer->next;
	else
		buffer = calloc(1, sizeof(*buffer));
	if (buffer) {
		struct entry *entries = buffer->entries;
		unsigned room = buffer->room;
		*buffer = (struct buffer){.serial = ++serials, .entries = entries, .room = room};
	}
	return buffer;
}

static void buffer_retire(struct buffer *buffer) /* locked */
{
	buffer->serial = 0;
	buffer->next = unused;
	unused = buffer;
}

static bool buffer_fits(const struct buffer *buffer, uint32_t bytes)
{
	return buffer && buffer->used + bytes <= buffer->size &&
		   (!buffer->max_records || buffer->count < buffer->max_records);
}

static bool buffer_push(struct buffer *buffer, const struct entry *entry, struct slot *slot)
{
	if (buffer->count == buffer->room) {
		unsigned room = buffer->room ? buffer->room * 2 : 64;
		struct entry *entries = realloc(buffer->entries, room * sizeof(*entries));
		if (!entries)
			return false;
		buffer->entries = entries;
		buffer->room = room;
	}
	if (slot)
		*slot = (struct slot){buffer, buffer->serial, buffer->count};
	buffer->pending += !entry->done;
	buffer->used += render_bytes(entry->kind);
	buffer->entries[buffer->count++] = *entry;
	return true;
}

/* Asks the client, unlocked. NULL: it has none to give. */
static struct buffer *buffer_request(void)
{
	buffer_request_fn request;
	struct buffer *buffer;
	uint8_t *data = NULL;
	size_t size = 0, max_records = 0;
	bool zero;

	pthread_mutex_lock(&lock);
	request = client_request;
	zero = !client_zeroes;
	pthread_mutex_unlock(&lock);
	if (!request)
		return NULL;
	client_enter();
	request(&data, &size, &max_records);
	client_leave();
	if (!data || !size)
		return NULL;
	if ((uintptr_t)data % 8) {
		fprintf(stderr, "simgpu cupti: a buffer that is not aligned to 8 bytes\n");
		abort();
	}
	if (zero)
		memset(data, 0, size);
	pthread_mutex_lock(&lock);
	buffer = buffer_new();
	if (buffer) {
		buffer->data = data;
		buffer->size = size;
		buffer->max_records = max_records;
	}
	pthread_mutex_unlock(&lock);
	return buffer;
}

/* No more comes into it; the worker may have it once all of it is done. */
static void buffer_close(struct buffer *buffer) /* locked */
{
	buffer->next = full;
	full = buffer;
	if (!period_ms)
		pthread_cond_signal(&wake);
}

static void shuffle(struct entry *entries, unsigned count)
{
	uint64_t state = 88172645463325252u;

	for (unsigned i = count; i > 1; i--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		unsigned j = (unsigned)(state % i);
		struct entry swap = entries[i - 1];
		entries[i - 1] = entries[j];
		entries[j] = swap;
	}
}

/* Unlocked; the buffer is in no list any more. */
static void buffer_deliver(struct buffer *buffer)
{
	struct clock_line line = clock_line();
	buffer_complete_fn complete;
	size_t valid = 0;

	if (knobs()->shuffle)
		shuffle(buffer->entries, buffer->count);
	for (unsigned i = 0; i < buffer->count; i++) {
		if (buffer->entries[i].gone)
			continue;
		render(buffer->data + valid, &buffer->entries[i], &line);
		valid += render_bytes(buffer->entries[i].kind);
	}
	pthread_mutex_lock(&lock);
	complete = client_complete;
	pthread_mutex_unlock(&lock);
	client_enter();
	complete(NULL, 0, buffer->data, buffer->size, valid);
	client_leave();
}

/* ---- entries ---- */

static bool entry_is_dropped(const struct entry *entry) /* locked */
{
	uint32_t every = knobs()->drop_every;

	return every && entry->kind != KIND_OVERHEAD && ++added % every == 0;
}

static bool lane_make_room(struct lane *lane, uint32_t bytes) /* locked on entry and return */
{
	struct buffer *fresh;

	while (!buffer_fits(lane->open, bytes)) {
		if (lane->open)
			buffer_close(lane->open);
		lane->open = NULL;
		pthread_mutex_unlock(&lock);
		fresh = buffer_request();
		pthread_mutex_lock(&lock);
		if (!fresh)
			return false;
		if (fresh->size < bytes) {
			buffer_close(fresh); /* goes back empty */
			return false;
		}
		if (lane->open) /* another thread of this lane was faster */
			buffer_close(fresh);
		else
			lane->open = fresh;
	}
	return true;
}

void buffers_prepare(struct lane *lane)
{
	pthread_mutex_lock(&lock);
	if (!lane->open)
		lane_make_room(lane, 8);
	pthread_mutex_unlock(&lock);
}

bool buffers_add(struct lane *lane, const struct entry *entry, struct slot *slot)
{
	bool kept;

	pthread_mutex_lock(&lock);
	kept = !entry_is_dropped(entry) && lane_make_room(lane, render_bytes(entry->kind)) &&
		   buffer_push(lane->open, entry, slot);
	dropped += !kept && !slot;
	pthread_mutex_unlock(&lock);
	return kept;
}

void buffers_dropped(void)
{
	pthread_mutex_lock(&lock);
	dropped++;
	pthread_mutex_unlock(&lock);
}

static struct entry *slot_entry(const struct slot *slot) /* locked */
{
	return slot->buffer && slot->buffer->serial == slot->serial
			   ? &slot->buffer->entries[slot->index]
			   : NULL;
}

static void slot_settle(const struct slot *slot) /* locked */
{
	slot->buffer->pending--;
	if (!period_ms)
		pthread_cond_signal(&wake);
}

bool buffers_finish(const struct slot *slot, const struct entry *entry)
{
	struct entry *waiting;
	bool same;

	pthread_mutex_lock(&lock);
	waiting = slot_entry(slot);
	same = !waiting || waiting->kind == entry->kind;
	if (waiting) {
		if (same)
			*waiting = *entry;
		waiting->gone = !same;
		waiting->done = true;
		slot_settle(slot);
	}
	pthread_mutex_unlock(&lock);
	return same;
}

void buffers_cancel(const struct slot *slot)
{
	struct entry *waiting;

	pthread_mutex_lock(&lock);
	waiting = slot_entry(slot);
	if (waiting) {
		waiting->gone = waiting->done = true;
		slot_settle(slot);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- delivery ---- */

static struct buffer *full_take(bool forced) /* locked */
{
	for (struct buffer **at = &full; *at; at = &(*at)->next) {
		struct buffer *buffer = *at;
		if (buffer->pending && !forced)
			continue;
		*at = buffer->next;
		buffer->serial = 0; /* who still waits for an entry of it has lost */
		return buffer;
	}
	return NULL;
}

/* Locked on entry and return. Returns the records delivered that are not about ourselves. */
static unsigned full_deliver(bool forced)
{
	struct buffer *buffer;
	unsigned records = 0;

	while ((buffer = full_take(forced))) {
		pthread_mutex_unlock(&lock);
		buffer_deliver(buffer);
		for (unsigned i = 0; i < buffer->count; i++)
			records += buffer->entries[i].kind != KIND_OVERHEAD;
		pthread_mutex_lock(&lock);
		buffer_retire(buffer);
	}
	return records;
}

static struct timespec deadline_after(uint32_t ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return at;
}

static bool full_waits(void) /* locked */
{
	for (struct buffer *buffer = full; buffer; buffer = buffer->next)
		if (!buffer->pending)
			return true;
	return false;
}

/* Until the period is over, or, without one, until there is something to deliver; or a flush. */
static void worker_wait(void) /* locked */
{
	unsigned changes;
	struct timespec at;

	while (!period_ms && !full_waits() && flushes_asked == flushes_done)
		pthread_cond_wait(&wake, &lock);
	if (!period_ms)
		return;
	changes = period_changes;
	at = deadline_after(period_ms);
	while (changes == period_changes && flushes_asked == flushes_done)
		if (pthread_cond_timedwait(&wake, &lock, &at) == ETIMEDOUT)
			return;
}

static void *worker(void *unused_argument)
{
	(void)unused_argument;
	pthread_mutex_lock(&lock);
	for (;;) {
		worker_wait();
		unsigned asked = flushes_asked;
		bool forced = flush_is_forced;
		flush_is_forced = false;
		flushed_records += full_deliver(forced);
		flushes_done = asked;
		pthread_cond_broadcast(&delivered);
	}
	return NULL;
}

void buffers_start_worker(void)
{
	sigset_t all, before;
	pthread_t thread;

	pthread_mutex_lock(&lock);
	if (!worker_running) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		worker_running = !pthread_create(&thread, NULL, worker, NULL);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		if (worker_running)
			pthread_detach(thread);
	}
	pthread_mutex_unlock(&lock);
}

/* A client that holds a lock here which its completion callback also takes never gets out. */
static void flush_await(unsigned ours) /* locked */
{
	struct timespec at = deadline_after(knobs()->deadlock_s * 1000);

	while ((int)(flushes_done - ours) < 0)
		if (pthread_cond_timedwait(&delivered, &lock, &at) == ETIMEDOUT) {
			fprintf(stderr,
					"simgpu cupti: deadlock: cuptiActivityFlushAll has waited %u s for a "
					"completion callback to return\n",
					knobs()->deadlock_s);
			abort();
		}
}

/* All that is there, by the worker: a client never gets a buffer back on the thread that flushes. */
static unsigned flush_by_worker(bool forced) /* locked */
{
	unsigned before = flushed_records;

	flush_is_forced |= forced;
	pthread_cond_signal(&wake);
	flush_await(++flushes_asked);
	return flushed_records - before;
}

void buffers_flush(bool forced)
{
	unsigned records;
	struct entry note = {.kind = KIND_OVERHEAD, .done = true};

	note.overhead.kind = OVERHEAD_FLUSH;
	note.overhead.start = clock_stamp();
	pthread_mutex_lock(&lock);
	for (struct lane *lane = lanes; lane; lane = lane->next)
		if (lane->open && lane->open->count && (forced || !lane->open->pending)) {
			lane->open->next = full;
			full = lane->open;
			lane->open = NULL;
		}
	records = worker_running ? flush_by_worker(forced) : full_deliver(forced);
	pthread_mutex_unlock(&lock);
	note.overhead.end = clock_stamp();
	note.overhead.thread = identity_thread();
	if (records && activity_wants(KIND_OVERHEAD, 0))
		buffers_add(buffers_lane(), &note, NULL);
}

void buffers_callbacks(buffer_request_fn request, buffer_complete_fn complete)
{
	pthread_mutex_lock(&lock);
	client_request = request;
	client_complete = complete;
	pthread_mutex_unlock(&lock);
}

bool buffers_registered(void)
{
	bool registered;

	pthread_mutex_lock(&lock);
	registered = client_request;
	pthread_mutex_unlock(&lock);
	return registered;
}

void buffers_period(uint32_t ms)
{
	pthread_mutex_lock(&lock);
	period_ms = ms;
	period_changes++;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

uint64_t buffers_take_dropped(void)
{
	uint64_t n;

	pthread_mutex_lock(&lock);
	n = dropped;
	dropped = 0;
	pthread_mutex_unlock(&lock);
	return n;
}

void buffers_forget(void)
{
	struct buffer *buffer;

	pthread_mutex_lock(&lock);
	for (struct lane *lane = lanes; lane; lane = lane->next) {
		if (lane->open)
			buffer_retire(lane->open);
		lane->open = NULL;
	}
	while ((buffer = full_take(true)))
		buffer_retire(buffer);
	client_request = NULL;
	client_complete = NULL;
	pthread_mutex_unlock(&lock);
}
