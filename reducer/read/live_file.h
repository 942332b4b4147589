/* A live file (include/baton/live.h) as it lies in a directory: it may come from anywhere, so it is
 * looked at before anything in it is used. */
#ifndef READ_LIVE_FILE_H
#define READ_LIVE_FILE_H

#include <baton/live.h>
#include <stdbool.h>

/* The name that a live file and its trace file share: BOOT8.PID.STARTTIME.GEN, as the header says
 * it. */
#define LIVE_FILE_ID_BYTES 72
void live_file_id(const struct baton_live *live, char id[LIVE_FILE_ID_BYTES]);

/* Is a file of `bytes` bytes with this header what the header says? NULL, or what is wrong. What is
 * right lies inside of the file: the lanes and the dictionary. */
const char *live_file_fault(const struct baton_live *live, uint64_t bytes);

/* The ring of a lane of such a file, which is mapped. NULL: the lane says what cannot be. A lane
 * that was never used has none either. */
const struct baton_slot *live_file_ring(const struct baton_live *live,
										const struct baton_lane *lane);

/* Does a slot hold what its type may? Else its row would spoil the block that it comes into. */
bool live_file_slot_ok(const struct baton_slot *slot);

#endif
