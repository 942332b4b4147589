#include "cupti_client.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client cupti;
struct client_recorder recorder;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool client_open(const char *directory, const char *release)
{
	char path[4096];
	void *library;

	setenv("SIMGPU_CUPTI", release, 1);
	snprintf(path, sizeof(path), "%s/libcupti.so.%.*s", directory,
			 strncmp(release, "11", 2) ? 2 : 4, release);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		printf("%s\n", dlerror());
		return false;
	}
#define CUPTI_FIND(name, arguments)                        \
	*(void **)&cupti.name = dlsym(library, "cupti" #name); \
	if (!cupti.name) {                                     \
		printf("no cupti" #name "\n");                     \
		return false;                                      \
	}
	CUPTI_FUNCTIONS(CUPTI_FIND)
	*(void **)&cupti.Subscribe_v2 = dlsym(library, "cuptiSubscribe_v2");
	*(void **)&cupti.ActivityEnableHWTrace = dlsym(library, "cuptiActivityEnableHWTrace");
	return true;
}

static void record_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
	pthread_mutex_lock(&lock);
	recorder.requests++;
	recorder.request_thread = gettid();
	*size = recorder.buffer_bytes;
	*max_records = recorder.max_records;
	*buffer = recorder.latest_buffer = *size ? malloc(*size) : NULL;
	pthread_mutex_unlock(&lock);
	if (*buffer)
		memset(*buffer, 0xee, *size);
}

static void record_keep(const uint8_t *record, const uint8_t *next)
{
	struct client_record *kept = &recorder.records[recorder.count++];

	kept->size = (size_t)(next - record);
	kept->delivery = recorder.deliveries;
	kept->thread = gettid();
	memcpy(kept->bytes, record, kept->size < 256 ? kept->size : 256);
}

static void record_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
							size_t valid)
{
	uint8_t *record = NULL, *before = NULL;
	sigset_t blocked;

	(void)context, (void)stream, (void)size;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	atomic_fetch_add(&recorder.at_gate, 1);
	if (recorder.gate)
		pthread_mutex_lock(recorder.gate);
	pthread_mutex_lock(&lock);
	recorder.deliveries++;
	recorder.delivery_thread = gettid();
	recorder.signals_blocked = sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGUSR1);
	while (!(recorder.last_step = cupti.ActivityGetNextRecord(buffer, valid, &record))) {
		if (before)
			record_keep(before, record);
		before = record;
	}
	if (before)
		record_keep(before, buffer + valid);
	if (recorder.try_flush)
		recorder.flush_result = cupti.ActivityFlushAll(0);
	pthread_mutex_unlock(&lock);
	if (recorder.gate)
		pthread_mutex_unlock(recorder.gate);
	free(buffer);
}

void client_record(void)
{
	recorder.buffer_bytes = 1 << 16;
	cupti.ActivityRegisterCallbacks(record_request, record_complete);
}

uint32_t client_u32(const struct client_record *record, int offset)
{
	uint32_t value;

	memcpy(&value, record->bytes + offset, sizeof(value));
	return value;
}

uint64_t client_u64(const struct client_record *record, int offset)
{
	uint64_t value;

	memcpy(&value, record->bytes + offset, sizeof(value));
	return value;
}

const struct client_record *client_find(uint32_t kind, unsigned nth)
{
	const struct client_record *found = NULL;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < recorder.count && !found; i++)
		if (client_u32(&recorder.records[i], CUPTI_RECORD_KIND) == kind && !nth--)
			found = &recorder.records[i];
	pthread_mutex_unlock(&lock);
	return found;
}

unsigned client_count(uint32_t kind)
{
	unsigned n = 0;

	while (client_find(kind, n))
		n++;
	return n;
}
