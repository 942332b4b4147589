#include "virtual/machine/noise.h"

#include "virtual/draw/rng.h"

#define DRIFT_NS 40000000 /* from one value of a drift to the next */
#define DRIFT_HOST 200    /* of 1024, up or down: what the processes of a host share */
#define DRIFT_OWN 100
#define WINDOW_NS 10000000 /* has one burst or none */
#define BURST_RARE 50      /* one window in so many */
#define BURST_FACTOR (3 * SCALE_ONE)

enum { DRAW_DRIFT_HOST = 0x647268, DRAW_DRIFT_OWN, DRAW_BURST, DRAW_BURST_PLACE };

static int64_t value(const struct script *s, uint64_t what, uint64_t who, int64_t at, int64_t most)
{
	uint64_t u = rng_hash(s->noise_seed, what, who, (uint64_t)at);
	return (int64_t)rng_below(u, (uint64_t)(2 * most + 1)) - most;
}

/* Between two values in a straight line. */
static int64_t drift(const struct script *s, uint64_t what, uint64_t who, int64_t now_ns,
					 int64_t most)
{
	int64_t at = now_ns / DRIFT_NS, past_ns = now_ns % DRIFT_NS;
	int64_t from = value(s, what, who, at, most), to = value(s, what, who, at + 1, most);
	return from + (to - from) * past_ns / DRIFT_NS;
}

/* Of 2 to 10 ms. */
static bool in_burst(const struct script *s, uint64_t process, int64_t now_ns)
{
	uint64_t window = (uint64_t)(now_ns / WINDOW_NS);
	if (rng_below(rng_hash(s->noise_seed, DRAW_BURST, process, window), BURST_RARE))
		return false;
	uint64_t u = rng_hash(s->noise_seed, DRAW_BURST_PLACE, process, window);
	return now_ns % WINDOW_NS >= (int64_t)rng_below(u, WINDOW_NS * 4 / 5 + 1);
}

uint32_t noise_factor(const struct script *s, uint32_t process, int64_t now_ns)
{
	uint32_t host = s->processes[process].host;
	switch (s->noise.shape) {
	case NOISE_DRIFT:
		return (uint32_t)(SCALE_ONE + drift(s, DRAW_DRIFT_HOST, host, now_ns, DRIFT_HOST) +
						  drift(s, DRAW_DRIFT_OWN, process, now_ns, DRIFT_OWN));
	case NOISE_BURSTS:
		return in_burst(s, process, now_ns) ? BURST_FACTOR : SCALE_ONE;
	default:
		return SCALE_ONE;
	}
}
