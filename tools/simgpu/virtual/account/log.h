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

/* Calls that wait for the device, by cause: they owe the time by which they set a thread back. */
enum debtor { DEBTOR_SYNC, DEBTOR_ALLOC, DEBTORS };

/* The lead over the devices that waiting calls have cost. Threads that hand over to one another
 * share one. */
struct lead {
	/* Per device of the process: time lost by waiting for it that no idle time has shown yet. */
	int64_t (*lost_ns)[DEBTORS];
	uint32_t n_devices;
	enum debtor last; /* who waited last */
};

struct log { /* without gaps, oldest first */
	struct segment *at;
	size_t n;
	uint32_t room;
	struct lead *lead; /* its own, or that of a thread it takes turns with; not owned */
};

void log_add(struct log *log, int64_t from_ns, int64_t to_ns, enum cause cause, struct log *other);
/* A call of this cause has waited `ns` for what a device of the process computed or moved. */
void log_waited(struct log *log, uint32_t device, int64_t ns, enum cause cause);
/* The thread is as far ahead as it can be: nothing is lost any more. */
void log_lead_ends(struct log *log);
/* The first segment that ends after at_ns. */
size_t log_find(const struct log *log, int64_t at_ns);

#endif
