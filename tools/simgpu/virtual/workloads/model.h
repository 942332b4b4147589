/* The kernels of a training step, before any thread launches them: blocks with a forward and a
 * backward list, a loss and an optimizer. Layers of a kind share their kernels, as those of a real
 * model do. */
#ifndef SIMGPU_VIRTUAL_WORKLOADS_MODEL_H
#define SIMGPU_VIRTUAL_WORKLOADS_MODEL_H

#include "virtual/script/script.h"

struct kernel_list {
	uint32_t *at; /* kernels of the script */
	uint32_t n, room;
};

struct block {
	struct kernel_list forward, backward;
};

struct recipe { /* one kernel of a forward list; a table of them ends with factor 0 */
	enum sim_table table;
	uint32_t factor;
};

struct architecture {
	const struct recipe *first;    /* embedding, stem: the first block */
	const struct recipe *parts[2]; /* the blocks of one layer; the second may be NULL */
	const struct recipe *loss;
	bool forward_only; /* no backward, no optimizer */
};

extern const struct architecture architecture_transformer, architecture_resnet, architecture_mlp,
	architecture_decode;

enum phase { PHASE_FORWARD, PHASE_BACKWARD, PHASE_OPTIMIZER, PHASES };

struct model {
	struct script *script;
	struct block *blocks;     /* 0: the first block; then the layers' parts in turn */
	uint32_t n_blocks, parts; /* parts per layer */
	uint32_t per_layer;       /* kernels of collectives that the workload adds to each layer */
	struct kernel_list loss, optimizer;
	/* The kernels it made lie in the script from first_kernel on, those of a phase side by side. */
	uint32_t first_kernel, phase_end[PHASES];
	uint32_t padding[PHASE_OPTIMIZER]; /* the small kernel that fills up a phase */
	bool forward_only;
	bool recompute; /* see workload_options */
};

/* Exactly `kernels` of them, of which every layer leaves room for per_layer; -EINVAL when they are
 * too few for one layer. */
int model_build(struct model *m, struct script *s, const struct architecture *architecture,
				uint32_t kernels, uint32_t per_layer);
/* Frees it and its script. Returns NULL, for the workload to return. */
struct script *model_failed(struct model *m);
void model_free(struct model *m);
uint32_t model_layers(const struct model *m);
uint32_t model_kernels(const struct model *m); /* with those of the collectives */

int64_t model_phase_kernels(const struct model *m, enum phase phase);
int64_t model_ns(const struct model *m);
int64_t list_ns(const struct script *s, const struct kernel_list *list);
/* Durations scaled so that the whole model takes total_ns, and every phase a part of it by its
 * number of kernels: whatever was drawn, no phase is so short that its launches take longer. */
void model_scale(struct model *m, int64_t total_ns);
/* One phase alone. */
void model_scale_phase(struct model *m, enum phase phase, int64_t wanted_ns);

/* The mean of a table's draws: medians say too little where tails are long. */
int64_t table_mean(enum sim_table table);

#endif
