/* What a thread did. */
#ifndef SIMGPU_VIRTUAL_ACCOUNT_LOG_H
#define SIMGPU_VIRTUAL_ACCOUNT_LOG_H

#include "virtual/script/cause.h"

#include <stddef.h>
#include <stdint.h>

struct segment { /* what a thread did */
	int64_t from_ns, to_ns;
	uint32_t cause;
	struct log *other; /* of the thread that it waited for */
	uint32_t holder;   /* CAUSE_GIL: 1 + the thread that had the lock; 0: none */
};

struct log { /* without gaps, oldest first */
	struct segment *at;
	size_t n;
	uint32_t room;
};

void log_add(struct log *log, int64_t from_ns, int64_t to_ns, enum cause cause, struct log *other);
/* The same of a wait for the GIL, which that thread had last. */
void log_add_gil(struct log *log, int64_t from_ns, int64_t to_ns, uint32_t holder);
/* The first segment that ends after at_ns. */
size_t log_find(const struct log *log, int64_t at_ns);

#endif
