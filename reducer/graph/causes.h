/* Counterfactuals: what a cause takes off the weights of a model, on one device, on one host or
 * everywhere, and what the step gains by it. */
#ifndef GRAPH_CAUSES_H
#define GRAPH_CAUSES_H

#include "graph/cause_kinds.h"
#include "graph/compare.h"
#include "graph/model.h"

/* Is it asked of one device against the others? */
static inline bool cause_compares(enum cause cause)
{
	return cause == CAUSE_HOST || cause == CAUSE_KERNELS;
}

/* The cause of a unit that a cause of all is made of. */
static inline enum cause cause_of_unit(enum cause wide)
{
	return wide == CAUSE_EVEN_HOST ? CAUSE_HOST : wide == CAUSE_EVEN_KERNELS ? CAUSE_KERNELS : wide;
}

#define ALL_UNITS UINT32_MAX
struct scope {
	uint32_t unit;      /* or ALL_UNITS */
	uint32_t host;      /* with ALL_UNITS: of this host; or ALL_UNITS */
	uint32_t cause_bit; /* inside cause_take(): units cured of this cause are left out; else 0 */
};

struct causes {
	const struct model *model;
	struct compared *host, *kernels;
	bool unsteady;     /* the program's own time varies in many places of a step, not in a few */
	int64_t *usual_ns; /* by row of `host`: what it takes usually; -1: not known */
	struct unit_rows *host_of, *kernels_of; /* by unit: its rows of `host` and `kernels` */
	size_t n_host, n_kernels;
	/* Weights: of each edge, then of each row of model.host what is left of the program's own time.
	 * Copies of them have causes_weights() numbers. */
	int64_t *measured_ns;
	int64_t *typical_ns; /* by transfer: of those like it */
	int64_t *weights_ns; /* room for one replay */
	int64_t *at_ns;
	int64_t *steps_ns;  /* ends of the steps in the last replay */
	int64_t *before_ns; /* and in the one that gains are counted from: step_ns is its mean step */
	int64_t step_ns;
	uint32_t *cured; /* by unit, the last one for what is no unit's: bits of the causes that are off
						the weights already */
	int64_t *host_excess_ns, *kernels_excess_ns; /* by unit */
	uint32_t replays;
};

/* 0 or -ENOMEM; causes_close() either way. */
int causes_open(struct causes *causes, const struct model *model);
void causes_close(struct causes *causes);

static inline size_t causes_weights(const struct causes *causes)
{
	return causes->model->graph.n_edges + causes->model->n_host;
}

/* Takes the cause off the weights. Returns how much time that changes, all of it: no step can gain
 * more than this. */
int64_t cause_take(const struct causes *causes, enum cause cause, const struct scope *scope,
				   int64_t *weights_ns);
enum scaled { SCALED_HOST, SCALED_COPIES, SCALED_TRANSFER, SCALED_KERNELS };
#define SCALED_ALL (-1) /* of kernels: all groups or classes */

struct scale { /* what takes `times` as long */
	double times;
	enum scaled what;
	int group, class; /* enum group, enum class_id or SCALED_ALL */
};

/* A weight takes `times` as long. Returns how much that changes it. */
int64_t cause_stretch(int64_t *weight_ns, double times);
/* So does what is left of the own time of row `host` of model.host. */
int64_t cause_stretch_own(const struct causes *causes, size_t host, double times,
						  int64_t *weights_ns);
/* The enum group of a kernel's class in the model. */
int cause_group(uint8_t class);
/* Is that a kernel which takes `times` as long? */
bool cause_is_scaled(const struct scale *scale, uint8_t class);
/* The time of the program's own, of copies, transfers or kernels (but NCCL's), everywhere. */
int64_t cause_scale(const struct causes *causes, const struct scale *scale, int64_t *weights_ns);
/* The same of all transfers of collectives of one size. */
int64_t cause_take_size(const struct causes *causes, int64_t bytes, int64_t *weights_ns);
/* What is taken off from now on begins with weights that lack this already; causes_measure() ends it.
 */
void cause_cured(struct causes *causes, enum cause cause, const struct scope *scope);
/* How much longer a unit's positions are than elsewhere, less what it is faster: CAUSE_HOST,
 * CAUSE_KERNELS. */
static inline int64_t cause_excess(const struct causes *causes, enum cause cause, uint32_t unit)
{
	return cause == CAUSE_KERNELS ? causes->kernels_excess_ns[unit] : causes->host_excess_ns[unit];
}
/* What the work of a row takes where others do it. */
int64_t cause_like_ns(const struct causes *causes, bool kernels, const struct compared *row);
/* The cause that the own time of row `host` of model.host belongs to: CAUSE_API, CAUSE_CODE,
 * CAUSE_FRAMEWORK; CAUSES: none. */
enum cause cause_of_own(const struct model *model, size_t host);
/* Counts gains from the measured weights. 0 or -ENOMEM. */
int causes_measure(struct causes *causes);
static inline int64_t causes_per_step(const struct causes *causes, int64_t ns)
{
	return ns / (int64_t)(causes->model->n_steps > 1 ? causes->model->n_steps - 1 : 1);
}
/* The mean counted step with these weights. 0 or -ENOMEM. */
int causes_step(struct causes *causes, const int64_t *weights_ns, int64_t *step_ns);

#endif
