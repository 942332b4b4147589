/* Who records into a directory: a lock on a hidden file in it, held while `baton record` runs. One
 * recorder has the directory for itself; the members of one launch (launch.h) share it. */
#ifndef RECORD_OUTPUT_LOCK_H
#define RECORD_OUTPUT_LOCK_H

#include <stdint.h>

/* Takes the lock. `key`: that of the launch whose members share the directory, 0: nobody else may;
 * `rank`: the member's. 0, -EBUSY: another recorder has it, or -errno. A file system that has no
 * locks gives 0. */
int output_lock_take(int dirfd, uint64_t key, int rank);
/* Gives it back; the last one removes the file, where there are no locks rank 0. Without a lock
 * nothing happens. */
void output_lock_release(void);

/* Another file `name` in the directory, which of the tasks of a launch one holds: locks it, as long
 * as the descriptor, which is the result, is open. -1: another one has it, or there is no room. A
 * file system without locks: all think that they have it. Who removes the file holds the lock. */
int output_lock_task(const char *directory, const char *name);

#endif
