#include "drain/keep.h"

#include "base/config.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/stop_point.h"
#include "drain/trace.h"
#include "drain/trace_file.h"

#include <baton/drain.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum {
	TURN_BYTES = 1 << 20,                        /* of a turn: rings must not fill up meanwhile */
	LAST_BYTES = TURN_BYTES + MEMORY_HELD_BYTES, /* of the last one: what one write can have put */
	PIECE_BYTES = 32 << 10,
	HANG_TIMES = 4, /* as large as it was may a trace get while its process hangs */
#ifdef SHIM_STOP_POINTS
	HANG_BYTES = 64 << 10
#else
	HANG_BYTES = 64 << 20 /* and this much: checkpoints of a day */
#endif
};

struct mark {     /* a place in the file, and what was recorded before it */
	off_t offset; /* 0: none */
	int64_t realtime_ns, monotonic_ns;
	uint64_t launches, kernels;
};

static struct {
	int64_t begin_ns;
	int64_t moment; /* how many times the time fits into CLOCK_REALTIME */
	struct mark mark;
	uint64_t calls; /* so far; when that number changed last, and how large the trace was then */
	int64_t newest_ns;
	off_t newest_bytes;
	bool copies, told;
	bool begins;               /* of the copy what comes before the blocks is not all there */
	struct mark cut;           /* where the copy begins */
	off_t copied, begin_bytes; /* of the old file, up to there; of the new one before the copy */
	struct trace_again again;
} keep;

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void keep_open(void)
{
	memset(&keep, 0, sizeof(keep));
	keep.begin_ns = now_ns(CLOCK_REALTIME);
	if (config.keep_ns)
		keep.moment = keep.begin_ns / config.keep_ns;
}

/* While the disk is full it is asked once a second for room, as without --keep-last. */
bool keep_due(void)
{
	return config.keep_ns && !trace_error() &&
		   (keep.begins || now_ns(CLOCK_REALTIME) / config.keep_ns != keep.moment);
}

void keep_close(void)
{
	if (keep.copies)
		trace_file_next_remove();
	keep.copies = keep.begins = false;
}

static void give_up(int error)
{
	keep_close();
	if (!keep.told)
		message("%s cannot be shortened: %s; it grows until that can be done", recording.trace,
				strerror(-error));
	keep.told = true;
}

/* ---- the copy ---- */

/* One block of the old file, under the number that it has in the new one. */
static int copy_block(off_t end)
{
	struct baton_block_header header;
	uint8_t piece[PIECE_BYTES];
	int error = trace_file_read(keep.copied, &header, sizeof(header));
	const off_t block = sizeof(header) + (((off_t)header.stored_bytes + 7) & ~(off_t)7);
	if (error || header.magic != BATON_BLOCK_MAGIC || block > end - keep.copied)
		return error ? error : -EBADMSG;
	header.sequence = keep.again.sequence++;
	header.header_hash = XXH3_64bits(&header, offsetof(struct baton_block_header, header_hash));
	error = trace_file_next_append(&header, sizeof(header));
	for (off_t at = sizeof(header); !error && at < block;) {
		const size_t n = block - at < PIECE_BYTES ? (size_t)(block - at) : PIECE_BYTES;
		error = trace_file_read(keep.copied + at, piece, n);
		if (!error)
			error = trace_file_next_append(piece, n);
		at += (off_t)n;
	}
	keep.copied += error ? 0 : block;
	return error;
}

/* Up to the end, or a little beyond `most` bytes. False: it has failed, and is given up. */
static bool copy(off_t most)
{
	const off_t end = trace_file_bytes(), from = keep.copied;
	int error = trace_file_next_open();
	while (!error && keep.copied < end && keep.copied - from < most)
		error = copy_block(end);
	trace_file_next_close();
	if (error)
		give_up(error);
	return !error;
}

/* A piece of what comes before the blocks. */
static void go_on_to_begin(void)
{
	struct baton_r_kept kept = {.keep_ns = config.keep_ns,
								.begin_ns = keep.begin_ns,
								.from_ns = keep.cut.realtime_ns,
								.launches = keep.cut.launches,
								.kernels = keep.cut.kernels};
	int more = trace_file_next_open();
	if (!more)
		more = trace_begin_again(&keep.again, &kept, trace_file_next_append);
	keep.begin_bytes = trace_file_next_bytes();
	trace_file_next_close();
	keep.begins = more > 0;
	if (more < 0)
		give_up(more);
	STOP_POINT("keep begun");
}

static void begin(void)
{
	keep.cut = keep.mark;
	keep.copied = keep.cut.offset;
	keep.copies = keep.begins = true;
	keep.again = (struct trace_again){0};
	const int error = trace_file_next_create();
	trace_file_next_close();
	if (error)
		give_up(error);
	else
		go_on_to_begin();
}

/* All is copied: the new file is the trace from now on. */
static void take_over(void)
{
	STOP_POINT("keep copied");
	const int error = trace_file_next_becomes();
	if (error) {
		give_up(error);
		return;
	}
	keep.copies = keep.told = false;
	keep.mark.offset += keep.begin_bytes - keep.cut.offset;
	trace_number(keep.again.sequence);
	STOP_POINT("keep over");
}

void keep_turn(const struct baton_drain *drain)
{
	const uint64_t calls = drain->launches + drain->graphs;
	if (!config.keep_ns)
		return;
	if (calls != keep.calls) {
		keep.newest_ns = now_ns(CLOCK_MONOTONIC);
		keep.newest_bytes = trace_file_bytes();
	}
	keep.calls = calls;
	if (keep.copies && !keep.begins && keep.copied < trace_file_bytes())
		copy(TURN_BYTES);
}

/* ---- the moments ---- */

static void set_mark(const struct baton_drain *drain)
{
	keep.mark = (struct mark){.offset = trace_file_bytes(),
							  .realtime_ns = now_ns(CLOCK_REALTIME),
							  .monotonic_ns = now_ns(CLOCK_MONOTONIC),
							  .launches = drain->launches,
							  .kernels = drain->kernels};
}

/* A clock that is set must not make the part that is kept shorter. */
static bool is_old_enough(void)
{
	return now_ns(CLOCK_MONOTONIC) - keep.mark.monotonic_ns >= config.keep_ns / 10 * 9;
}

/* Nothing has been launched for half of the time: what led to that is what somebody will want to
 * see, and the half before it, at least, is there. A process that never launches has nothing of
 * the kind, and one that goes on with other calls must not fill the disk. */
static bool hangs(void)
{
	const off_t most = HANG_BYTES + HANG_TIMES * keep.newest_bytes;
	return keep.calls > 0 && now_ns(CLOCK_MONOTONIC) - keep.newest_ns >= config.keep_ns / 2 &&
		   trace_file_bytes() <= most;
}

void keep_written(const struct baton_drain *drain)
{
	if (!config.keep_ns)
		return;
	if (keep.begins)
		go_on_to_begin();
	else if (keep.copies && trace_file_bytes() - keep.copied <= LAST_BYTES && copy(LAST_BYTES))
		take_over();
	if (!keep_due())
		return;
	keep.moment = now_ns(CLOCK_REALTIME) / config.keep_ns;
	if (keep.copies || (keep.mark.offset && (!is_old_enough() || hangs())))
		return;
	if (keep.mark.offset)
		begin();
	set_mark(drain);
}
