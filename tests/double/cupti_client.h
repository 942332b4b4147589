/* What a client declares of CUPTI, for the tests of the double: functions by dlsym, layouts and
 * numbers from shim/sources/cupti/cupti_layout.h, which the double does not see. */
#ifndef TESTS_DOUBLE_CUPTI_CLIENT_H
#define TESTS_DOUBLE_CUPTI_CLIENT_H

#include "sources/cupti/cupti_layout.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*client_callback)(void *user, int domain, unsigned cbid, const void *data);
typedef void (*client_request)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*client_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
								size_t valid);

#define CUPTI_FUNCTIONS(X)                                          \
	X(GetVersion, (uint32_t *))                                     \
	X(GetTimestamp, (uint64_t *))                                   \
	X(GetResultString, (int, const char **))                        \
	X(Subscribe, (void **, client_callback, void *))                \
	X(Unsubscribe, (void *))                                        \
	X(EnableCallback, (uint32_t, void *, int, uint32_t))            \
	X(EnableDomain, (uint32_t, void *, int))                        \
	X(GetCallbackName, (int, uint32_t, const char **))              \
	X(ActivityRegisterCallbacks, (client_request, client_complete)) \
	X(ActivityEnable, (int))                                        \
	X(ActivityDisable, (int))                                       \
	X(ActivityEnableContext, (void *, int))                         \
	X(ActivityEnableRuntimeApi, (uint32_t, uint8_t))                \
	X(ActivityFlushAll, (uint32_t))                                 \
	X(ActivityFlushPeriod, (uint32_t))                              \
	X(ActivityGetNextRecord, (uint8_t *, size_t, uint8_t **))       \
	X(ActivityGetNumDroppedRecords, (void *, uint32_t, size_t *))   \
	X(ActivitySetAttribute, (int, size_t *, void *))                \
	X(ActivityGetAttribute, (int, size_t *, void *))                \
	X(ActivityPushExternalCorrelationId, (int, uint64_t))           \
	X(ActivityPopExternalCorrelationId, (int, uint64_t *))          \
	X(ActivityRegisterTimestampCallback, (uint64_t(*)(void)))       \
	X(GetDeviceId, (void *, uint32_t *))                            \
	X(GetStreamIdEx, (void *, void *, uint8_t, uint32_t *))         \
	X(GetGraphNodeId, (void *, uint64_t *))                         \
	X(SetThreadIdType, (int))                                       \
	X(Finalize, (void))

#define CUPTI_POINTER(name, arguments) int(*name) arguments;
struct client {
	CUPTI_FUNCTIONS(CUPTI_POINTER)
	/* not in every library */
	int (*Subscribe_v2)(void **, client_callback, void *, struct cupti_subscriber_params *);
	int (*ActivityEnableHWTrace)(uint8_t);
};
#undef CUPTI_POINTER

extern struct client cupti;
/* Opens the library of a release ("12.8") and makes the double that release. False: not built. */
bool client_open(const char *directory, const char *release);

/* Records as they were delivered, in order. */
struct client_record {
	uint8_t bytes[256];
	size_t size; /* to the next record, or to the end of the buffer */
	unsigned delivery;
	int thread; /* that delivered it */
};
struct client_recorder {
	struct client_record records[4096];
	unsigned count, requests, deliveries;
	int request_thread, delivery_thread; /* of the latest */
	bool signals_blocked;                /* on the latest delivery's thread */
	size_t buffer_bytes;                 /* 0: give none */
	size_t max_records;
	int last_step; /* what GetNextRecord ended with */
	uint8_t *latest_buffer;
	pthread_mutex_t *gate; /* taken by the completion callback, NULL: none */
	atomic_uint at_gate;   /* completion callbacks that came there */
	bool try_flush;        /* from the completion callback */
	int flush_result;
};
extern struct client_recorder recorder;
void client_record(void); /* registers the callbacks */
const struct client_record *client_find(uint32_t kind, unsigned nth);
unsigned client_count(uint32_t kind);
uint32_t client_u32(const struct client_record *record, int offset);
uint64_t client_u64(const struct client_record *record, int offset);

#endif
