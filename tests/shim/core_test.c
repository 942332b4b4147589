/* The recorder without CUDA: what threads put is in the file or counted as dropped, thread by
 * thread; a forked child has a file of its own; the job's descriptors and errno stay as they were;
 * a place where nothing can be written only costs a message. Linked with the shim's objects. */
#include "check.h"

#include "base/clock.h"
#include "base/config.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "session.h"

#include <baton/columns.h>
#include <baton/reader.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { THREADS = 64, PUTS = 20000, IDS = 4096, LATE_MS = 5000 };

static char directory[] = "/tmp/baton-core-XXXXXX";

static void put(uint32_t correlation)
{
	struct baton_lane *lane = lane_here();
	if (!lane) {
		lane_unheard(true);
		return;
	}
	struct baton_slot slot = {.begin = clock_ticks(),
							  .name = dict_literal("cudaLaunchKernel"),
							  .type = BATON_SLOT_CALL,
							  .flags = BATON_SLOT_MAKES_OP,
							  .correlation = correlation};
	slot.end = clock_ticks();
	lane_put(lane, slot);
}

static void *put_many(void *unused)
{
	for (uint32_t i = 1; i <= PUTS; i++) {
		errno = 4711;
		put(i);
		if (errno != 4711)
			return (void *)1;
	}
	return unused;
}

/* ---- what a file says of each thread ---- */

struct said {
	uint64_t calls[IDS], lost[IDS], others, unheard, in_flight, names_lost;
	uint32_t thread_of[IDS], n_threads; /* thread records, by id */
	uint64_t unnamed; /* calls whose name comes later in the file, or not at all */
	char strings[IDS][64];
	bool whole;
};

static void note_string(struct said *said, const uint8_t *at)
{
	struct baton_r_string row;
	memcpy(&row, at, sizeof(row));
	if (row.id < IDS)
		snprintf(said->strings[row.id], 64, "%.*s", (int)row.bytes, (const char *)at + sizeof(row));
}

static void note_loss(struct said *said, const uint8_t *at)
{
	struct baton_r_loss row;
	unsigned thread;
	memcpy(&row, at, sizeof(row));
	if (row.kind == BATON_LOSS_IN_FLIGHT)
		said->in_flight += row.count;
	else if (row.what < IDS && strstr(said->strings[row.what], "without a ring"))
		said->unheard += row.count;
	else if (row.what < IDS && strcmp(said->strings[row.what], "names and stacks") == 0)
		said->names_lost += row.count;
	else if (row.what < IDS &&
			 sscanf(said->strings[row.what], "launches of thread %u", &thread) == 1 && thread < IDS)
		said->lost[thread] += row.count;
	else if (row.what < IDS && strncmp(said->strings[row.what], "other calls", 11) == 0)
		said->others |= row.count;
}

static void note_records(struct said *said, const uint8_t *raw, size_t bytes)
{
	struct baton_record head;
	for (size_t at = 0; at + sizeof(head) <= bytes; at += head.size) {
		memcpy(&head, raw + at, sizeof(head));
		if (head.size < sizeof(head))
			return;
		if (head.type == BATON_R_STRING)
			note_string(said, raw + at);
		else if (head.type == BATON_R_LOSS)
			note_loss(said, raw + at);
		else if (head.type == BATON_R_THREAD)
			said->n_threads++;
	}
}

static void note_calls(struct said *said, struct baton_reader *reader,
					   const struct baton_block_header *header)
{
	int64_t *columns[BATON_MAX_COLUMNS], *room = calloc(BATON_MAX_COLUMNS, header->rows * 8ull + 8);
	uint32_t present;
	for (int c = 0; c < BATON_MAX_COLUMNS; c++)
		columns[c] = room + (size_t)c * header->rows;
	if (baton_columns_decode(baton_table(BATON_CALL), header, reader->raw, columns, &present) == 0)
		for (uint32_t i = 0; i < header->rows; i++) {
			said->calls[columns[CALL_THREAD][i] % IDS]++;
			said->unnamed += !said->strings[columns[CALL_NAME][i] % IDS][0];
		}
	free(room);
}

static void read_file(struct said *said, const char *name)
{
	struct baton_reader reader;
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	memset(said, 0, sizeof(*said));
	if (baton_reader_open(&reader, AT_FDCWD, path) != 0)
		return;
	said->whole = reader.closed;
	for (size_t i = 0; i < reader.n_entries; i++) {
		struct baton_block_header header;
		enum baton_damage damage;
		uint32_t kind = reader.entries[i].kind;
		if (kind != BATON_RECORDS && kind != BATON_CALL)
			continue;
		said->whole &=
			baton_reader_load(&reader, reader.entries[i].offset, &header, &damage) == 0 &&
			damage == BATON_INTACT;
		if (kind == BATON_RECORDS)
			note_records(said, reader.raw, header.raw_bytes);
		else
			note_calls(said, &reader, &header);
	}
	baton_reader_close(&reader);
}

/* Reads every trace file into `said` in turn, removes it; returns how many there were. */
static int each_file(struct said *said, void (*look)(const struct said *))
{
	DIR *dir = opendir(directory);
	int n = 0;
	for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		n++;
		read_file(said, e->d_name);
		look(said);
		unlinkat(dirfd(dir), e->d_name, 0);
	}
	closedir(dir);
	return n;
}

static struct said said;

/* ---- the cases: each in a process of its own, which records and ends ---- */

static int in_process(void (*what)(void))
{
	int status = -1;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		session_configure();
		what();
		exit(0); /* with the handlers: the recording ends */
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void many_threads(void)
{
	pthread_t threads[THREADS];
	void *result;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, put_many, NULL);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		if (result)
			_exit(9);
	}
}

static void look_at_many(const struct said *s)
{
	uint64_t lost = 0;
	int threads = 0;
	CHECK(s->whole, "the file is not whole");
	for (int i = 0; i < IDS; i++) {
		lost += s->lost[i];
		threads += s->calls[i] + s->lost[i] > 0;
		CHECK(s->calls[i] + s->lost[i] == 0 || s->calls[i] + s->lost[i] == PUTS,
			  "thread %d: %" PRIu64 " recorded + %" PRIu64 " dropped", i, s->calls[i], s->lost[i]);
	}
	CHECK(threads == THREADS, "%d threads", threads);
	CHECK(lost > 0, "rings of 256 slots did not overflow");
	CHECK(s->others == 0, "%" PRIu64 " dropped that are no launches: none were made", s->others);
	CHECK(s->in_flight == 0, "%" PRIu64 " in flight without CUPTI", s->in_flight);
}

/* More threads at a time than there are rings: those without one are counted. */
enum { CROWD = 600, CROWD_PUTS = 50 };

static pthread_barrier_t together;

static void *put_in_a_crowd(void *unused)
{
	pthread_barrier_wait(&together);
	for (uint32_t i = 1; i <= CROWD_PUTS; i++)
		put(i);
	pthread_barrier_wait(&together);
	return unused;
}

static void crowd(void)
{
	static pthread_t threads[CROWD];
	pthread_barrier_init(&together, NULL, CROWD);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&threads[i], NULL, put_in_a_crowd, NULL) != 0)
			_exit(8);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
}

static void look_at_crowd(const struct said *s)
{
	uint64_t all = s->unheard;
	for (int i = 0; i < IDS; i++)
		all += s->calls[i] + s->lost[i];
	CHECK(s->whole && s->unheard > 0, "%" PRIu64 " without a ring", s->unheard);
	CHECK(all == (uint64_t)CROWD * CROWD_PUTS, "%" PRIu64 " of %d", all, CROWD * CROWD_PUTS);
}

/* More rows in one round of the writer than a block holds. */
enum { AT_ONCE = 24000 };

static void at_once(void)
{
	for (uint32_t i = 1; i <= AT_ONCE; i++)
		put(i);
}

static void look_at_block_order(const struct said *s)
{
	uint64_t calls = 0;
	for (int i = 0; i < IDS; i++)
		calls += s->calls[i] + s->lost[i];
	CHECK(s->whole && calls == AT_ONCE, "%" PRIu64 " calls", calls);
	CHECK(s->unnamed == 0, "%" PRIu64 " calls come before their name", s->unnamed);
}

/* A thread stands in the middle of a name for longer than the writer waits to write. */
static void in_the_middle_of_a_name(void)
{
	put(1);
	struct baton_r_string *row = dict_reserve(sizeof(*row) + 4);
	struct baton_lane *lane = lane_here();
	lane_put(lane, (struct baton_slot){.begin = clock_ticks(),
									   .end = clock_ticks(),
									   .name = dict_string("later", 5),
									   .type = BATON_SLOT_CALL});
	uint64_t head = atomic_load(&lane->head);
	for (int ms = 0; atomic_load(&lane->tail) < head && ms < LATE_MS; ms++)
		usleep(1000);
	if (atomic_load(&lane->tail) < head)
		_exit(5);
	row->id = dict_id();
	row->bytes = 4;
	memcpy(row + 1, "name", 4);
	dict_publish(row, BATON_R_STRING, sizeof(*row) + 4);
}

static void look_at_the_middle(const struct said *s)
{
	uint64_t calls = 0;
	bool there = false;
	for (int i = 0; i < IDS; i++) {
		calls += s->calls[i];
		there |= strcmp(s->strings[i], "name") == 0;
	}
	CHECK(s->whole && calls == 2 && there, "%" PRIu64 " calls", calls);
	CHECK(s->unnamed == 0, "%" PRIu64 " calls come before their name", s->unnamed);
}

static void fork_once(void)
{
	put(1);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	usleep(300000); /* their allocators must be idle when it forks (kill_test.c) */
#endif
	pid_t pid = fork();
	if (pid == 0) {
		for (uint32_t i = 0; i < 5; i++)
			put(i + 1);
		exit(0);
	}
	put(2);
	waitpid(pid, NULL, 0);
}

static uint64_t seen_calls[2];

static void look_at_fork(const struct said *s)
{
	uint64_t calls = 0;
	for (int i = 0; i < IDS; i++)
		calls += s->calls[i];
	CHECK(s->whole, "the file is not whole");
	seen_calls[seen_calls[0] != 0] = calls;
}

static void descriptors(void)
{
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(before);
	put(1);
	int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (after != before)
		_exit(1);
	for (int fd = 3; fd < 70000; fd++) /* as daemons do; ours is among them */
		close(fd);
	int file = open("own", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (uint32_t i = 0; i < 100; i++)
		put(i + 2);
	usleep(1200000); /* the writer has written since */
	if (lseek(file, 0, SEEK_END) != 0)
		_exit(2);
}

static void look_at_descriptors(const struct said *s)
{
	uint64_t calls = 0;
	for (int i = 0; i < IDS; i++)
		calls += s->calls[i];
	CHECK(s->whole && calls == 101, "%" PRIu64 " calls", calls);
}

/* Stacks take what they may have: first all that is granted at once, then all in all. A new thread
 * gets its lane both times, and the writer is called for more. */
enum { STACK_BYTES = 4096, KEPT = 60 << 10 };

static bool put_stack(void)
{
	struct baton_r_stack *stack = dict_reserve_stack(STACK_BYTES);
	if (!stack)
		return false;
	memset(&stack->head + 1, 0, STACK_BYTES - sizeof(stack->head));
	stack->id = dict_id();
	dict_publish(stack, BATON_R_STACK, STACK_BYTES);
	return true;
}

static void *put_once(void *unused)
{
	put(1);
	return unused;
}

static void thread_puts(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, put_once, NULL);
	pthread_join(thread, NULL);
}

static void fill_with_stacks(void)
{
	int late = 0;
	put(1);
	while (put_stack())
		;
	if (atomic_load(&live->dictionary_granted) - atomic_load(&live->dictionary_reserved) < KEPT)
		_exit(4);
	thread_puts();
	while (!dict_stacks_full() && late < LATE_MS)
		if (!put_stack()) {
			usleep(1000);
			late++;
		}
	uint64_t taken = atomic_load(&live->dictionary_reserved), most = live->dictionary_bytes / 4 * 3;
	thread_puts();
	if (late == LATE_MS || taken > most + (16 << 10) || taken + (16 << 10) < most)
		_exit(3);
}

static void look_at_filled(const struct said *s)
{
	uint64_t calls = 0;
	for (int i = 0; i < IDS; i++)
		calls += s->calls[i];
	CHECK(s->whole && calls == 3 && s->unheard == 0,
		  "%" PRIu64 " calls, %" PRIu64 " without a ring", calls, s->unheard);
	CHECK(s->names_lost > 0, "what found no room is not told");
}

static void nothing(void)
{
}

static void ignore(const struct said *s)
{
	(void)s;
}

int main(void)
{
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 1;
	setenv("BATON_OUT", directory, 1);
	setenv("BATON_RING_SLOTS", "256", 1);
	CHECK(in_process(many_threads) == 0, "errno did not survive");
	CHECK(each_file(&said, look_at_many) == 1, "not one file");

	CHECK(in_process(crowd) == 0, "the crowd");
	CHECK(each_file(&said, look_at_crowd) == 1, "not one file");

	setenv("BATON_RING_SLOTS", "65536", 1);
	CHECK(in_process(at_once) == 0, "more than a block at once");
	CHECK(each_file(&said, look_at_block_order) == 1, "not one file");
	setenv("BATON_RING_SLOTS", "256", 1);

	CHECK(in_process(in_the_middle_of_a_name) == 0, "the writer waited for a name");
	CHECK(each_file(&said, look_at_the_middle) == 1, "not one file");

	CHECK(in_process(fork_once) == 0, "fork");
	CHECK(each_file(&said, look_at_fork) == 2, "not a file per process");
	CHECK(seen_calls[0] + seen_calls[1] == 7 && (seen_calls[0] == 2 || seen_calls[0] == 5),
		  "%" PRIu64 " and %" PRIu64 " calls", seen_calls[0], seen_calls[1]);

	int status = in_process(descriptors);
	CHECK(status == 0, "descriptors: %d", status);
	unlink("own");
	CHECK(each_file(&said, look_at_descriptors) == 1, "not one file");

	status = in_process(fill_with_stacks);
	CHECK(status == 0, "a dictionary full of stacks: %d", status);
	CHECK(each_file(&said, look_at_filled) == 1, "not one file");

	CHECK(in_process(nothing) == 0 && each_file(&said, ignore) == 0, "a file without a CUDA call");
	setenv("BATON_OUT", "/proc/self", 1);
	CHECK(in_process(many_threads) == 0, "an unwritable directory harmed the job");
	rmdir(directory);
	return finish();
}
