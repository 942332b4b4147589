/* CUPTI's buffers as this process hands them out and takes them back, every record of them read,
 * and, when asked, the raw bytes kept for a fixture. And the log of callbacks. Filled by whatever
 * threads CUPTI calls on; read by the section once it has flushed. */
#ifndef PROBE_ACTIVITY_H
#define PROBE_ACTIVITY_H

#include "cupti.h"
#include <stdatomic.h>
#include <stdbool.h>

enum { ACTIVITY_KEEP_BYTES = 192 * 1024, CALLS_MOST = 1 << 17 };

struct activity_buffer {
	uint8_t *bytes; /* the valid ones; NULL when not kept */
	uint32_t *offsets;
	size_t size, valid;
	void *context;
	int64_t done_ns; /* CLOCK_REALTIME at completion */
	uint32_t stream, records, request_tid, done_tid;
	uint32_t unzeroed; /* bytes of 0xa5 left beyond the valid ones (when filled with it) */
};

struct activity_options {
	size_t buffer_bytes; /* 0: 64 KiB */
	bool keep;           /* raw bytes, up to ACTIVITY_KEEP_BYTES in whole buffers */
	bool refuse;         /* hand out no buffer */
	bool fill;           /* hand them out full of 0xa5 */
	bool count_only;     /* read no record (timing) */
};

struct activity {
	struct activity_options options;
	struct record *records;
	struct activity_buffer *buffers;
	size_t record_count, record_capacity, buffer_count, buffer_capacity, kept_bytes, cut_buffers;
	_Atomic uint64_t requested;
};

struct call_seen {
	int64_t ns;    /* CLOCK_REALTIME */
	uint64_t data; /* correlationData as found */
	uint32_t cbid, correlation, tid, context_uid;
	uint8_t domain, site;
};

struct call_log {
	struct call_seen *calls;
	_Atomic uint32_t count; /* may pass CALLS_MOST: what is beyond is lost */
};

extern struct activity activity;
extern struct call_log call_log;

bool activity_start(struct activity_options options); /* registers the callbacks */
void activity_prepare(void); /* with `fill`: makes the next buffer now, not when it is asked for */
bool activity_enable(int kind);
int64_t activity_flush(uint32_t flag); /* how long it took */
size_t activity_count(int kind);
void activity_sort_starts(void); /* records by start, then end */
const struct record *activity_find(uint32_t correlation, int kind);
uint32_t activity_tid(void);

bool calls_subscribe(void); /* with the logging callback */
bool calls_enable(int domain, uint32_t cbid);
bool calls_domain(int domain);
void calls_unsubscribe(void);
uint32_t calls_count(void);

/* A callback that only counts, for timing what it costs to be called. */
bool calls_subscribe_counting(void);
extern _Atomic uint64_t calls_counted;

#endif
