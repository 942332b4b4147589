#include "import/trace_out.h"

#include "base/strings.h"
#include "import/gpu_clock.h"
#include "import/plausible.h"
#include "import/trace_shift.h"

#include <baton/writer.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum {
	STRING_BYTES = 32 << 10,  /* a longer one is cut */
	STRINGS_BYTES = 64 << 20, /* of all strings of a file; more are not told apart */
	STRINGS_COUNT = 1 << 20,
	KEYS_COUNT = 1 << 18, /* threads, streams, ... of a file */
	NAME_BYTES = 96
};

struct trace_out {
	int dirfd;
	char partial[64];
	struct baton_writer writer;
	struct plausible gate;
	struct strings texts;
	struct strings
		keys[BATON_R_INPUTS + 1]; /* by record type: the bytes that make an entry unique */
	size_t text_bytes;
	uint64_t lost_texts;
	uint64_t lost_keys;
	uint64_t rows[BATON_TABLES];
	uint32_t required[BATON_TABLES];
	int64_t t_min_ns;
	int64_t t_max_ns;
	int64_t shift_ns;
	struct gpu_clock clock;
	int error; /* the first one that is not the writer's */
};

static void fail(struct trace_out *out, int error)
{
	if (!out->error)
		out->error = error;
}

static void watch_clock(struct trace_out *out, const struct plausible_row *row)
{
	const int64_t *c = row->columns;
	int error = 0;
	if (row->kind == BATON_CALL)
		error = gpu_clock_call(&out->clock, (uint64_t)c[CALL_CORRELATION], c[ROW_START]);
	else if (row->kind == BATON_OP)
		error = gpu_clock_op(&out->clock, (uint64_t)c[OP_CORRELATION], c[ROW_START]);
	if (error)
		fail(out, error);
}

static void accept_row(void *context, const struct plausible_row *row)
{
	struct trace_out *out = context;
	unsigned t = row->kind - BATON_OP;
	int64_t start = row->columns[ROW_START], end = start + row->columns[ROW_DUR];
	bool first = out->t_min_ns > out->t_max_ns;
	out->t_min_ns = first || start < out->t_min_ns ? start : out->t_min_ns;
	out->t_max_ns = first || end > out->t_max_ns ? end : out->t_max_ns;
	out->rows[t]++;
	watch_clock(out, row);
	baton_writer_row(&out->writer, (enum baton_kind)row->kind, row->columns,
					 row->present | out->required[t]);
}

/* A new file of ours in the directory: nobody else's is ever opened or followed. */
static int open_partial(int dirfd, char name[64])
{
	static unsigned counter;
	int fd = -1;
	do {
		snprintf(name, 64, ".%ld.%u.partial", (long)getpid(), counter++);
		fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EEXIST && counter < 100000);
	return fd < 0 ? -errno : fd;
}

static void trace_out_free(struct trace_out *out)
{
	baton_writer_free(&out->writer);
	plausible_free(&out->gate);
	gpu_clock_free(&out->clock);
	strings_free(&out->texts);
	for (size_t i = 0; i < sizeof(out->keys) / sizeof(out->keys[0]); i++)
		strings_free(&out->keys[i]);
	if (out->dirfd >= 0)
		close(out->dirfd);
	free(out);
}

static int init_dictionaries(struct trace_out *out)
{
	int error = strings_init(&out->texts);
	for (unsigned type = BATON_R_THREAD; type <= BATON_R_INPUTS && !error; type++)
		error = strings_init(&out->keys[type]);
	for (size_t t = 0; t < BATON_TABLES; t++)
		for (unsigned c = 0; c < BATON_MAX_COLUMNS; c++)
			out->required[t] |= (uint32_t)baton_tables[t].columns[c].required << c;
	return error ? error : plausible_init(&out->gate, accept_row, out);
}

int trace_out_open(const char *dir, bool alone, struct trace_out **result)
{
	struct trace_out *out = calloc(1, sizeof(*out));
	if (!out)
		return -ENOMEM;
	out->writer.fd = -1;
	out->t_min_ns = 1; /* above t_max_ns: no rows yet */
	out->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = out->dirfd < 0 ? -errno : init_dictionaries(out);
	if (error)
		goto free_out;
	int fd = open_partial(out->dirfd, out->partial);
	error = fd < 0 ? fd : 0;
	if (error)
		goto free_out;
	const uint64_t id = XXH3_64bits(out->partial, strlen(out->partial));
	error = alone ? baton_writer_open_long(&out->writer, fd, id)
				  : baton_writer_open(&out->writer, fd, BATON_TRACE, id);
	if (error)
		goto remove_file;
	out->writer.level = BATON_IMPORT_LEVEL;
	*result = out;
	return 0;
remove_file:
	unlinkat(out->dirfd, out->partial, 0);
free_out:
	trace_out_free(out);
	return error;
}

void trace_out_limit(struct trace_out *out, uint32_t rows)
{
	baton_writer_limit(&out->writer, rows); /* an error stays in the writer */
}

static void put_record(struct trace_out *out, uint16_t type, void *record, size_t bytes)
{
	int error = baton_writer_record(&out->writer, type, record, bytes, NULL, 0);
	if (error)
		fail(out, error);
}

static uint32_t put_string(struct trace_out *out, const char *at, size_t bytes)
{
	if (bytes == 0 || trace_out_error(out))
		return 0;
	bytes = bytes > STRING_BYTES ? STRING_BYTES : bytes;
	struct baton_r_string record = {.bytes = (uint32_t)bytes};
	int is_new, error = strings_add(&out->texts, at, bytes, &record.id, &is_new);
	if (!error && is_new) {
		out->text_bytes += bytes;
		error =
			baton_writer_record(&out->writer, BATON_R_STRING, &record, sizeof(record), at, bytes);
	}
	if (error)
		fail(out, error);
	return error ? 0 : record.id;
}

uint32_t trace_out_string(struct trace_out *out, const char *at, size_t bytes)
{
	static const char others[] = "(one of too many names)";
	if (out->text_bytes < STRINGS_BYTES && out->texts.n < STRINGS_COUNT)
		return put_string(out, at, bytes);
	out->lost_texts += bytes > 0;
	return put_string(out, others, bytes > 0 ? sizeof(others) - 1 : 0);
}

/* For what the file says about itself: no limit. */
static uint32_t own_text(struct trace_out *out, const char *text)
{
	return text ? put_string(out, text, strlen(text)) : 0;
}

uint32_t trace_out_text(struct trace_out *out, const char *text)
{
	return text ? trace_out_string(out, text, strlen(text)) : 0;
}

/* The id of an entry made unique by `key`; *is_new: the caller writes its record. */
static uint32_t intern(struct trace_out *out, unsigned type, const void *key, size_t bytes,
					   int *is_new)
{
	uint32_t id = 0;
	struct strings *pool = &out->keys[type];
	*is_new = 0;
	if (trace_out_error(out))
		return 0;
	if (pool->n >= KEYS_COUNT) { /* hostile input only: the entry becomes "none" */
		out->lost_keys++;
		return 0;
	}
	int error = strings_add(pool, key, bytes, &id, is_new);
	if (error)
		fail(out, error);
	return error ? 0 : id;
}

uint32_t trace_out_thread(struct trace_out *out, int64_t pid, int64_t tid, uint32_t name)
{
	int64_t key[2] = {pid, tid};
	int is_new;
	struct baton_r_thread record = {.name = name, .pid = pid, .tid = tid};
	record.id = intern(out, BATON_R_THREAD, key, sizeof(key), &is_new);
	if (is_new)
		put_record(out, BATON_R_THREAD, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_device(struct trace_out *out, const struct baton_r_device *device)
{
	int64_t key[2] = {device->ordinal, device->uuid};
	int is_new;
	struct baton_r_device record = *device;
	record.id = intern(out, BATON_R_DEVICE, key, sizeof(key), &is_new);
	if (is_new)
		put_record(out, BATON_R_DEVICE, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_stream(struct trace_out *out, uint32_t device, int64_t context, int64_t stream)
{
	int64_t key[3] = {device, context, stream};
	int is_new;
	struct baton_r_stream record = {.device = device, .context = context, .stream = stream};
	record.id = intern(out, BATON_R_STREAM, key, sizeof(key), &is_new);
	if (is_new)
		put_record(out, BATON_R_STREAM, &record, sizeof(record));
	return record.id;
}

void trace_out_priority(struct trace_out *out, const struct baton_r_stream *of,
						const struct baton_r_priority *priority)
{
	const int64_t key[3] = {of->device, of->context, of->stream};
	struct baton_r_priority record = *priority;
	if (strings_find(&out->keys[BATON_R_STREAM], (const char *)key, sizeof(key), &record.stream))
		put_record(out, BATON_R_PRIORITY, &record, sizeof(record));
}

/* Each part with its length, so that no two different communicators give the same bytes. */
static uint64_t comm_hash(uint32_t size, const char *name, const char *ranks)
{
	const char *parts[2] = {name ? name : "", ranks ? ranks : ""};
	XXH64_hash_t hash = XXH3_64bits(&size, sizeof(size));
	for (int i = 0; i < 2; i++)
		hash = XXH3_64bits_withSeed(parts[i], strlen(parts[i]), hash);
	return hash;
}

uint32_t trace_out_comm(struct trace_out *out, uint32_t size, const char *name, const char *ranks)
{
	int is_new;
	struct baton_r_comm record = {.size = size, .hash = comm_hash(size, name, ranks)};
	record.name = trace_out_text(out, name);
	record.ranks = trace_out_text(out, ranks);
	record.id = intern(out, BATON_R_COMM, &record.hash, sizeof(record.hash), &is_new);
	if (is_new)
		put_record(out, BATON_R_COMM, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_shape(struct trace_out *out, const struct baton_r_shape *shape)
{
	int is_new;
	struct baton_r_shape record = *shape;
	record.head = (struct baton_record){0};
	record.id = 0;
	record.id = intern(out, BATON_R_SHAPE, &record, sizeof(record), &is_new);
	if (is_new)
		put_record(out, BATON_R_SHAPE, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_inputs(struct trace_out *out, uint32_t shapes, uint32_t types)
{
	uint32_t key[2] = {shapes, types};
	int is_new;
	struct baton_r_inputs record = {.shapes = shapes, .types = types};
	if (!shapes && !types)
		return 0;
	record.id = intern(out, BATON_R_INPUTS, key, sizeof(key), &is_new);
	if (is_new)
		put_record(out, BATON_R_INPUTS, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_code(struct trace_out *out, uint32_t file, uint32_t function, int32_t line)
{
	const int64_t key[3] = {file, function, line};
	int is_new;
	struct baton_r_code record = {.file = file, .function = function, .first_line = line};
	record.id = intern(out, BATON_R_CODE, key, sizeof(key), &is_new);
	if (is_new)
		put_record(out, BATON_R_CODE, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_module(struct trace_out *out, uint32_t path)
{
	int is_new;
	struct baton_r_module record = {.path = path};
	record.id = intern(out, BATON_R_MODULE, &path, sizeof(path), &is_new);
	if (is_new)
		put_record(out, BATON_R_MODULE, &record, sizeof(record));
	return record.id;
}

uint32_t trace_out_stack(struct trace_out *out, const struct baton_frame *frames, uint32_t n)
{
	int is_new;
	struct baton_r_stack record = {.frames = n};
	record.id = intern(out, BATON_R_STACK, frames, n * sizeof(*frames), &is_new);
	const int error = is_new && record.id
						  ? baton_writer_record(&out->writer, BATON_R_STACK, &record,
												sizeof(record), frames, n * sizeof(*frames))
						  : 0;
	if (error)
		fail(out, error);
	return record.id;
}

static void put_clock(struct trace_out *out, enum baton_clock_kind kind, int64_t local_ns,
					  int64_t reference_ns)
{
	struct baton_r_clock record = {
		.local_ns = local_ns, .reference_ns = reference_ns, .kind = kind};
	put_record(out, BATON_R_CLOCK, &record, sizeof(record));
}

void trace_out_clock(struct trace_out *out, int64_t local_ns, int64_t reference_ns)
{
	put_clock(out, BATON_CLOCK_REALTIME, local_ns, reference_ns);
}

void trace_out_meta(struct trace_out *out, const char *key, const char *value)
{
	struct baton_r_meta record = {.key = trace_out_text(out, key),
								  .value = trace_out_text(out, value)};
	put_record(out, BATON_R_META, &record, sizeof(record));
}

void trace_out_loss(struct trace_out *out, enum baton_loss_kind kind, const char *what,
					uint64_t count)
{
	if (count == 0)
		return;
	struct baton_r_loss record = {.kind = kind, .what = own_text(out, what), .count = count};
	put_record(out, BATON_R_LOSS, &record, sizeof(record));
}

void trace_out_row(struct trace_out *out, enum baton_kind kind,
				   const int64_t row[BATON_MAX_COLUMNS], uint32_t present)
{
	struct plausible_row held = {.present = present, .kind = kind};
	memcpy(held.columns, row, sizeof(held.columns));
	plausible_add(&out->gate, &held);
}

uint64_t trace_out_rows(const struct trace_out *out, enum baton_kind kind)
{
	return out->rows[kind - BATON_OP];
}

uint64_t trace_out_refused(const struct trace_out *out)
{
	return plausible_refused(&out->gate);
}

uint64_t trace_out_unnamed(const struct trace_out *out)
{
	return out->lost_texts + out->lost_keys;
}

int trace_out_error(const struct trace_out *out)
{
	return out->error ? out->error : out->writer.error;
}

void trace_out_settle(struct trace_out *out)
{
	plausible_finish(&out->gate);
}

void trace_out_hull(const struct trace_out *out, int64_t *t_min_ns, int64_t *t_max_ns)
{
	bool none = out->t_min_ns > out->t_max_ns;
	*t_min_ns = none ? 0 : out->t_min_ns + out->shift_ns;
	*t_max_ns = none ? 0 : out->t_max_ns + out->shift_ns;
}

int trace_out_shift(struct trace_out *out, int64_t delta_ns)
{
	int64_t t_min, t_max, shift;
	trace_out_hull(out, &t_min, &t_max);
	if (__builtin_add_overflow(t_min, delta_ns, &t_min) ||
		__builtin_add_overflow(t_max, delta_ns, &t_max) ||
		__builtin_add_overflow(out->shift_ns, delta_ns, &shift) || t_min < -BATON_TIME_LIMIT_NS ||
		t_max > BATON_TIME_LIMIT_NS)
		return -ERANGE;
	out->shift_ns = shift;
	return 0;
}

/* ---- the end of a file ---- */

static void final_name(char name[NAME_BYTES], const struct baton_r_process *process)
{
	const uint8_t *boot = process->boot_id;
	snprintf(name, NAME_BYTES, "%02x%02x%02x%02x.%" PRId64 ".%" PRIu64 ".%u.baton", boot[0],
			 boot[1], boot[2], boot[3], process->pid < 0 ? 0 : process->pid, process->start_time,
			 process->generation);
}

/* The boot id stands for the clock: files of one host share it. */
static void put_process(struct trace_out *out, const struct trace_identity *identity,
						char name[NAME_BYTES])
{
	struct baton_r_process record = {.pid = identity->pid,
									 .start_time = identity->start_time,
									 .rank = identity->rank,
									 .world_size = identity->world_size,
									 .local_rank = identity->local_rank,
									 .generation = identity->generation};
	XXH64_canonical_t boot;
	XXH64_canonicalFromHash(&boot, XXH3_64bits(identity->host, strlen(identity->host)));
	memcpy(record.boot_id, boot.digest, sizeof(boot.digest));
	final_name(name, &record);
	while (faccessat(out->dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		record.generation++;
		final_name(name, &record);
	}
	record.host = own_text(out, identity->host);
	record.source = own_text(out, identity->source);
	record.source_version = own_text(out, identity->source_version);
	record.run_id = own_text(out, identity->run_id);
	put_record(out, BATON_R_PROCESS, &record, sizeof(record));
}

static void put_losses(struct trace_out *out)
{
	for (size_t t = 0; t < BATON_TABLES; t++) {
		char what[64];
		snprintf(what, sizeof(what), "%s rows with impossible times", baton_tables[t].name);
		trace_out_loss(out, BATON_LOSS_INVALID, what, out->gate.refused[t]);
	}
	trace_out_loss(out, BATON_LOSS_DROPPED, "names beyond the limit of a file", out->lost_texts);
	trace_out_loss(out, BATON_LOSS_DROPPED, "threads and streams beyond the limit of a file",
				   out->lost_keys);
}

/* How much later the GPU's times have to be. None of the file may leave the format's range. */
static int64_t correct_clock(struct trace_out *out)
{
	int64_t t_min, t_max, shift_ns = gpu_clock_shift_ns(&out->clock);
	trace_out_hull(out, &t_min, &t_max);
	if (shift_ns == 0 || t_max > BATON_TIME_LIMIT_NS - shift_ns)
		return 0;
	put_clock(out, BATON_CLOCK_GPU, t_min, t_min + shift_ns);
	return shift_ns;
}

static int move_times(struct trace_out *out, const struct trace_move *move)
{
	char moved[sizeof(out->partial)];
	int fd = open_partial(out->dirfd, moved);
	if (fd < 0)
		return fd;
	int error = trace_shift(out->dirfd, out->partial, fd, move);
	unlinkat(out->dirfd, error ? moved : out->partial, 0);
	if (!error)
		memcpy(out->partial, moved, sizeof(moved));
	return error;
}

static int take_name(struct trace_out *out, const char *name)
{
	if (renameat2(out->dirfd, out->partial, out->dirfd, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return renameat(out->dirfd, out->partial, out->dirfd, name) == 0 ? 0 : -errno;
}

int trace_out_close(struct trace_out *out, const struct trace_identity *identity)
{
	char name[NAME_BYTES];
	trace_out_settle(out);
	put_losses(out);
	put_process(out, identity, name);
	struct trace_move move = {.all_ns = out->shift_ns, .gpu_ns = correct_clock(out)};
	int error = baton_writer_close(&out->writer);
	out->writer.fd = -1;
	if (out->error)
		error = out->error;
	if (!error && (move.all_ns != 0 || move.gpu_ns != 0))
		error = move_times(out, &move);
	if (!error)
		error = take_name(out, name);
	if (error)
		unlinkat(out->dirfd, out->partial, 0);
	trace_out_free(out);
	return error;
}

void trace_out_abort(struct trace_out *out)
{
	unlinkat(out->dirfd, out->partial, 0);
	trace_out_free(out);
}
