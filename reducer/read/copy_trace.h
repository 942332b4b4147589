/* A trace that is being written, copied as a whole one. */
#ifndef READ_COPY_TRACE_H
#define READ_COPY_TRACE_H

#include <stdbool.h>

struct copy_of {
	const char *from, *to; /* `to` must not exist */
	bool (*stop)(void);    /* asked between pieces; NULL: it goes on to the end */
	bool unread;           /* out: the error is one of `from` */
};

/* Copies a trace: of a closed one all, of another one up to its last checkpoint, which is what the
 * recorder had written completely, or to its last block where it has no checkpoint (samples of the
 * GPUs, a process that has just begun); with an end block. 0; -ENODATA: nothing is recorded in it
 * yet, and there is no new file; -EBADMSG, -EINVAL: not a trace; -EINTR: stop() said so; or another
 * -errno. After an error what was made is removed. */
int copy_trace(struct copy_of *copy);

#endif
