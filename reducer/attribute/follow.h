/* Whom a thread waits for while it sleeps (docs/ATTRIBUTION.md section 4.3): the thread of its
 * process that is at work until it goes on. */
#ifndef ATTRIBUTE_FOLLOW_H
#define ATTRIBUTE_FOLLOW_H

#include "attribute/host.h"

struct follow_part { /* instants at which `thread` is waited for */
	struct host_part at;
	uint32_t thread; /* index in the trace */
};

struct follow_parts {
	struct follow_part *at;
	size_t n, room;
};

struct follow {               /* reused from gap to gap */
	struct host_parts sleeps; /* of the owner: each from v on */
	int64_t *begins;          /* of its records, in order */
	size_t n_begins, begins_room;
	struct host_parts naps; /* of one candidate, in order of their begin */
	struct host_parts left; /* free instants that nobody has yet */
	struct candidates {
		struct candidate {
			struct host_part at;
			bool goes_on; /* it works on after the owner goes on */
			int64_t last;
			uint32_t thread, id; /* index in the trace, id in the file */
		} * at;
		size_t n, room;
	} candidates;
	struct follow_parts found;
	struct pieces kept;
	uint64_t looks;    /* at rows of other threads, in this gap */
	uint64_t too_many; /* gaps that had more than are looked at */
};

/* Finds whom the owner of `span` waits for in those of `pieces`, from number `first` on, in which it
 * `follows`. They lie in `gap`, [a, p1), and in order of time. Takes the instants out of them and
 * fills follow->found, by thread and time. The threads of the process advance to p1. 0 or -errno. */
int follow_find(struct follow *follow, struct timelines *timelines, const struct host_span *span,
				struct host_part gap, struct pieces *pieces, size_t first);
void follow_free(struct follow *follow);

#endif
