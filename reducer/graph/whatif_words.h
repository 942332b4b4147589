/* The words of `baton whatif --without`: causes, leaves, findings, a rank, a device, collectives of
 * one size. */
#ifndef GRAPH_WHATIF_WORDS_H
#define GRAPH_WHATIF_WORDS_H

#include "graph/nodes.h"
#include "graph/suspects.h"

enum {
	TAKEN_MOST = 16, /* that are asked for */
	TAKEN_ROOM = 32, /* that are found */
	TAKEN_NAME_BYTES = 192
};

enum taken_kind {
	TAKEN_CAUSES,
	TAKEN_CULPRITS,   /* what the replay finds of one late rank or host */
	TAKEN_COLLECTIVE, /* transfers of one size */
	TAKEN_SCALED,     /* slower or faster, not gone */
	TAKEN_OVERLAP,    /* nobody waits for collectives that can be hidden */
	TAKEN_LIKE        /* as fast as another run */
};

struct taken { /* what is taken off */
	uint8_t kind;
	bool found;      /* it was found, not asked for: `scope` says where */
	uint32_t causes; /* a bit each; several: all of a rank's own */
	long long rank;  /* -1: as --host says */
	int64_t bytes;
	struct scale scale;
	struct scope scope;
	struct joint_cause joint; /* of what was found: it pays only with that one */
	uint32_t group;           /* 0, or found together with the others of this number */
	int64_t cost_ns;          /* of those: each has this part of what all win */
	bool graphs;              /* launches become nodes of graphs */
	struct node_gap node_gap; /* between them */
	struct gain gain;
	char name[32];                 /* as it is printed */
	char device[TAKEN_NAME_BYTES]; /* "": not of one; the beginning of a key */
};

struct taken_list {
	struct taken at[TAKEN_ROOM];
	uint32_t n;
	long long rank; /* --rank; -1: all */
	bool host;      /* --host is given */
};

/* What slows one rank: it is as fast as the others then and has no losses of its own. */
extern const uint32_t taken_of_rank;

/* Adds a LIST by commas. An enum status; says what is wrong and what there is. */
int taken_words(struct taken_list *list, const char *words);
/* Adds a LIST of CLASS=TIMES, as --scale takes it; and what --overlap and --graphs ask. */
int taken_scales(struct taken_list *list, const char *words);
int taken_overlap(struct taken_list *list);
int taken_graphs(struct taken_list *list);
int taken_like(struct taken_list *list); /* of --like: the speeds of another run */
/* Is there something that --rank or --host narrow, where one of them is given? An enum status. */
int taken_check_scope(const struct taken_list *list);
int taken_add(struct taken_list *list, const struct taken *taken);

#endif
