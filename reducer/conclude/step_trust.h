/* How far the steps of a run can be trusted: whether they look alike, and what lies outside of
 * them. */
#ifndef CONCLUDE_STEP_TRUST_H
#define CONCLUDE_STEP_TRUST_H

#include "summary/summary.h"

struct step_trust {
	double confidence; /* steps that have the own kernels, as a share; NaN: not known */
	double inside;     /* GPU ops in the steps, as a share; NaN without steps */
	double before, after;
	uint64_t ops_outside;
	int64_t outside_ns; /* outside of the windows, mean of the devices that have steps */
	bool much_before;   /* a tenth of the ops, and more than warm-up explains */
	bool much_after;
	enum steps_tail tail; /* with much_after */
	/* of a restarted job: the generation that is answered, of how many (0: nothing was restarted), and
	 * the steps of the others */
	uint32_t generation, generations;
	bool added_up; /* stretches of time were: each has the steps of a generation of its own */
	uint64_t left_out;
	const char *unit; /* "": one optimizer, or all step once */
	struct {          /* of a device that several threads share, else of one */
		const char *thread;
		uint32_t all, here, beside; /* as in summary_format.h; all 0: one loop */
	} loops;
	struct {
		enum steps_way way; /* WAY_NONE: no other was tried */
		bool first;
		uint64_t steps, devices; /* steps of all those devices */
		double confidence, inside;
	} other;
};

/* The name of a way in JSON: as step_source_name(). */
const char *step_trust_way(enum steps_way way);

void step_trust_compute(const struct summary *summary, struct step_trust *trust);
/* The row of a device; NULL when it has no steps. */
const struct steps_summary *step_trust_device(const struct summary *summary, uint32_t key);

#endif
