/* Where ranks meet. A collective, or a send with its receive, ends for all members at the last
 * arrival + the transfer. Members arrive from any thread; the last one tells the others. */
#ifndef SIMGPU_VIRTUAL_MACHINE_MEETING_H
#define SIMGPU_VIRTUAL_MACHINE_MEETING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct meeting_key {
	uint32_t comm;
	uint32_t pair; /* 0: a collective; else sender and receiver: 1 + sender * size + receiver */
	uint64_t sequence;
};

struct meeting_member {
	void *who;
	uint32_t host; /* whose clock the member lives on */
	uint32_t device;
};

struct meeting {
	struct meeting_key key;
	uint32_t size, arrived;
	int64_t last_ns;
	int64_t transfer_ns; /* the longest that a member expects */
	uint32_t last_host, last_device;
	struct meeting_member *members;
	struct meeting *next;
};

struct meetings {
	pthread_mutex_t lock;
	struct meeting **buckets;
	uint32_t n_buckets;
	struct meeting *free;
	uint64_t open; /* meetings that are not complete */
};

void meetings_open(struct meetings *meetings);
void meetings_close(struct meetings *meetings);
/* Member `who` arrived at at_ns and expects the transfer to take transfer_ns. When it was the last
 * of `size`, returns the meeting, to be given back with meetings_done(); else NULL. */
struct meeting *meetings_arrive(struct meetings *meetings, struct meeting_key key, uint32_t size,
								struct meeting_member who, int64_t at_ns, int64_t transfer_ns);
void meetings_done(struct meetings *meetings, struct meeting *meeting);

static inline int64_t meeting_end(const struct meeting *meeting)
{
	return meeting->last_ns + meeting->transfer_ns;
}

#endif
