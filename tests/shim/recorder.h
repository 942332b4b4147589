/* A recorder for the tests of the hooks: lanes in plain memory, a dictionary in a table. */
#ifndef TEST_RECORDER_H
#define TEST_RECORDER_H

#include <baton/live.h>
#include <stdbool.h>
#include <stdint.h>

#define RECORDER_THREADS 64u
#define RECORDER_SLOTS 4096u

/* From here on lane_here() gives lanes, also by itself (lane_open) when `on_demand`. */
void recorder_start(void);
extern bool recorder_on_demand;
extern unsigned recorder_opens; /* calls of lane_open */
extern unsigned recorder_unheard; /* launches that were counted because they had no lane */

/* The slots of the calling thread so far; recorder_clear() forgets them. */
unsigned recorder_count(void);
const struct baton_slot *recorder_slot(unsigned i);
const struct baton_slot *recorder_last(void);
void recorder_clear(void);
uint64_t recorder_dropped(void);
uint32_t recorder_thread(void);

const char *recorder_text(uint32_t id); /* "" for 0 */
const struct baton_r_comm *recorder_comm(uint32_t id);
unsigned recorder_comms(void);

#endif
