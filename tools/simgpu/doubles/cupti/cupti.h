/* The functions of libcupti that the double has, with types of its own: what a client's compiler
 * sees of them (widths, order) is the vendor's, the names are not. */
#ifndef SIMGPU_DOUBLES_CUPTI_CUPTI_H
#define SIMGPU_DOUBLES_CUPTI_CUPTI_H

#include <stddef.h>
#include <stdint.h>

#define CUPTI_API __attribute__((visibility("default")))

enum result {
	OK = 0,
	INVALID_PARAMETER = 1,
	INVALID_DEVICE = 2,
	INVALID_CONTEXT = 3,
	INVALID_OPERATION = 7,
	OUT_OF_MEMORY = 8,
	TOO_SMALL = 10,
	MAX_LIMIT_REACHED = 12,
	NOT_COMPATIBLE = 14,
	NOT_INITIALIZED = 15,
	QUEUE_EMPTY = 18,
	INVALID_KIND = 21,
	NOT_SUPPORTED = 27,
	MULTIPLE_SUBSCRIBERS = 39,
	UNKNOWN = 999
};

enum kind {
	KIND_MEMCPY = 1,
	KIND_MEMSET = 2,
	KIND_KERNEL = 3,
	KIND_DRIVER = 4,
	KIND_RUNTIME = 5,
	KIND_DEVICE = 8,
	KIND_CONTEXT = 9,
	KIND_CONCURRENT_KERNEL = 10,
	KIND_OVERHEAD = 17,
	KIND_MEMCPY2 = 22,
	KIND_CUDA_EVENT = 36,
	KIND_SYNCHRONIZATION = 38,
	KIND_EXTERNAL_CORRELATION = 39,
	KIND_GRAPH_TRACE = 51,
	KINDS = 64
};

/* The calls of a domain are numbered from 1 to below this. */
enum { CBIDS = 1024 };
enum domain { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2, DOMAIN_RESOURCE = 3, DOMAINS = 4 };

struct callback_data { /* of the driver and runtime domains */
	int32_t site;      /* 0 enter, 1 exit */
	const char *function;
	const void *params;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *correlation_data;
	uint32_t correlation;
};
struct resource_data {
	void *context;
	void *handle;
	void *descriptor;
};
struct subscriber_params {
	size_t size;
	const char *name;
	char *old_name;
	size_t old_name_bytes;
	uint8_t allow_multiple; /* from 13.2 on */
	uint8_t zero[7];
};

typedef void (*callback_fn)(void *user, uint32_t domain, uint32_t cbid, const void *data);
typedef void (*buffer_request_fn)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*buffer_complete_fn)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
								   size_t valid);
typedef uint64_t (*timestamp_fn)(void);

CUPTI_API enum result cuptiGetVersion(uint32_t *version);
CUPTI_API enum result cuptiGetResultString(enum result result, const char **text);
CUPTI_API enum result cuptiGetErrorMessage(enum result result, const char **text);
CUPTI_API enum result cuptiFinalize(void);

CUPTI_API enum result cuptiSubscribe(void **subscriber, callback_fn callback, void *user);
CUPTI_API enum result cuptiSubscribe_v2(void **subscriber, callback_fn callback, void *user,
										struct subscriber_params *params);
CUPTI_API enum result cuptiUnsubscribe(void *subscriber);
CUPTI_API enum result cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain,
										  uint32_t cbid);
CUPTI_API enum result cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain);
CUPTI_API enum result cuptiEnableAllDomains(uint32_t enable, void *subscriber);
CUPTI_API enum result cuptiGetCallbackState(uint32_t *enable, void *subscriber, uint32_t domain,
											uint32_t cbid);
CUPTI_API enum result cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
CUPTI_API enum result cuptiSupportedDomains(size_t *count, const uint32_t **domains);

CUPTI_API enum result cuptiActivityRegisterCallbacks(buffer_request_fn request,
													 buffer_complete_fn complete);
CUPTI_API enum result cuptiActivityEnable(uint32_t kind);
CUPTI_API enum result cuptiActivityDisable(uint32_t kind);
CUPTI_API enum result cuptiActivityEnableContext(void *context, uint32_t kind);
CUPTI_API enum result cuptiActivityDisableContext(void *context, uint32_t kind);
CUPTI_API enum result cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable);
CUPTI_API enum result cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable);
CUPTI_API enum result cuptiActivityFlushAll(uint32_t flag);
CUPTI_API enum result cuptiActivityFlushPeriod(uint32_t ms);
CUPTI_API enum result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
CUPTI_API enum result cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream,
														size_t *dropped);
CUPTI_API enum result cuptiActivitySetAttribute(uint32_t attribute, size_t *size, void *value);
CUPTI_API enum result cuptiActivityGetAttribute(uint32_t attribute, size_t *size, void *value);
CUPTI_API enum result cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
CUPTI_API enum result cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *last);
CUPTI_API enum result cuptiActivityRegisterTimestampCallback(timestamp_fn callback);
CUPTI_API enum result cuptiActivityEnableHWTrace(uint8_t enable);
CUPTI_API enum result cuptiActivityEnableLatencyTimestamps(uint8_t enable);
CUPTI_API enum result cuptiActivityEnableAllSyncRecords(uint8_t enable);
CUPTI_API enum result cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t enable);

CUPTI_API enum result cuptiGetTimestamp(uint64_t *timestamp);
CUPTI_API enum result cuptiGetDeviceId(void *context, uint32_t *device);
CUPTI_API enum result cuptiGetContextId(void *context, uint32_t *id);
CUPTI_API enum result cuptiGetStreamId(void *context, void *stream, uint32_t *id);
CUPTI_API enum result cuptiGetStreamIdEx(void *context, void *stream, uint8_t per_thread,
										 uint32_t *id);
CUPTI_API enum result cuptiGetGraphNodeId(void *node, uint64_t *id);
CUPTI_API enum result cuptiSetThreadIdType(uint32_t type);
CUPTI_API enum result cuptiGetThreadIdType(uint32_t *type);

#endif
