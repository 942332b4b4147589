#include "ring/hosted.h"

#include "base/clock.h"
#include "base/recording.h"
#include "ring/lane.h"

#include <stdatomic.h>

enum { PLACES = 1024, WORD = 64 };

struct hosted {
	void (*function)(void *);
	void *data;
	uint32_t stream, context, correlation, generation;
};

static struct hosted places[PLACES];
static _Atomic uint64_t taken[PLACES / WORD]; /* a bit for each place */
static _Atomic uint32_t turn;                 /* where the search for a free one begins */

struct hosted *hosted_take(void (*function)(void *), void *data)
{
	if (!recording_is_open() || !recording_by_cupti())
		return NULL;
	const uint32_t first = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < PLACES / WORD; i++) {
		const uint32_t word = (first + i) % (PLACES / WORD);
		uint64_t bits = atomic_load_explicit(&taken[word], memory_order_relaxed);
		while (~bits) {
			const int bit = __builtin_ctzll(~bits);
			if (!atomic_compare_exchange_weak(&taken[word], &bits, bits | (uint64_t)1 << bit))
				continue;
			struct hosted *hosted = &places[word * WORD + (uint32_t)bit];
			*hosted = (struct hosted){.function = function,
									  .data = data,
									  .stream = BATON_NO_STREAM,
									  .generation = recording_generation};
			return hosted;
		}
	}
	return NULL;
}

static void give_back(const struct hosted *hosted)
{
	const size_t place = (size_t)(hosted - places);
	atomic_fetch_and(&taken[place / WORD], ~((uint64_t)1 << place % WORD));
}

/* Calls the program's function as it was given; nothing of ours is on the stack below it but this. */
void hosted_run(void *of)
{
	const struct hosted hosted = *(struct hosted *)of;
	int saved_errno;
	give_back(of);
	const uint64_t begin = clock_ticks();
	hosted.function(hosted.data);
	const uint64_t end = clock_ticks();
	if (!recording_takes_calls() || hosted.generation != recording_generation ||
		!guard_enter(&saved_errno))
		return;
	struct baton_lane *lane = lane_here();
	if (lane)
		lane_put(lane, (struct baton_slot){
						   .begin = begin,
						   .end = end,
						   .name = hosted.stream,
						   .aux = (uint16_t)(hosted.context <= UINT16_MAX ? hosted.context : 0),
						   .type = BATON_SLOT_HOST_FUNC,
						   .correlation = hosted.correlation});
	guard_leave(saved_errno);
}

void hosted_is_of(void (*function)(void *), void *data, uint32_t stream, uint32_t context,
				  uint32_t correlation)
{
	struct hosted *hosted = data;
	if (function != hosted_run || hosted < places || hosted >= places + PLACES)
		return;
	hosted->stream = stream;
	hosted->context = context;
	hosted->correlation = correlation;
}
