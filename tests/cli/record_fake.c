/* Stands in for libbaton.so in tests of `baton record`: preloaded, it leaves what a recorded
 * process leaves. FAKE=LAUNCHES,OTHERS,DROPPED says what, FAKE_END how:
 *   (not set)  a trace, written when the process exits
 *   live       at once a trace without rows and a live file that holds the rows, as before a kill
 *   closed     the same, but the live file says that its trace has everything
 * Where the live file goes: FAKE_PLACE. FAKE_MARK: a file that is made when it is loaded. */
#include <baton/live.h>
#include <baton/writer.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int launches, others, dropped;
static unsigned long long start_time;

static void read_start_time(void)
{
	char text[1024] = "";
	FILE *file = fopen("/proc/self/stat", "re");
	if (file && fgets(text, sizeof(text), file) && strrchr(text, ')'))
		sscanf(strrchr(text, ')') + 1,
			   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			   &start_time);
	if (file)
		fclose(file);
}

static void put_string(struct baton_writer *w, uint32_t id, const char *text)
{
	struct baton_r_string row = {.id = id, .bytes = (uint32_t)strlen(text)};
	baton_writer_record(w, BATON_R_STRING, &row, sizeof(row), text, row.bytes);
}

/* BOOT8 is not the machine's. */
static int open_trace(struct baton_writer *w, char path[1024])
{
	snprintf(path, 1024, "%s/0badc0de.%d.%llu.0.baton", getenv("BATON_OUT"), (int)getpid(),
			 start_time);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || baton_writer_open(w, fd, BATON_TRACE, 1) != 0)
		return -1;
	put_string(w, 1, "cudaLaunchKernel");
	put_string(w, 2, "cudaMalloc");
	put_string(w, 3, getenv("BATON_RUN_ID") ? getenv("BATON_RUN_ID") : "");
	put_string(w, 4, "cudaLaunchHostFunc");
	put_string(w, 5, "launches of thread 1");
	put_string(w, 6, "names and stacks");
	struct baton_r_process process = {
		.pid = getpid(), .start_time = start_time, .rank = -1, .world_size = -1, .run_id = 3};
	baton_writer_record(w, BATON_R_PROCESS, &process, sizeof(process), NULL, 0);
	return 0;
}

static void write_trace(void)
{
	struct baton_writer w;
	char path[1024];
	if (open_trace(&w, path) != 0)
		return;
	for (int i = 0; i < launches + others; i++) {
		int64_t row[BATON_MAX_COLUMNS] = {[CALL_START] = 10 * i,
										  [CALL_DUR] = 5,
										  [CALL_THREAD] = 1,
										  [CALL_NAME] = i < launches ? 1 : i % 2 ? 2 : 4,
										  [CALL_CORRELATION] = i + 1};
		baton_writer_row(&w, BATON_CALL, row, (1u << CALL_STACK) - 1);
	}
	struct baton_r_loss loss = {.kind = BATON_LOSS_DROPPED, .what = 5, .count = (uint64_t)dropped};
	if (dropped)
		baton_writer_record(&w, BATON_R_LOSS, &loss, sizeof(loss), NULL, 0);
	loss.what = 6; /* no launches */
	loss.count = (uint64_t)dropped * 100;
	if (dropped)
		baton_writer_record(&w, BATON_R_LOSS, &loss, sizeof(loss), NULL, 0);
	loss.kind = BATON_LOSS_IN_FLIGHT; /* no loss of ours */
	baton_writer_record(&w, BATON_R_LOSS, &loss, sizeof(loss), NULL, 0);
	baton_writer_close(&w);
}

struct image {
	_Alignas(64) struct baton_live live;
	_Alignas(64) struct baton_lane lanes[BATON_LIVE_LANES];
	_Alignas(64) struct baton_slot slots[4096];
};

static void write_live(int closed)
{
	static struct image image;
	struct baton_writer w;
	char path[1024], draft[1040];
	struct baton_live *l = &image.live;
	if (open_trace(&w, l->trace) != 0)
		return;
	baton_writer_flush_records(&w);
	close(w.fd);
	memcpy(l->magic, BATON_LIVE_MAGIC, sizeof(l->magic));
	l->layout = BATON_LIVE_LAYOUT;
	l->header_bytes = sizeof(*l);
	l->file_bytes = sizeof(image);
	l->pid = (uint64_t)getpid();
	l->start_time = start_time;
	l->uid = getuid();
	memcpy(l->boot_id, "\x0b\xad\xc0\xde", 4);
	l->clock[0].mult = 1ull << 32;
	l->lanes_offset = offsetof(struct image, lanes);
	l->dictionary_offset = offsetof(struct image, slots);
	l->closed = (uint32_t)closed;
	image.lanes[0].offset = offsetof(struct image, slots);
	image.lanes[0].slots = 4096;
	image.lanes[0].thread = 1;
	image.lanes[0].dropped_launches = (uint64_t)dropped;
	image.lanes[0].head = (uint64_t)(launches + others);
	for (int i = 0; i < launches + others && i < 4096; i++)
		image.slots[i] = (struct baton_slot){.begin = 10 * (uint64_t)i,
											 .end = 10 * (uint64_t)i + 5,
											 .name = i < launches ? 1 : 2,
											 .type = BATON_SLOT_CALL,
											 .flags = i < launches ? BATON_SLOT_MAKES_OP : 0};
	snprintf(path, sizeof(path), "%s/baton-%u-0badc0de.%d.%llu.0.live", getenv("FAKE_PLACE"),
			 getuid(), (int)getpid(), start_time);
	snprintf(draft, sizeof(draft), "%s.draft", path);
	int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, &image, sizeof(image)) != sizeof(image) || rename(draft, path) != 0)
		unlink(draft); /* whole, or not there */
	close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	const char *how = getenv("FAKE_END"), *what = getenv("FAKE"), *mark = getenv("FAKE_MARK");
	if (mark)
		close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	if (!getenv("BATON_OUT") || !what || sscanf(what, "%d,%d,%d", &launches, &others, &dropped) != 3)
		return;
	unsetenv("FAKE"); /* the programs that this one starts leave nothing */
	read_start_time();
	if (how)
		write_live(strcmp(how, "closed") == 0);
	else
		atexit(write_trace);
}
