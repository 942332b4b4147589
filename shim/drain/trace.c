#include "drain/trace.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/recording.h"
#include "drain/trace_file.h"
#include "ring/arena.h"
#include "ring/dict.h"
#include "ring/live.h"

#include <baton/writer.h>
#include <string.h>
#include <unistd.h>

static struct {
	struct baton_writer file;
	bool last; /* the process ends: records that are unfinished now stay so */
	bool started;
	int error; /* of the file; told once */
} trace;

bool trace_is_full(void)
{
	return trace.file.held_bytes > MEMORY_HELD_BYTES;
}

int trace_error(void)
{
	return trace.error;
}

/* ---- records ---- */

void trace_take_dictionary(void)
{
	struct baton_record *record;
	while (!(trace.error && trace_is_full()) && (record = arena_next(trace.last)) != NULL)
		baton_writer_record(&trace.file, record->type, record, record->size, NULL, 0);
	live_grow_dictionary(arena_seen() + (1 << 20));
}

void trace_record(uint16_t type, void *record, size_t bytes)
{
	trace_take_dictionary();
	baton_writer_record(&trace.file, type, record, bytes, NULL, 0);
}

void trace_meta(const char *key, const char *value)
{
	struct baton_r_meta row = {.key = dict_string(key, strlen(key)),
							   .value = dict_string(value, strlen(value))};
	trace_record(BATON_R_META, &row, sizeof(row));
}

void trace_loss(enum baton_loss_kind kind, const char *what, uint64_t count)
{
	struct baton_r_loss row = {.kind = kind, .count = count};
	if (!count)
		return;
	row.what = dict_string(what, strlen(what));
	trace_record(BATON_R_LOSS, &row, sizeof(row));
}

/* A thread that still runs while the process ends may be in the middle of writing a name. The
 * records after it are wanted too. */
void trace_settle(void)
{
	for (int ms = 0; ms < 50; ms++) {
		trace_take_dictionary();
		if (arena_taken() >= atomic_load(&live->dictionary_reserved))
			break;
		usleep(1000);
	}
	trace.last = true;
}

/* ---- the file ---- */

int trace_append(void)
{
	int error = trace.file.error ? trace.file.error
								 : trace_file_append(trace.file.held, trace.file.held_bytes);
	if (error && !trace.error && trace.started) /* else whoever starts it says so */
		message("%s: %s; what it has no room for is counted as dropped", recording.trace,
				error == -ESTALE ? "somebody else removed it or cut it short" : strerror(-error));
	trace.error = error;
	trace.started = true;
	atomic_store(&live->unwritable, error != 0);
	if (!error)
		trace.file.held_bytes = 0;
	return error;
}

bool trace_seal(void)
{
	struct baton_block_header end = {.kind = BATON_END, .raw_bytes = 8};
	memcpy(trace.file.raw, &trace.file.sequence, 8);
	baton_writer_seal(&trace.file, &end);
	return !trace.file.error && !trace.error &&
		   trace_file_append(trace.file.held, trace.file.held_bytes) == 0 &&
		   trace_file_close() == 0;
}

/* No fd is given to the encoder: it collects blocks in memory, the file is written in one piece. */
int trace_open(struct baton_writer **writer)
{
	memset(&trace, 0, sizeof(trace));
	arena_forget();
	trace.file.fd = -1;
	*writer = &trace.file;
	int error =
		baton_writer_open_held(&trace.file, BATON_TRACE, recording.begin_ticks, MEMORY_WRITER_ROWS);
	trace.file.before_rows = trace_take_dictionary;
	return error;
}

void trace_close(void)
{
	baton_writer_free(&trace.file);
}
