/* Writes a trace and the live file of a process that was killed, for tests of the salvage.
 *
 *   live_seed DIR [FIELD=VALUE...]    prints the path of the live file
 *
 * The process is none: number 4194304 is above what a kernel gives. FIELD is one of those below;
 * slots, offset, head, type, aux and begin are of the first lane and of its first slot. With
 * checkpoint=N the trace says that N slots of this lane are in it, and has kernels after that. */
#include <baton/live.h>
#include <baton/writer.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 1024, USED = 300, NAMES = 64 };

static struct image {
	_Alignas(64) struct baton_live live;
	_Alignas(64) struct baton_lane lanes[BATON_LIVE_LANES];
	_Alignas(64) uint8_t names[NAMES];
	_Alignas(64) struct baton_slot slots[SLOTS];
} image;

static char trace[900], name[900];

static void put_string(struct baton_writer *w, uint32_t id, const char *text)
{
	struct baton_r_string row = {.id = id, .bytes = (uint32_t)strlen(text)};
	baton_writer_record(w, BATON_R_STRING, &row, sizeof(row), text, row.bytes);
}

/* What a recorder had written: a device, a stream, 200 kernels, no calls yet. */
static int write_trace(const char *path, uint64_t taken)
{
	struct baton_writer w;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || baton_writer_open(&w, fd, BATON_TRACE, 1) != 0)
		return -1;
	put_string(&w, 1, "cudaLaunchKernel");
	put_string(&w, 2, "gemm");
	put_string(&w, 3, "node");
	put_string(&w, 4, "baton");
	struct baton_r_process process = {
		.pid = 1 << 22, .start_time = 7, .rank = 0, .world_size = 1, .host = 3, .source = 4};
	struct baton_r_thread thread = {.id = 1, .name = 3, .pid = 1 << 22, .tid = 1 << 22};
	struct baton_r_device device = {.id = 1, .name = 2};
	struct baton_r_stream stream = {.id = 1, .device = 1, .context = 1, .stream = 7};
	baton_writer_record(&w, BATON_R_PROCESS, &process, sizeof(process), NULL, 0);
	baton_writer_record(&w, BATON_R_THREAD, &thread, sizeof(thread), NULL, 0);
	baton_writer_record(&w, BATON_R_DEVICE, &device, sizeof(device), NULL, 0);
	baton_writer_record(&w, BATON_R_STREAM, &stream, sizeof(stream), NULL, 0);
	for (int i = 0; i < 200; i++) {
		if (i == 100 && taken) {
			struct baton_r_checkpoint point = {.lanes = 1, .launches = taken, .kernels = 100};
			const uint64_t lane[3] = {taken, 0, 0};
			baton_writer_flush_table(&w, baton_table(BATON_OP));
			baton_writer_record(&w, BATON_R_CHECKPOINT, &point, sizeof(point), lane, sizeof(lane));
			baton_writer_flush_records(&w);
		}
		int64_t row[BATON_MAX_COLUMNS] = {[OP_START] = 5000 + 20000 * i, [OP_DUR] = 12000,
										  [OP_KIND] = BATON_KERNEL,      [OP_STREAM] = 1,
										  [OP_CORRELATION] = i + 1,      [OP_NAME] = 2};
		baton_writer_row(&w, BATON_OP, row, (1u << (OP_NAME + 1)) - 1);
	}
	baton_writer_flush_table(&w, baton_table(BATON_OP));
	baton_writer_free(&w); /* no end block: it was killed */
	return 0;
}

static void fill(const char *directory)
{
	struct baton_live *l = &image.live;
	struct baton_r_string text = {
		.head = {BATON_R_STRING, 0, sizeof(text) + 8}, .id = 9, .bytes = 8};
	snprintf(name, sizeof(name), "baton-%u-0badc0de.%u.7.0.live", getuid(), 1u << 22);
	snprintf(trace, sizeof(trace), "%s/0badc0de.%u.7.0.baton", directory, 1u << 22);
	memcpy(l->magic, BATON_LIVE_MAGIC, sizeof(l->magic));
	memcpy(l->boot_id, "\x0b\xad\xc0\xde", 4);
	l->layout = BATON_LIVE_LAYOUT;
	l->header_bytes = sizeof(*l);
	l->file_bytes = sizeof(image);
	l->pid = 1 << 22;
	l->start_time = 7;
	l->uid = getuid();
	l->clock[0].mult = 1ull << 32;
	l->lanes_offset = offsetof(struct image, lanes);
	l->dictionary_offset = offsetof(struct image, names);
	l->dictionary_bytes = NAMES;
	l->dictionary_reserved = sizeof(text) + 8;
	memcpy(image.names, &text, sizeof(text));
	memcpy(image.names + sizeof(text), "the name", 8);
	image.lanes[0].offset = offsetof(struct image, slots);
	image.lanes[0].slots = SLOTS;
	image.lanes[0].thread = 1;
	image.lanes[0].head = USED;
	for (uint32_t i = 0; i < USED; i++)
		image.slots[i] = (struct baton_slot){.begin = 20000ull * i,
											 .end = 20000ull * i + 4000,
											 .name = i % 3 ? 1 : 9,
											 .type = BATON_SLOT_CALL,
											 .flags = BATON_SLOT_MAKES_OP,
											 .correlation = i + 1};
}

#define FIELD(of, field)                                                            \
	if (strncmp(text, #field "=", sizeof(#field)) == 0) {                           \
		(of).field = (__typeof__((of).field))strtoull(text + sizeof(#field), 0, 0); \
		return 0;                                                                   \
	}
#define TEXT(field)                                     \
	if (strncmp(text, #field "=", sizeof(#field)) == 0) \
		return snprintf(field, sizeof(field), "%s", text + sizeof(#field)) < 0;

static int set(const char *text)
{
	FIELD(image.live, layout)
	FIELD(image.live, file_bytes)
	FIELD(image.live, pid)
	FIELD(image.live, host_tick_ns)
	FIELD(image.live, losses_told)
	FIELD(image.live, gpu_recorded)
	FIELD(image.live, gpu_lost)
	FIELD(image.live, unheard_launches)
	FIELD(image.live, dropped_strings)
	FIELD(image.live, lanes_offset)
	FIELD(image.live, dictionary_offset)
	FIELD(image.live, dictionary_bytes)
	FIELD(image.live, dictionary_reserved)
	FIELD(image.live.clock[0], mult)
	FIELD(image.lanes[0], slots)
	FIELD(image.lanes[0], offset)
	FIELD(image.lanes[0], head)
	FIELD(image.slots[0], type)
	FIELD(image.slots[0], aux)
	FIELD(image.slots[0], begin)
	TEXT(trace)
	TEXT(name)
	fprintf(stderr, "live_seed: no field of '%s'\n", text);
	return 1;
}

int main(int argc, char **argv)
{
	char path[2048];
	if (argc < 2)
		return 2;
	fill(argv[1]);
	const bool after = argc > 2 && strncmp(argv[2], "checkpoint=", 11) == 0;
	if (write_trace(trace, after ? strtoull(argv[2] + 11, 0, 0) : 0) != 0)
		return 1;
	for (int i = 2 + after; i < argc; i++)
		if (set(argv[i]) != 0)
			return 2;
	snprintf(image.live.trace, sizeof(image.live.trace), "%s", trace);
	snprintf(path, sizeof(path), "%s/%s", argv[1], name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, &image, sizeof(image)) != sizeof(image) || close(fd) != 0)
		return 1;
	puts(path);
	return 0;
}
