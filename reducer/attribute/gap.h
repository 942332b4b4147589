/* Divides one idle interval of a device into leaves (docs/ATTRIBUTION.md section 4). */
#ifndef ATTRIBUTE_GAP_H
#define ATTRIBUTE_GAP_H

#include "attribute/follow.h"
#include "attribute/held_up.h"
#include "attribute/host.h"
#include "base/saturate.h"

#define FLOOR_SAMPLES 20
#define FLOOR_LIMIT_NS 10000
#define DISPATCH_LIMIT_NS 20000
#define LONG_LAUNCH_NS 1000000

struct gap {
	int64_t a, b;
	const struct op *k; /* the op that ends it: b is its start */
	const struct op *j; /* the op that ended at a; NULL for the lead-in */
};

struct calibration {
	int64_t floor_ns;        /* l */
	int64_t queued_gap_ns;   /* q */
	int64_t dispatch_cap_ns; /* min(20 us, max(l, 3 q)) */
	bool shared;             /* another process uses the device */
};

static inline bool gap_valid(const struct gap *gap)
{
	return gap->k->flags & OP_MATCHED && gap->k->ls <= gap->b;
}

/* Was k already queued when the device ran out of work? For valid gaps only. */
bool gap_queued(const struct opstream *stream, const struct gap *gap, int64_t floor_ns);

struct gap_engine {
	const struct opstream *stream; /* at k */
	struct timelines *timelines;
	struct held_ups *held_ups;
	struct calibration calibration;
	struct host_scratch scratch;
	struct pieces pieces; /* of the last gap explained; they cover [a, b) exactly */
	struct hand_off hand_off;
	struct follow follow;
	struct host_parts followed; /* of one thread; reused */
	struct pieces before;       /* the same pieces before the sync debt takes its share */
	uint64_t hand_offs;
	uint64_t invalid; /* gaps that end before their launch began */
};

/* Most gaps, [a, k's start): the call that launched k had returned when the device ran out of work,
 * and nothing held the stream up. */
static inline bool gap_is_plain(const struct gap_engine *engine, int64_t a, const struct op *k)
{
	const unsigned first = OP_MATCHED | OP_FIRST_OF_CALL;
	return (k->flags & first) == first && k->le <= a &&
		   saturate_add(k->ls, engine->calibration.floor_ns) <= a &&
		   k->start < held_ups_none_until(engine->held_ups);
}

/* Notes the interval and fills engine->pieces. 0 or -errno. */
int gap_explain(struct gap_engine *engine, const struct gap *gap);

#endif
