/* The shared file through which the ranks of one communicator meet: who is there, doorbells,
 * slots for the chunks of collectives and channels for messages. Whoever comes first makes it; it
 * loses its name when all have joined. A rank is alive as long as its lock on byte `rank` of the
 * file is held (an open file description lock: the kernel drops it however the process dies). */
#ifndef SIMGPU_DOUBLES_NCCL_BOARD_H
#define SIMGPU_DOUBLES_NCCL_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BOARD_RANKS = 256,         /* most ranks of a communicator */
	BOARD_DEPTH = 2,           /* chunks a rank may be ahead of the slowest */
	BOARD_SPLITS = 8,          /* splits of one communicator under way at a time */
	BOARD_MESSAGE = 64 * 1024, /* bytes of a chunk of a message */
	BOARD_NAME = 64
};

/* One chunk of a collective: what its author believes it is part of, so that ranks that call
 * different collectives are told instead of mixed up. */
struct board_chunk {
	uint64_t what;    /* hash of kind, type, reduction, root, count; 0: the closing chunk */
	int64_t start_ns; /* its kernel's start; of a closing chunk: when the data was there */
};

struct board_split {
	_Atomic uint32_t ordinal; /* which split these belong to, from 1 */
	int32_t color, key;
};

struct board_rank {
	_Alignas(128) _Atomic uint32_t doorbell; /* futex: something changed that this rank may await */
	_Atomic uint32_t sleeping; /* threads: the communicator's own, one that waits for a split */
	_Atomic uint32_t joined, left, failed;
	_Atomic uint64_t posted; /* chunks of collectives written by this rank */
	_Atomic uint64_t taken;  /* chunks of collectives read by this rank */
	struct board_chunk chunk[BOARD_DEPTH];
	struct board_split split[BOARD_SPLITS];
};

/* Messages from one rank to another. */
struct board_channel {
	_Atomic uint64_t posted, taken; /* chunks */
	_Atomic uint64_t received;      /* messages that arrived whole */
	uint64_t bytes;                 /* of the message under way */
	int64_t send_start_ns;          /* of the sender's kernel */
	int64_t recv_start_ns;          /* of the receiver's, once `received` counts the message */
	int64_t ready_ns;               /* when the last byte was there */
	uint8_t chunk[BOARD_DEPTH][BOARD_MESSAGE];
};

struct board {
	char name[BOARD_NAME];
	int fd, ranks, rank;
	size_t chunk_bytes, bytes;
	void *map;
};

/* Joins (and makes, when first) the board of that name as `rank`. 0 or -errno; -EEXIST when the
 * rank is taken, -EINVAL when the others disagree about the number of ranks. */
int board_open(struct board *board, const char *name, int ranks, int rank);
/* Have all joined? Once they have, the name is gone. */
bool board_complete(struct board *board);
void board_close(struct board *board);

struct board_rank *board_rank(const struct board *board, int rank);
struct board_channel *board_channel(const struct board *board, int from, int to);
uint8_t *board_slot(const struct board *board, int rank, uint64_t chunk);
/* Has this rank gone without a word (killed), or said that it gave up? */
bool board_lost(const struct board *board, int rank);

/* The doorbell: read it, look whether there is anything to do, then wait for it to change. */
uint32_t board_listen(const struct board *board);
void board_wait(const struct board *board, uint32_t heard, unsigned ms);
void board_ring(const struct board *board, int rank);
void board_ring_all(const struct board *board);

#endif
