#include "drain/trace.h"

#include "base/config.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/recording.h"
#include "drain/trace_file.h"
#include "ring/arena.h"
#include "ring/dict.h"
#include "ring/live.h"

#include <baton/live.h>
#include <baton/writer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	struct baton_writer file;
	bool last; /* the process ends: records that are unfinished now stay so */
	bool started;
	int error; /* of the file; told once */
	/* records that every part of the trace needs, with --keep-last; before each of them how far the
	 * dictionary was, for they name what is before */
	uint8_t *facts;
	size_t facts_bytes;
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

/* Without memory for it the file cannot be shortened any more. */
static void note_fact(const void *record, size_t bytes)
{
	const uint64_t dictionary = arena_seen();
	uint8_t *facts = realloc(trace.facts, trace.facts_bytes + sizeof(dictionary) + bytes);
	if (!facts) {
		config.keep_ns = 0;
		return;
	}
	memcpy(facts + trace.facts_bytes, &dictionary, sizeof(dictionary));
	memcpy(facts + trace.facts_bytes + sizeof(dictionary), record, bytes);
	trace.facts = facts;
	trace.facts_bytes += sizeof(dictionary) + bytes;
}

void trace_record(uint16_t type, void *record, size_t bytes)
{
	trace_take_dictionary();
	baton_writer_record(&trace.file, type, record, bytes, NULL, 0);
	if (config.keep_ns && type != BATON_R_LOSS && type != BATON_R_COST)
		note_fact(record, bytes);
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

enum { AGAIN_BYTES = 1 << 20 }; /* of blocks, before they are put */

static int put_held(size_t least, int (*put)(const void *bytes, size_t n))
{
	int error = trace.file.error;
	if (!error && trace.file.held_bytes > least) {
		error = put(trace.file.held, trace.file.held_bytes);
		trace.file.held_bytes = 0;
	}
	return error;
}

/* The dictionary from *at to `end`. */
static int put_dictionary(uint64_t *at, uint64_t end, int (*put)(const void *bytes, size_t n))
{
	uint8_t *arena = (uint8_t *)live_dictionary();
	struct baton_record *record;
	int error = 0;
	while (!error && (record = baton_dictionary_next(arena, at, end, 1)) != NULL) {
		baton_writer_record(&trace.file, record->type, record, record->size, NULL, 0);
		error = put_held(AGAIN_BYTES, put);
	}
	return error;
}

static int put_facts(uint64_t *dictionary, int (*put)(const void *bytes, size_t n))
{
	int error = 0;
	for (size_t at = 0; !error && at < trace.facts_bytes;) {
		struct baton_record *record = (struct baton_record *)(trace.facts + at + sizeof(uint64_t));
		uint64_t end;
		memcpy(&end, trace.facts + at, sizeof(end));
		error = put_dictionary(dictionary, end, put);
		baton_writer_record(&trace.file, record->type, record, record->size, NULL, 0);
		at += sizeof(end) + record->size;
	}
	return error;
}

int trace_begin_again(struct baton_r_kept *kept, int (*put)(const void *bytes, size_t n),
					  uint64_t *sequence)
{
	struct baton_writer *w = &trace.file;
	const uint64_t own = w->sequence;
	uint64_t dictionary = 0;
	w->sequence = 0;
	int error = put_facts(&dictionary, put);
	if (!error)
		error = put_dictionary(&dictionary, arena_seen(), put);
	baton_writer_record(w, BATON_R_KEPT, kept, sizeof(*kept), NULL, 0);
	baton_writer_flush_records(w);
	if (!error)
		error = put_held(0, put);
	w->held_bytes = 0;
	*sequence = w->sequence;
	w->sequence = own;
	return error;
}

void trace_number(uint64_t sequence)
{
	trace.file.sequence = sequence;
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
	free(trace.facts);
	trace.facts = NULL;
}
