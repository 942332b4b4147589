/* The readers of files for libFuzzer; tests/hard/12_fuzz.py builds and runs it.
 *
 *   FUZZ_TARGET   trace, live, summary, kineto, nsys, nvprof, timeline, rules or message
 *   FUZZ_WORK     a directory of one's own; for live files it holds trace.baton and seed.live, and
 *                 an input is a list of words that are put into the seed; for messages it holds the
 *                 directory run, and an input is the number of a message and what it is instead
 *   FUZZ_SEEDS    of messages: where those that are sent are written as inputs
 *
 * Blocks of traces and summaries get true checksums, so that what the fuzzer changes is met behind
 * them. */
#include "fuzz_team.h"

#include "classify/user_rules.h"
#include "import/importer.h"
#include "import/kineto/kineto_facts.h"
#include "read/drain_live.h"
#include "read/dump.h"
#include "reduce_options.h"
#include "summary/summary_io.h"
#include "timeline/op_input.h"
#include "timeline/op_rows.h"

#include <baton/format.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { LIVE_MOST = 1 << 20, TRACE_MOST = 64 << 10 };

static char input[4096], out_dir[4096], trace[4096];
static uint8_t live_seed[LIVE_MOST], trace_seed[TRACE_MOST];
static size_t live_bytes, trace_bytes;
static FILE *nothing;

static void seal_header(uint8_t *at)
{
	uint64_t hash = XXH3_64bits(at, offsetof(struct baton_block_header, header_hash));
	memcpy(at + offsetof(struct baton_block_header, header_hash), &hash, sizeof(hash));
}

static void seal(uint8_t *data, size_t bytes)
{
	struct baton_block_header block;
	size_t at = sizeof(struct baton_file_header);
	if (bytes < at)
		return;
	seal_header(data);
	while (at + sizeof(block) <= bytes) {
		memcpy(&block, data + at, sizeof(block));
		size_t after = at + sizeof(block) + block.stored_bytes;
		if (after > bytes)
			break;
		uint64_t hash = XXH3_64bits(data + at + sizeof(block), block.stored_bytes);
		memcpy(data + at + offsetof(struct baton_block_header, payload_hash), &hash, sizeof(hash));
		seal_header(data + at);
		at = (after + 7) & ~(size_t)7;
	}
}

static void write_file(const char *path, const void *data, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || close(fd) != 0)
		abort();
}

static void empty_out_dir(void)
{
	DIR *dir = opendir(out_dir);
	for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
}

static void import(const struct importer *importer)
{
	struct import_run run = {.out_dir = out_dir, .run_id = "fuzz", .force_rank = -1};
	unsigned char head[4096];
	const int fd = open(input, O_RDONLY | O_CLOEXEC);
	const ssize_t n = read(fd, head, sizeof(head));
	close(fd);
	importer->recognise(head, n > 0 ? (size_t)n : 0);
	importer->import_file(input, &run);
	free(run.taken);
	empty_out_dir();
}

static void read_timeline(void)
{
	struct op_rows rows = {0};
	struct op_input file;
	if (op_input_open(input, &file) != 0)
		return;
	if (file.head_bytes && (file.head[0] == '{' || file.head[0] == '['))
		json_ops_read(&file, &rows);
	else
		csv_ops_read(&file, &rows);
	op_input_close(&file);
	op_rows_free(&rows);
}

static void read_rules(void)
{
	static const struct user_name names[] = {{USER_KERNELS, "gemm_128x64", 11},
											 {USER_CALLS, "cudaMemcpyAsync", 15},
											 {USER_RANGES, "data", 4},
											 {USER_FRAMES, "train.py:12", 11}};
	struct user_rules rules = {0};
	char message[256];
	if (user_rules_read(&rules, input, message, sizeof(message)) == 0)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			user_rules_find(&rules, &names[i]);
	user_rules_free(&rules);
}

static void read_summary(void)
{
	struct reduce_options options = {.store = true};
	struct summary summary;
	char text[512];
	reduce_options_text(&options, text, sizeof(text));
	if (summary_load_alone(input, text, &summary) == 0)
		summary_free(&summary);
	char stored[4200]; /* and as that of a directory, whose files it is compared with */
	snprintf(stored, sizeof(stored), "%s/summary.baton", out_dir);
	if (link(input, stored) == 0 && summary_load(out_dir, text, &summary) == 0)
		summary_free(&summary);
	unlink(stored);
}

static void read_trace(void)
{
	struct dump_result result;
	dump_file(input, true, nothing, &result);
}

/* The name of a profile tells its rank and host too: the input is also taken for one. */
static void read_name(void)
{
	struct kineto_facts facts = {0};
	char name[300] = "";
	const int fd = open(input, O_RDONLY | O_CLOEXEC);
	if (read(fd, name, sizeof(name) - 1) > 0)
		kineto_facts_from_name(&facts, name);
	close(fd);
}

static void import_kineto(void)
{
	read_name();
	import(&importer_kineto);
}

static void import_nsys(void)
{
	import(&importer_nsys);
}

static void import_nvprof(void)
{
	import(&importer_nvprof);
}

/* The words of `data`, twelve bytes each: where in the seed, and what to put there. */
static void drain(const uint8_t *data, size_t bytes)
{
	static uint8_t image[LIVE_MOST];
	memcpy(image, live_seed, live_bytes);
	for (; bytes >= 12; data += 12, bytes -= 12) {
		uint32_t at;
		memcpy(&at, data, sizeof(at));
		memcpy(image + (at % (live_bytes - 8) & ~7u), data + 4, 8);
	}
	write_file(trace, trace_seed, trace_bytes);
	write_file(input, image, live_bytes);
	int fd = open(input, O_RDONLY | O_CLOEXEC);
	struct drained drained;
	drain_live_file(fd, trace, &drained);
	close(fd);
}

static void take_message(const uint8_t *data, size_t bytes)
{
	team_fuzz(data, bytes, seal);
}

static const struct target {
	const char *name;
	bool sealed;
	void (*read)(void);                              /* `input`; NULL: `take` */
	void (*take)(const uint8_t *data, size_t bytes); /* no file as it is */
} targets[] =
	{
		{"trace", true, read_trace, NULL},      {"summary", true, read_summary, NULL},
		{"kineto", false, import_kineto, NULL}, {"nsys", false, import_nsys, NULL},
		{"nvprof", false, import_nvprof, NULL}, {"timeline", false, read_timeline, NULL},
		{"rules", false, read_rules, NULL},     {"live", false, NULL, drain},
		{"message", true, NULL, take_message},
},
  *target;

static size_t read_seed(const char *dir, const char *name, uint8_t *data, size_t most)
{
	char path[4200];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *file = fopen(path, "rbe");
	size_t bytes = file ? fread(data, 1, most, file) : 0;
	if (bytes == 0 || bytes == most || fclose(file) != 0)
		abort();
	return bytes;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	const char *name = getenv("FUZZ_TARGET"), *work = getenv("FUZZ_WORK");
	for (size_t i = 0; name && i < sizeof(targets) / sizeof(targets[0]); i++)
		if (strcmp(targets[i].name, name) == 0)
			target = &targets[i];
	nothing = fopen("/dev/null", "we");
	if (!target || !work || !nothing)
		abort();
	snprintf(input, sizeof(input), "%s/input", work);
	snprintf(trace, sizeof(trace), "%s/drained.baton", work);
	snprintf(out_dir, sizeof(out_dir), "%s/out", work);
	if (mkdir(out_dir, 0700) != 0 && errno != EEXIST)
		abort();
	if (target->take == drain) {
		live_bytes = read_seed(work, "seed.live", live_seed, sizeof(live_seed));
		trace_bytes = read_seed(work, "trace.baton", trace_seed, sizeof(trace_seed));
	}
	if (target->take == take_message) {
		char run[4200];
		snprintf(run, sizeof(run), "%s/run", work);
		team_learn(run, getenv("FUZZ_SEEDS"));
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (target->take) {
		target->take(data, bytes);
		return 0;
	}
	uint8_t *copy = malloc(bytes + 1);
	memcpy(copy, data, bytes);
	if (target->sealed)
		seal(copy, bytes);
	write_file(input, copy, bytes);
	free(copy);
	target->read();
	return 0;
}
