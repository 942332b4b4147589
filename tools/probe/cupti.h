/* CUPTI's border: what the probe calls of libcupti, declared by ourselves, found with dlsym. No
 * function of it may be called before cuInit has succeeded: some releases crash without a driver.
 * Offsets of records: the same in every release from 11.7 to 13.5 for what is read here. */
#ifndef PROBE_CUPTI_H
#define PROBE_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum cupti_kind {
	KIND_MEMCPY = 1,
	KIND_MEMSET = 2,
	KIND_DRIVER = 4,
	KIND_RUNTIME = 5,
	KIND_CONTEXT = 9,
	KIND_KERNEL = 10, /* concurrent: the other one, 3, serialises */
	KIND_OVERHEAD = 17,
	KIND_MEMCPY2 = 22,
	KIND_CUDA_EVENT = 36,
	KIND_SYNCHRONIZATION = 38,
	KIND_GRAPH_TRACE = 51,
	KIND_LIMIT = 64
};

enum {
	DOMAIN_DRIVER = 1,
	DOMAIN_RUNTIME = 2,
	DOMAIN_RESOURCE = 3,
	DOMAIN_SYNCHRONIZE = 4,
	SITE_ENTER = 0,
	SITE_EXIT = 1,
	CBID_LAUNCH = 307, /* cuLaunchKernel */
	CBID_GRAPH_LAUNCH = 514,
	CBID_RESOURCE_CONTEXT_DESTROY = 2,
	ATTRIBUTE_ZEROED = 5,
	ATTRIBUTE_PER_THREAD = 9,
	THREAD_ID_SYSTEM = 1,
	CUPTI_LIMIT_REACHED = 12,
	OVERHEAD_COMMAND_BUFFER_FULL = 6 << 16
};

/* What a callback of the driver or runtime domain is given. */
struct cupti_call {
	int32_t site;
	const char *function;
	const void *params;
	void *returned;
	const char *symbol; /* kernel name at a launch */
	void *context;
	uint32_t context_uid;
	uint64_t *correlation_data; /* 8 bytes carried from enter to exit */
	uint32_t correlation;
};
_Static_assert(offsetof(struct cupti_call, symbol) == 32, "callback data");
_Static_assert(offsetof(struct cupti_call, context_uid) == 48, "callback data");
_Static_assert(offsetof(struct cupti_call, correlation_data) == 56, "callback data");
_Static_assert(offsetof(struct cupti_call, correlation) == 64, "callback data");

struct cupti_subscriber_params {
	size_t bytes;
	const char *name;
	char *holder; /* out: who holds the subscription, at least 64 bytes */
	size_t holder_bytes;
};

typedef void cupti_callback(void *user, int domain, uint32_t cbid, const void *data);
typedef void cupti_buffer_request(uint8_t **buffer, size_t *bytes, size_t *most_records);
typedef void cupti_buffer_done(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
							   size_t valid_bytes);

#define CUPTI_FUNCTIONS(X)                                                                     \
	X(get_version, "cuptiGetVersion", (uint32_t * version))                                    \
	X(result_string, "cuptiGetResultString", (int rc, const char **text))                      \
	X(timestamp, "cuptiGetTimestamp", (uint64_t * ns))                                         \
	X(subscribe, "cuptiSubscribe", (void **subscriber, cupti_callback *callback, void *user))  \
	X(subscribe2, "cuptiSubscribe_v2",                                                         \
	  (void **subscriber, cupti_callback *callback, void *user,                                \
	   struct cupti_subscriber_params *params))                                                \
	X(unsubscribe, "cuptiUnsubscribe", (void *subscriber))                                     \
	X(enable_callback, "cuptiEnableCallback",                                                  \
	  (uint32_t enable, void *subscriber, int domain, uint32_t cbid))                          \
	X(enable_domain, "cuptiEnableDomain", (uint32_t enable, void *subscriber, int domain))     \
	X(callback_name, "cuptiGetCallbackName", (int domain, uint32_t cbid, const char **name))   \
	X(register_buffers, "cuptiActivityRegisterCallbacks",                                      \
	  (cupti_buffer_request * request, cupti_buffer_done * done))                              \
	X(enable, "cuptiActivityEnable", (int kind))                                               \
	X(disable, "cuptiActivityDisable", (int kind))                                             \
	X(flush_all, "cuptiActivityFlushAll", (uint32_t flag))                                     \
	X(flush_period, "cuptiActivityFlushPeriod", (uint32_t ms))                                 \
	X(next_record, "cuptiActivityGetNextRecord",                                               \
	  (uint8_t * buffer, size_t valid_bytes, uint8_t * *record))                               \
	X(dropped, "cuptiActivityGetNumDroppedRecords",                                            \
	  (void *context, uint32_t stream, size_t *dropped))                                       \
	X(get_attribute, "cuptiActivityGetAttribute", (int attribute, size_t *bytes, void *value)) \
	X(set_attribute, "cuptiActivitySetAttribute", (int attribute, size_t *bytes, void *value)) \
	X(set_thread_id_type, "cuptiSetThreadIdType", (int type))                                  \
	X(timestamp_callback, "cuptiActivityRegisterTimestampCallback", (uint64_t(*clock)(void)))  \
	X(all_syncs, "cuptiActivityEnableAllSyncRecords", (uint8_t enable))                        \
	X(event_times, "cuptiActivityEnableCudaEventDeviceTimestamps", (uint8_t enable))

struct cupti {
#define CUPTI_MEMBER(member, symbol, arguments) int(*member) arguments;
	CUPTI_FUNCTIONS(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

extern struct cupti cupti;

/* The libraries to try, in order: the given one or else what is loaded, $CUDA_HOME, toolkits and
 * Python wheels have. Paths are malloc'ed. Looks, opens nothing. */
size_t cupti_candidates(const char *given, char **paths, size_t most);

/* 0 or an errno with the reason in why. */
int cupti_open(const char *path, char *why, size_t why_bytes);

/* CUPTI's own words for an error, or "?". */
const char *cupti_error(int rc);

/* A record as baton reads it. Fields that its kind has not are 0. */
struct record {
	uint64_t start, end, graph_node, name, bytes;
	uint32_t kind, correlation, device, context, stream, graph, detail, size;
	uint32_t buffer; /* in order of completion */
};

/* Reads the record of `size` bytes (up to the next one). */
struct record cupti_record(const uint8_t *record, uint32_t size);

#endif
