/* The trace as it grows: blocks that are held in memory until one write takes them all, with the
 * dictionary's records among them. Of the writer thread. */
#ifndef SHIM_TRACE_H
#define SHIM_TRACE_H

#include <baton/format.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct baton_writer;

/* The trace file and the dictionary are open. Its writer takes the rows of the tables. 0 or -errno.
 */
int trace_open(struct baton_writer **writer);
void trace_close(void);

/* A record of the writer thread's own (a device, a stream, a loss), after all strings that there
 * are so far. */
void trace_record(uint16_t type, void *record, size_t bytes);
void trace_meta(const char *key, const char *value);
/* Nothing when `count` is 0. */
void trace_loss(enum baton_loss_kind kind, const char *what, uint64_t count);

/* Records of the dictionary that are finished, as far as a full disk leaves room to hold them.
 * After the slots and ops that name them, before these go out. */
void trace_take_dictionary(void);
/* Waits a moment for what is about to be in the dictionary; what is unfinished then stays so. */
void trace_settle(void);

/* As much as is to be held waits for the next write, or for room on the disk. */
bool trace_is_full(void);
/* Of the last write, -errno: it found no room. */
int trace_error(void);
/* One write of all that is held. 0 or -errno: it is held on. */
int trace_append(void);
struct trace_again {     /* all 0 at the begin */
	uint64_t dictionary; /* bytes of it, and of the facts, that are put */
	size_t facts;
	uint64_t sequence; /* of the block that comes next */
};
/* A piece of what another file needs before blocks of this one: names, what trace_record() wrote of
 * the process, its devices and streams, and at last `kept`. Nothing is held, before and after. 1:
 * there is more; 0; or -errno. */
int trace_begin_again(struct trace_again *again, struct baton_r_kept *kept,
					  int (*put)(const void *bytes, size_t n));
/* The number of the next block. */
void trace_number(uint64_t sequence);
/* The end of the file. True when all that was held is in it. */
bool trace_seal(void);

#endif
