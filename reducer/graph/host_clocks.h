/* The clocks of hosts, aligned by the ends of collectives, which all members leave together. */
#ifndef GRAPH_HOST_CLOCKS_H
#define GRAPH_HOST_CLOCKS_H

#include "graph/sample.h"

/* Fills sample->offsets; a host without common collectives keeps its clock. 0 or -errno. */
int host_clocks_align(struct sample *sample);

#endif
