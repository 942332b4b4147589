/* What a thread did, and how far calls that waited for its devices have set it back. */
#ifndef SIMGPU_VIRTUAL_ACCOUNT_LOG_H
#define SIMGPU_VIRTUAL_ACCOUNT_LOG_H

#include "virtual/script/cause.h"

#include <stddef.h>
#include <stdint.h>

struct segment { /* what a thread did */
	int64_t from_ns, to_ns;
	uint32_t cause;
	struct log *other; /* of the thread that it waited for */
};

/* Threads that hand over to one another share one. */
enum debtor { DEBTOR_SYNC, DEBTOR_ALLOC, DEBTORS }; /* calls that wait for the device, by cause */

struct lead {
	int64_t (*lost_ns)[DEBTORS]; /* per device of the process: how far the calls that waited for it
								  * set the threads back, less what that has cost since */
	uint32_t n_devices;
	enum debtor last; /* of them */
};

struct log { /* without gaps, oldest first */
	struct segment *at;
	size_t n;
	uint32_t room;
	struct lead *lead; /* of whoever this thread takes turns with; not owned */
};

void log_add(struct log *log, int64_t from_ns, int64_t to_ns, enum cause cause, struct log *other);
/* The thread was kept by its devices for that long, in a call of this cause, begin to return. */
void log_waited(struct log *log, int64_t ns, enum cause cause);
/* Nobody could be further ahead than this thread is: what the calls cost is over. */
void log_lead_ends(struct log *log);
/* The first segment that ends after at_ns. */
size_t log_find(const struct log *log, int64_t at_ns);

#endif
