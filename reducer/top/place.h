/* Where a GPU sits, and on which CPUs its rank may run. */
#ifndef TOP_PLACE_H
#define TOP_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;
struct run_device;
struct run_process;

enum {
	PLACE_CPUS_BYTES = 64,
	PLACE_LINKS_BYTES = 192,
	PLACE_GPUS = 32 /* of a node in a matrix */
};

struct top_place { /* "": not known; a list without room ends with ".." */
	char pci[24];
	char numa[8];
	char gpu_cpus[PLACE_CPUS_BYTES]; /* near the GPU */
	char cpus[PLACE_CPUS_BYTES];     /* on which the rank may run; now, if it lives on this host */
	char links[PLACE_LINKS_BYTES];   /* to each GPU of its node */
	bool far;                        /* both lists of CPUs are known and have none in common */
	uint32_t at;                     /* which of them it is, from 1; 0: not known */
};

/* `device` NULL: the process drives none. */
void top_place_find(struct top_place *place, const struct run *run, const struct run_device *device,
					const struct run_process *process);
/* Do two lists of CPUs ("0-3,8") have one in common? Lists that are "" are not known: true. */
bool top_place_meets(const char *cpus, const char *others);

#endif
