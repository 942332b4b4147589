#include "recorder.h"

#include "base/clock.h"
#include "base/recording.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/stack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS 8192u

SHIM_TLS struct baton_lane *lane_mine;
atomic_bool clock_counter;
bool recorder_on_demand;
unsigned recorder_opens, recorder_unheard;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct baton_lane lanes[RECORDER_THREADS];
static struct baton_slot rings[RECORDER_THREADS][RECORDER_SLOTS];
static unsigned lanes_used;
static char *texts[TEXTS];
static struct baton_r_comm comms[TEXTS];
static uint32_t ids, comms_used;

__attribute__((constructor)) static void arm(void)
{
	recording_move(0, RECORDING_ARMED);
}

void recorder_start(void)
{
	clock_open();
	recording_move(RECORDING_ARMED, RECORDING_OPEN);
}

struct baton_lane *lane_open(void)
{
	pthread_mutex_lock(&lock);
	recorder_opens++;
	if (recorder_on_demand)
		recorder_start();
	struct baton_lane *lane = NULL;
	if (recording_is_open() && lanes_used < RECORDER_THREADS) {
		lane = &lanes[lanes_used];
		*lane_own(lane) = (struct lane){.slots = rings[lanes_used],
										.mask = RECORDER_SLOTS - 1,
										.generation = recording_generation,
										.thread = ++lanes_used};
		lane_mine = lane;
	}
	pthread_mutex_unlock(&lock);
	return lane;
}

void clock_open(void)
{
	clock_counter = true;
}

uint64_t clock_slow_ticks(void)
{
	return 0;
}

uint32_t stack_here(void)
{
	return 77;
}

uint32_t dict_id(void)
{
	return ++ids;
}

uint32_t dict_string(const char *text, size_t bytes)
{
	uint32_t found = 0;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 1; i <= ids && !found; i++)
		if (texts[i] && strlen(texts[i]) == bytes && memcmp(texts[i], text, bytes) == 0)
			found = i;
	if (!found && ids + 1 < TEXTS)
		texts[found = ++ids] = strndup(text, bytes);
	pthread_mutex_unlock(&lock);
	return found;
}

uint32_t dict_literal(const char *text)
{
	return dict_string(text, strlen(text));
}

void *dict_reserve(size_t bytes)
{
	return calloc(1, bytes);
}

void dict_publish(void *record, uint16_t type, size_t bytes)
{
	if (type == BATON_R_COMM && bytes == sizeof(struct baton_r_comm))
		comms[comms_used++] = *(struct baton_r_comm *)record;
	free(record);
}

/* ---- what a test asks ---- */

unsigned recorder_count(void)
{
	return lane_mine ? (unsigned)atomic_load(&lane_mine->head) : 0;
}

const struct baton_slot *recorder_slot(unsigned i)
{
	return &lane_own(lane_mine)->slots[i];
}

const struct baton_slot *recorder_last(void)
{
	static const struct baton_slot none;
	return recorder_count() ? recorder_slot(recorder_count() - 1) : &none;
}

void recorder_clear(void)
{
	if (!lane_mine)
		return;
	lane_own(lane_mine)->head = 0;
	atomic_store(&lane_mine->head, 0);
}

uint64_t recorder_dropped(void)
{
	return lane_mine ? baton_lane_dropped(lane_mine) : 0;
}

uint32_t recorder_thread(void)
{
	return lane_mine ? lane_own(lane_mine)->thread : 0;
}

const char *recorder_text(uint32_t id)
{
	return id && id < TEXTS && texts[id] ? texts[id] : "";
}

const struct baton_r_comm *recorder_comm(uint32_t id)
{
	for (uint32_t i = 0; i < comms_used; i++)
		if (comms[i].id == id)
			return &comms[i];
	static const struct baton_r_comm none;
	return &none;
}

unsigned recorder_comms(void)
{
	return comms_used;
}

void lane_unheard(bool launch)
{
	recorder_unheard += launch;
}
