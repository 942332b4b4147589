#include "ring/live.h"

#include "base/config.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	LARGE_LANES = MEMORY_LARGE_LANES, /* these have full rings, the others small ones */
	GROW_BYTES = 512 << 10,
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct baton_live *live;
static char live_path[512];
static bool live_in_memory; /* on tmpfs: shared with everybody on the host */

static uint64_t pages(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* File systems whose pages live elsewhere: a ring there would stall the launch path. */
static bool is_network(long type)
{
	static const uint32_t network[] = {0x6969 /* nfs */,        0x0BD00BD0 /* lustre */,
									   0xFF534D42 /* cifs */,   0xFE534D42 /* smb2 */,
									   0x65735546 /* fuse */,   0x47504653 /* gpfs */,
									   0x19830326 /* beegfs */, 0x00C36400 /* ceph */,
									   0x5346414F /* afs */,    0x01021997 /* 9p */};
	for (size_t i = 0; i < sizeof(network) / sizeof(network[0]); i++)
		if ((uint32_t)type == network[i])
			return true;
	return false;
}

/* What live files of all processes occupy in a directory. */
static uint64_t occupied(const char *directory)
{
	uint64_t bytes = 0;
	DIR *dir = opendir(directory);
	if (!dir)
		return 0;
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		struct stat st;
		size_t n = strlen(e->d_name);
		if (strncmp(e->d_name, "baton-", 6) != 0 || n < 5 ||
			strcmp(e->d_name + n - 5, ".live") != 0)
			continue;
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			bytes += (uint64_t)st.st_blocks * 512;
	}
	closedir(dir);
	return bytes;
}

/* Live files never take more than a quarter of what /dev/shm has free for them. */
static bool has_room(const char *directory, bool in_memory, uint64_t bytes)
{
	struct statvfs fs;
	if (statvfs(directory, &fs) != 0)
		return false;
	uint64_t available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (!in_memory)
		return available > 4 * bytes;
	uint64_t ours = occupied(directory);
	return ours + bytes <= (available + ours) / 4;
}

/* Beyond the limit for files the kernel would send SIGXFSZ to the job. */
static bool may_be_as_large(uint64_t bytes)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
		   bytes <= limit.rlim_cur;
}

/* What a live file has from the beginning: names, and the first thread's ring. A place without room
 * for both is passed over, for there a process would be known and nothing of what it did. */
struct layout {
	uint64_t bytes, names_bytes, ring_offset, ring_bytes;
};

static int allocate(int fd, const struct layout *layout)
{
	if (ftruncate(fd, (off_t)layout->bytes) != 0)
		return -errno;
	int error = posix_fallocate(fd, 0, (off_t)layout->names_bytes);
	if (!error)
		error = posix_fallocate(fd, (off_t)layout->ring_offset, (off_t)layout->ring_bytes);
	return -error;
}

static int create_in(const char *directory, const char *name, const struct layout *layout)
{
	struct statfs fs;
	if (!directory || directory[0] != '/' || statfs(directory, &fs) != 0 || is_network(fs.f_type))
		return -ENOENT;
	live_in_memory = fs.f_type == 0x01021994; /* tmpfs */
	if (!has_room(directory, live_in_memory, layout->names_bytes + layout->ring_bytes))
		return -ENOSPC;
	snprintf(live_path, sizeof(live_path), "%s/%s", directory, name);
	int fd = open(live_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int error = fd < 0 ? -errno : allocate(fd, layout);
	if (fd < 0 || !error)
		return fd < 0 ? error : fd;
	unlink(live_path);
	close(fd);
	return error;
}

static int create(const char *name, const struct layout *layout)
{
	const char *places[] = {config.ring_dir, "/dev/shm", getenv("TMPDIR"), config.out};
	int fd = -ENOSPC;
	bool full = false; /* less of it may fit */
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd < 0; i++) {
		fd = create_in(places[i], name, layout);
		full |= fd == -ENOSPC || fd == -EDQUOT;
	}
	return fd < 0 && full ? -ENOSPC : fd;
}

static void describe(struct baton_live *l, const struct identity *identity, uint32_t generation,
					 const char *trace, uint64_t bytes, uint64_t names_bytes)
{
	l->layout = BATON_LIVE_LAYOUT;
	l->header_bytes = sizeof(*l);
	l->file_bytes = bytes;
	l->pid = (uint64_t)identity->pid;
	l->start_time = identity->start_time;
	l->generation = generation;
	l->uid = getuid();
	l->host_tick_ns = config.host_tick_ns;
	memcpy(l->boot_id, identity->boot_id, sizeof(l->boot_id));
	snprintf(l->trace, sizeof(l->trace), "%s", trace);
	l->lanes_offset = pages(sizeof(*l));
	l->dictionary_offset = pages(l->lanes_offset + BATON_LIVE_LANES * sizeof(struct baton_lane));
	l->dictionary_bytes = memory_size->dictionary_bytes;
	atomic_store(&l->dictionary_granted, GROW_BYTES);
	atomic_store(&l->allocated, names_bytes);
	memcpy(l->magic, BATON_LIVE_MAGIC, sizeof(l->magic));
}

/* Of a ring of the first threads. */
static uint64_t large_slots(const struct memory_size *size)
{
	bool all = !size->without;
	return all || config.ring_slots < size->ring_slots ? config.ring_slots : size->ring_slots;
}

static struct layout plan(const struct memory_size *size)
{
	uint64_t lanes =
		pages(sizeof(struct baton_live)) + BATON_LIVE_LANES * sizeof(struct baton_lane);
	struct layout layout = {.names_bytes = pages(lanes) + GROW_BYTES,
							.ring_offset = pages(lanes) + size->dictionary_bytes,
							.ring_bytes = pages(large_slots(size) * sizeof(struct baton_slot))};
	layout.bytes =
		layout.ring_offset + LARGE_LANES * layout.ring_bytes +
		(BATON_LIVE_LANES - LARGE_LANES) * pages(size->small_slots * sizeof(struct baton_slot));
	return layout;
}

const char *live_too_low(const struct memory_size *size, bool cupti_comes)
{
	return limits_too_low(size, plan(size).bytes, cupti_comes);
}

int live_open(const struct identity *identity, uint32_t generation, const char *trace)
{
	char name[128], id[64];
	struct layout layout = plan(memory_size);
	identity_name(identity, generation, id);
	snprintf(name, sizeof(name), "baton-%u-%s.live", getuid(), id);
	if (!may_be_as_large(layout.bytes))
		return -EFBIG;
	int fd = create(name, &layout);
	if (fd < 0)
		return fd;
	void *map = mmap(NULL, layout.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = map == MAP_FAILED ? -errno : 0;
	close(fd); /* the job's descriptors keep their numbers: growing opens it by name */
	if (error) {
		unlink(live_path);
		return error;
	}
	describe(map, identity, generation, trace, layout.bytes, layout.names_bytes);
	live = map;
	return 0;
}

void live_remove(void)
{
	atomic_store(&live->closed, 1);
	unlink(live_path);
}

void live_undo(void)
{
	struct baton_live *file = live;
	if (!file)
		return;
	unlink(live_path);
	live = NULL; /* first, as in table_close() */
	munmap(file, file->file_bytes);
}

void live_release_rings(void)
{
	uint64_t offset = live->dictionary_offset + live->dictionary_bytes;
	uint64_t bytes = live->file_bytes - offset;
	char *rings = (char *)live + offset;
	void *file = mremap(rings, 0, bytes, MREMAP_MAYMOVE); /* the same pages once more */
	if (file == MAP_FAILED)
		return;
	if (mmap(rings, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == rings)
		madvise(file, bytes, MADV_REMOVE);
	munmap(file, bytes);
}

void live_note_gpu(void)
{
	if (recording_by_cupti() && recording_is(RECORDING_BEGUN))
		atomic_store(&live->gpu_recorded, 1);
}

void live_forget(void)
{
	live = NULL;
}

static int grant(uint64_t offset, uint64_t bytes)
{
	char directory[sizeof(live_path)];
	snprintf(directory, sizeof(directory), "%s", live_path);
	*strrchr(directory, '/') = 0;
	if (!has_room(directory, live_in_memory, bytes))
		return -ENOSPC;
	int fd = open(live_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int error = -posix_fallocate(fd, (off_t)offset, (off_t)bytes);
	close(fd);
	return error;
}

/* Every page is there before the first launch needs it: no page faults on the launch path. */
static void touch(char *at, uint64_t bytes)
{
	if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
		return;
	for (uint64_t i = 0; i < bytes; i += PAGE) /* kernels before 5.14 */
		((volatile char *)at)[i] = 0;
}

int live_ring(struct baton_lane *lane, unsigned index)
{
	uint64_t large = pages(large_slots(memory_size) * sizeof(struct baton_slot));
	uint64_t small = pages(memory_size->small_slots * sizeof(struct baton_slot));
	uint64_t offset = live->dictionary_offset + live->dictionary_bytes;
	bool is_large = index < LARGE_LANES;
	offset += is_large ? index * large : LARGE_LANES * large + (index - LARGE_LANES) * small;
	uint64_t bytes = is_large ? large : small;
	int error = index == 0 ? 0 : grant(offset, bytes); /* the first ring came with the file */
	if (error)
		return error;
	touch((char *)live + offset, bytes);
	lane->slots = is_large ? large_slots(memory_size) : memory_size->small_slots;
	atomic_store_explicit(&lane->offset, offset, memory_order_release);
	atomic_fetch_add(&live->allocated, bytes);
	return 0;
}

int live_grow_dictionary(uint64_t bytes)
{
	uint64_t granted = atomic_load(&live->dictionary_granted);
	uint64_t want = bytes < live->dictionary_bytes ? bytes : live->dictionary_bytes;
	for (; granted < want; granted += GROW_BYTES) {
		int error = grant(live->dictionary_offset + granted, GROW_BYTES);
		if (error)
			return error;
		atomic_store(&live->dictionary_granted, granted + GROW_BYTES);
		atomic_fetch_add(&live->allocated, GROW_BYTES);
	}
	return 0;
}
