/* The recorder's memory stays within its bound when all of it is used at once: a ring for every
 * thread that may have one, a full dictionary, all of CUPTI's buffers out and written to, and a
 * disk that takes nothing. Measured by what the kernel says is resident; the recorder's static
 * tables count whole. Linked with the shim's objects. */
#include "check.h"

#include "base/clock.h"
#include "base/memory.h"
#include "ring/buffers.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "session.h"
#include "sources/nvtx/nvtx_text.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

enum {
	THREADS = BATON_LIVE_LANES + 20,
	STACK = 64 << 10,
	PUTS = 2 * MEMORY_RING_SLOTS,
	GRANT_MS = 30000, /* a busy machine's writer thread takes its time */
};

static pthread_barrier_t opened, stuck, over;

/* Of this process, in bytes: resident pages, those of the live file among them. */
static uint64_t resident(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long long kib = 0;
	char line[256];
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Rss: %llu", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return (uint64_t)kib << 10;
}

static void put(uint32_t i)
{
	struct baton_lane *lane = lane_here();
	if (!lane)
		return;
	struct baton_slot slot = {.begin = clock_ticks(),
							  .name = dict_literal("cudaLaunchKernel"),
							  .type =
								  (uint8_t)(i % 8 == 7 ? BATON_SLOT_COLLECTIVE : BATON_SLOT_CALL),
							  .flags = BATON_SLOT_MAKES_OP,
							  .correlation = i * 2654435761u};
	slot.end = clock_ticks();
	lane_put(lane, slot);
}

static void *work(void *unused)
{
	put(1);
	pthread_barrier_wait(&opened);
	pthread_barrier_wait(&stuck);
	for (uint32_t i = 0; i < PUTS; i++)
		put(i);
	pthread_barrier_wait(&over);
	return unused;
}

/* Threads whose own memory is there before the recorder's is measured. */
static void start_threads(void)
{
	char *stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_attr_t attributes;
		pthread_t thread;
		pthread_attr_init(&attributes);
		pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK, STACK);
		CHECK(pthread_create(&thread, &attributes, work, NULL) == 0, "thread %d", i);
		pthread_attr_destroy(&attributes);
	}
}

static bool dictionary_full(void)
{
	return atomic_load(&live->dictionary_reserved) + 2000 > MEMORY_DICTIONARY_BYTES;
}

static void fill_dictionary(void)
{
	char text[1000];
	for (int i = 0, refused = 0; !dictionary_full() && refused < GRANT_MS; i++) {
		int n = snprintf(text, sizeof(text), "%0999d", i);
		if (dict_string(text, (size_t)n) == 0) {
			usleep(1000); /* the writer thread grants more */
			refused++;
		}
	}
}

/* Texts of ranges, until there is no room for more: those have no name. */
static void fill_texts(void)
{
	char text[200];
	const struct nvtx_text *last;
	unsigned n = 0;
	nvtx_text_open();
	do
		last = nvtx_text(text, (size_t)snprintf(text, sizeof(text), "%0199u", n++));
	while (last->bytes > 0 && n < MEMORY_NVTX_TEXT_BYTES / 64);
	CHECK(last->bytes == 0 && n > 1000, "%u texts of ranges found room", n);
}

/* Of a small /dev/shm (a container's) live files take a quarter only: then they go to `other`. */
static void choose_rings(const char *other)
{
	struct statvfs fs;
	if (statvfs("/dev/shm", &fs) != 0 || fs.f_bavail * fs.f_frsize < 8ull * MEMORY_MOST_BYTES)
		CHECK(setenv("BATON_RING_DIR", other, 1) == 0, "no environment");
}

/* All out, and written to: CUPTI has no room for more. */
static unsigned take_buffers(void)
{
	unsigned n = 0;
	size_t bytes;
	for (uint8_t *at; (at = buffers_take(&bytes)) != NULL; n++)
		memset(at, 1, BUFFER_BYTES);
	return n;
}

/* No file grows beyond `bytes`. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static uint64_t rings_full(void)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < BATON_LIVE_LANES; i++)
		n += baton_lane_dropped(live_lane(i)) > 0;
	return n;
}

int main(void)
{
	extern char __data_start, _end; /* the linker's: .data and .bss, this test's too */
	char directory[] = "/tmp/baton-memory-XXXXXX", command[64];
	if (!mkdtemp(directory) || setenv("BATON_OUT", directory, 1) != 0)
		return 1;
	unsetenv("BATON_RING_SLOTS");
	choose_rings(directory);
	pthread_barrier_init(&opened, NULL, THREADS + 1);
	pthread_barrier_init(&stuck, NULL, THREADS + 1);
	pthread_barrier_init(&over, NULL, THREADS + 1);
	session_configure();
	uint64_t before = resident();
	start_threads();
	before += (uint64_t)THREADS * STACK;
	pthread_barrier_wait(&opened);
	fill_dictionary();
	fill_texts();
	CHECK(take_buffers() == BUFFERS, "not all of CUPTI's buffers");
	limit_files(1);
	pthread_barrier_wait(&stuck);
	pthread_barrier_wait(&over);
	sleep(1); /* the writer thread has taken what it is going to */
	uint64_t grown = resident() - before, tables = (uint64_t)(&_end - &__data_start);
	limit_files(RLIM_INFINITY);
	CHECK(atomic_load(&live->lanes_used) == BATON_LIVE_LANES, "not all rings");
	CHECK(rings_full() > BATON_LIVE_LANES / 2, "%d rings are full", (int)rings_full());
	CHECK(dictionary_full(), "the dictionary is not full");
	CHECK(tables <= MEMORY_STATIC_BYTES, "%llu bytes of tables", (unsigned long long)tables);
	CHECK(grown + tables <= MEMORY_MOST_BYTES, "%llu + %llu bytes", (unsigned long long)grown,
		  (unsigned long long)tables);
	CHECK(grown >= MEMORY_MOST_BYTES / 4 * 3, "only %llu bytes: not all was used",
		  (unsigned long long)grown);
	printf("%.1f MiB resident, %.1f MiB of tables\n", (double)grown / (1 << 20),
		   (double)tables / (1 << 20));
	live_remove();
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	CHECK(system(command) == 0, "%s", command);
	int status = finish();
	fflush(stdout);
	_exit(status); /* the writer thread still has what the disk did not take */
}
