/* Where members of a communicator wait for each other: collectives that all members reach, and
 * sends that meet receives. */
#ifndef GRAPH_JOINS_H
#define GRAPH_JOINS_H

#include "graph/model.h"

/* Adds the meetings of all members of the model. 0 or -ENOMEM. */
int joins_link(struct model *model);

/* A member's end comes from the meeting: `ns` after it. 0 or -ENOMEM. */
int join_member(struct model *model, const struct member *member, uint32_t meeting, int64_t ns);

/* The members of one communicator that send and receive, by rank and begin. 0 or -ENOMEM. */
int meetings_link(struct model *model, struct member **members, size_t n);

#endif
