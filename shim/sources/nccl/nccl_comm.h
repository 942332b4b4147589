/* The communicators of this process, by address. An address may come again after a destroy. */
#ifndef SHIM_NCCL_COMM_H
#define SHIM_NCCL_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nccl_comm;

/* `hash` is the same on all members. size 0, rank -1: not known yet. */
struct nccl_member {
	uint64_t hash;
	int size, rank;
};

uint64_t nccl_hash(const void *bytes, size_t n);
/* Of a child: what all its members know of it. */
uint64_t nccl_hash_child(uint64_t parent, uint64_t ordinal, uint64_t colour);
/* Of a communicator that only this process knows. */
uint64_t nccl_hash_private(const void *comm);

void nccl_comm_add(void *comm, struct nccl_member member);
void nccl_comm_remove(void *comm);
/* NULL: not one that was added, or the table (1,024) is full. */
struct nccl_comm *nccl_comm_find(void *comm);
/* The same; one that was made out of our sight is added with a private hash. */
struct nccl_comm *nccl_comm_use(void *comm);

struct nccl_member nccl_comm_member(const struct nccl_comm *comm);
/* Its number among the splits and shrinks of this communicator so far. */
uint64_t nccl_comm_split(struct nccl_comm *comm);
/* The number of this operation among those of its kind (enum baton_coll); from 0, as NCCL counts.
 * nccl_comm_uncount: it failed. */
uint64_t nccl_comm_count(struct nccl_comm *comm, unsigned coll);
void nccl_comm_uncount(struct nccl_comm *comm, unsigned coll);
/* Its dictionary id, 0 when there is no room left. Only while the process records. */
uint32_t nccl_comm_id(struct nccl_comm *comm);

/* In a forked child: its parent may have been at it. */
void nccl_comm_forget(void);

#endif
