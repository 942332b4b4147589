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
	return trace.file.held_bytes > memory_size->held_bytes;
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

enum {
#ifdef SHIM_STOP_POINTS
	AGAIN_BYTES = 2 << 10
#else
	AGAIN_BYTES = 1 << 20 /* of names, until what waits in the rings is taken again */
#endif
};

/* The dictionary up to `end`, and not much beyond `stop`. 1: not all of it. */
static int put_dictionary(struct trace_again *again, uint64_t end, uint64_t stop)
{
	uint8_t *arena = (uint8_t *)live_dictionary();
	while (again->dictionary < stop) {
		struct baton_record *record = baton_dictionary_next(arena, &again->dictionary, end, 1);
		if (!record)
			return 0;
		baton_writer_record(&trace.file, record->type, record, record->size, NULL, 0);
	}
	return again->dictionary < end;
}

/* Each fact after the names that it may have. */
static int put_facts(struct trace_again *again, uint64_t stop)
{
	while (again->facts < trace.facts_bytes) {
		uint8_t *fact = trace.facts + again->facts;
		struct baton_record *record = (struct baton_record *)(fact + sizeof(uint64_t));
		uint64_t end;
		memcpy(&end, fact, sizeof(end));
		if (put_dictionary(again, end, stop))
			return 1;
		baton_writer_record(&trace.file, record->type, record, record->size, NULL, 0);
		again->facts += sizeof(end) + record->size;
	}
	return 0;
}

int trace_begin_again(struct trace_again *again, struct baton_r_kept *kept,
					  int (*put)(const void *bytes, size_t n))
{
	struct baton_writer *w = &trace.file;
	const uint64_t own = w->sequence, stop = again->dictionary + AGAIN_BYTES;
	w->sequence = again->sequence;
	const int more = put_facts(again, stop) || put_dictionary(again, arena_seen(), stop);
	if (!more)
		baton_writer_record(w, BATON_R_KEPT, kept, sizeof(*kept), NULL, 0);
	baton_writer_flush_records(w);
	const int error = w->error ? w->error : put(w->held, w->held_bytes);
	w->held_bytes = 0;
	again->sequence = w->sequence;
	w->sequence = own;
	return error ? error : more;
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
	int error = baton_writer_open_held(&trace.file, BATON_TRACE, recording.begin_ticks,
									   memory_size->writer_rows);
	trace.file.before_rows = trace_take_dictionary;
	return error;
}

void trace_close(void)
{
	baton_writer_free(&trace.file);
	free(trace.facts);
	trace.facts = NULL;
}
