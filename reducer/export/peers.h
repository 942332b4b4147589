/* Which sends and receives of a run met: kernels of two processes, by the peers that a recording has. A
 * rank's sends to another one meet that one's receives from it in their order, where the kernels ran
 * at the same time. */
#ifndef EXPORT_PEERS_H
#define EXPORT_PEERS_H

#include "export/scene.h"

/* The numbers of such meetings have both bits, those of collectives the first one. */
#define PEERS_BITS ((uint64_t)3 << 62)

struct peer_end { /* a send or a receive that met another rank's */
	uint32_t process, zero;
	uint64_t correlation; /* of its kernel */
	uint64_t meeting;
};

struct peers {
	struct peer_end *at; /* by process and correlation */
	size_t n;
};

/* Reads the sends and receives of all processes of the scene. 0 or -errno; peers_free() either way. */
int peers_find(const struct scene *scene, struct peers *peers);
void peers_free(struct peers *peers);
/* Those of a process's kernel. Returns how many there are from *first on. */
size_t peers_of(const struct peers *peers, uint32_t process, uint64_t correlation,
				const struct peer_end **first);

#endif
