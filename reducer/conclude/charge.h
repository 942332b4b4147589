/* Who makes others wait in a run, for what time of its own, and how much of NCCL's time that is
 * (docs/ATTRIBUTION.md section 7, "Waits in a comparison"). Pure: a summary in, rows out. */
#ifndef CONCLUDE_CHARGE_H
#define CONCLUDE_CHARGE_H

#include "conclude/stragglers.h"

/* The leaves that a wait is taken from, in this order. */
#define CHARGE_FROM_LEAVES LEAF_NCCL_WAIT, LEAF_NCCL_TRANSFER, LEAF_NCCL_UNSPLIT
enum { CHARGE_FROM = 3 };
extern const enum leaf charge_from[CHARGE_FROM];

struct charge {   /* of a rank, of a host's ranks or of all; ns per step, means of the devices */
	int32_t rank; /* -1: of no single rank, or not known */
	const char *device;              /* its key; "": of no single device */
	struct device_host host;         /* at NULL: of no host */
	const struct nccl_summary *link; /* of slow transfers the collective with most; else NULL */
	const char *cause;               /* as docs/GRAPH.md names it; by the rules, a finding's name */
	enum leaf leaf;                  /* of its own time the one with most */
	int64_t own_ns[LEAF_COUNT];
	int64_t more_ns; /* of all leaves what it has more than the others, own_ns in it */
	int64_t devices; /* that are its own; 0: not of some */
	int64_t taken_ns[CHARGE_FROM]; /* what the others waited for it */
};

enum charges_by { CHARGES_UNKNOWN, CHARGES_BY_RULES, CHARGES_BY_REPLAY };

struct charges {
	struct charge *at;
	size_t n;
	enum charges_by by; /* who is late was asked; CHARGES_UNKNOWN: of one device it is not */
};

/* 0 or -ENOMEM; charges_close() either way. Texts are the summary's. */
int charges_open(struct charges *charges, const struct summary *summary,
				 const struct figures *figures);
/* 0 or -ENOMEM. */
int charges_add(struct charges *charges, const struct charge *charge);
void charges_close(struct charges *charges);

int64_t charge_own(const struct charge *charge);
int64_t charge_taken(const struct charge *charge);
/* taken_ns[from] by the leaves that it is charged to: in proportion to its own time. */
void charge_into(const struct charge *charge, int from, int64_t into_ns[LEAF_COUNT]);

#endif
