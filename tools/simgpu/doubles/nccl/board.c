#include "doubles/nccl/board.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct board_head {
	_Atomic uint32_t ranks;
	_Atomic uint32_t joined;
};

static size_t head_bytes(int ranks)
{
	return 4096 + (size_t)ranks * sizeof(struct board_rank);
}

/* All slots together stay below 16 MiB: /dev/shm of a container has 64. */
static size_t chunk_bytes(int ranks)
{
	size_t bytes = 512 * 1024;

	while (bytes > 16 * 1024 && bytes * BOARD_DEPTH * (size_t)ranks > 16u << 20)
		bytes /= 2;
	return bytes;
}

static size_t slots_bytes(const struct board *board)
{
	return (size_t)board->ranks * BOARD_DEPTH * board->chunk_bytes;
}

static int hold(const struct board *board)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = board->rank, .l_len = 1};

	return fcntl(board->fd, F_OFD_SETLK, &lock) ? -EEXIST : 0;
}

static bool held(const struct board *board, int rank)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};

	return rank == board->rank || fcntl(board->fd, F_OFD_GETLK, &lock) || lock.l_type != F_UNLCK;
}

static int map_file(struct board *board)
{
	size_t channels = (size_t)board->ranks * (size_t)board->ranks * sizeof(struct board_channel);
	size_t backed = head_bytes(board->ranks) + slots_bytes(board);
	int error;

	board->bytes = backed + channels;
	if (ftruncate(board->fd, (off_t)board->bytes))
		return -errno;
	/* Channels stay sparse: most pairs never talk. */
	error = posix_fallocate(board->fd, 0, (off_t)backed);
	if (error)
		return -error;
	board->map = mmap(NULL, board->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, board->fd, 0);
	return board->map == MAP_FAILED ? -errno : 0;
}

static int join(struct board *board)
{
	struct board_head *head = board->map;
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&head->ranks, &none, (uint32_t)board->ranks) &&
		none != (uint32_t)board->ranks)
		return -EINVAL;
	if (atomic_exchange(&board_rank(board, board->rank)->joined, 1))
		return -EEXIST;
	atomic_fetch_add(&head->joined, 1);
	board_ring_all(board);
	return 0;
}

int board_open(struct board *board, const char *name, int ranks, int rank)
{
	char path[BOARD_NAME + 16];
	int status;

	*board = (struct board){.ranks = ranks, .rank = rank, .chunk_bytes = chunk_bytes(ranks)};
	if (ranks > BOARD_RANKS)
		return -E2BIG;
	snprintf(board->name, sizeof board->name, "%s", name);
	snprintf(path, sizeof path, "/dev/shm/%s", board->name);
	board->fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (board->fd < 0)
		return -errno;
	status = hold(board);
	if (!status)
		status = map_file(board);
	if (status) {
		if (status != -EEXIST) /* no room: no other rank can join either */
			unlink(path);
		close(board->fd);
		return status;
	}
	status = join(board);
	if (status) {
		munmap(board->map, board->bytes);
		close(board->fd);
	}
	return status;
}

bool board_complete(struct board *board)
{
	struct board_head *head = board->map;
	char path[BOARD_NAME + 16];

	if (atomic_load(&head->joined) < (uint32_t)board->ranks)
		return false;
	if (board->name[0]) {
		snprintf(path, sizeof path, "/dev/shm/%s", board->name);
		/* The first rank's to do: a name can be taken again as soon as it is free. */
		if (board->rank == 0)
			unlink(path);
		board->name[0] = 0;
	}
	return true;
}

void board_close(struct board *board)
{
	char path[BOARD_NAME + 16];

	atomic_store(&board_rank(board, board->rank)->left, 1);
	board_ring_all(board);
	if (board->name[0]) { /* they never were complete: nobody else will take the name away */
		snprintf(path, sizeof path, "/dev/shm/%s", board->name);
		unlink(path);
	}
	munmap(board->map, board->bytes);
	close(board->fd);
}

struct board_rank *board_rank(const struct board *board, int rank)
{
	return (struct board_rank *)((char *)board->map + 4096) + rank;
}

uint8_t *board_slot(const struct board *board, int rank, uint64_t chunk)
{
	size_t index = (size_t)rank * BOARD_DEPTH + chunk % BOARD_DEPTH;

	return (uint8_t *)board->map + head_bytes(board->ranks) + index * board->chunk_bytes;
}

struct board_channel *board_channel(const struct board *board, int from, int to)
{
	uint8_t *first = (uint8_t *)board->map + head_bytes(board->ranks) + slots_bytes(board);

	return (struct board_channel *)first + (size_t)from * (size_t)board->ranks + to;
}

bool board_lost(const struct board *board, int rank)
{
	const struct board_rank *peer = board_rank(board, rank);

	if (atomic_load(&peer->failed))
		return true;
	return atomic_load(&peer->joined) && !atomic_load(&peer->left) && !held(board, rank);
}

uint32_t board_listen(const struct board *board)
{
	return atomic_load(&board_rank(board, board->rank)->doorbell);
}

void board_wait(const struct board *board, uint32_t heard, unsigned ms)
{
	struct board_rank *me = board_rank(board, board->rank);
	struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	/* Told before the last look at the doorbell: the ringer changes it first, then looks here. */
	atomic_fetch_add(&me->sleeping, 1);
	if (atomic_load(&me->doorbell) == heard)
		syscall(SYS_futex, &me->doorbell, FUTEX_WAIT, heard, &limit, NULL, 0);
	atomic_fetch_sub(&me->sleeping, 1);
}

void board_ring(const struct board *board, int rank)
{
	struct board_rank *peer = board_rank(board, rank);

	atomic_fetch_add(&peer->doorbell, 1);
	if (atomic_load(&peer->sleeping))
		syscall(SYS_futex, &peer->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void board_ring_all(const struct board *board)
{
	for (int rank = 0; rank < board->ranks; rank++)
		board_ring(board, rank);
}
