/* Made runs of two ranks, reduced in one visit to each device and in two: the same summaries, byte for
 * byte, whatever their rows of collectives say. */
#include "made_rows.h"
#include "reduce.h"
#include "summary/summary_io.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPS = 500, RUNS = 120, BEGIN = 1000000000, RANKS = 2 };

enum oddness {
	ORDINARY,
	GROUPED,       /* two rows of one launch */
	SHARED_LAUNCH, /* two ops of one launch */
	WHOLE_GRAPH,
	LATE_LAUNCH, /* a launch that begins after its op */
	FOLLOWED,    /* from here on all collectives are foreseen wrong, or cannot be */
	NO_NUMBER = FOLLOWED,
	WRONG_TIME,
	LOST_OP,
	SAME_NUMBER,
	LATE_ROW,
	ODDNESSES
};

enum { STREAM_OF_NCCL = 1, KERNEL_OF_NCCL = 2 };

static void put_launch(const struct making *m, int64_t start, int64_t id)
{
	const uint32_t thread = draw(9) == 0;
	put_call(m, (struct made_row){start, 1 + draw(5000), id, thread, MADE_LAUNCH});
}

static void put_wait(const struct making *m, int64_t start)
{
	const uint32_t thread = draw(9) == 0;
	put_call(m, (struct made_row){start, draw(40000), 0, thread, draw(2) ? MADE_FREE : MADE_SYNC});
}

static void put_collective(const struct making *m, int64_t start, int64_t dur, int64_t id,
						   int64_t number)
{
	const int64_t row[BATON_MAX_COLUMNS] = {[COLL_START] = start,
											[COLL_DUR] = dur,
											[COLL_CORRELATION] = id,
											[COLL_COMM] = m->comm,
											[COLL_KIND] = BATON_COLL_ALLREDUCE,
											[COLL_BYTES] = 1 << 20,
											[COLL_SEQUENCE] = number};
	trace_out_row(m->out, BATON_COLLECTIVE, row,
				  1u << COLL_BYTES | (number >= 0 ? 1u << COLL_SEQUENCE : 0));
}

/* A collective's kernel and its row; `odd`: this one is. */
static void put_meeting(const struct making *m, int64_t start, int64_t id, int64_t number,
						enum oddness odd)
{
	const int64_t dur = 20000 + draw(90000);
	if (odd != LOST_OP)
		put_op(m, (struct made_row){start, dur, id, STREAM_OF_NCCL, KERNEL_OF_NCCL}, false);
	put_collective(m, start + (odd == LATE_ROW), dur + (odd == WRONG_TIME), id,
				   odd == NO_NUMBER ? -1 : number - (odd == SAME_NUMBER));
	if (odd == GROUPED)
		put_collective(m, start, dur, id, number + 1000);
}

static void put_step(const struct making *m, int64_t start, unsigned number)
{
	char name[32];
	snprintf(name, sizeof(name), "step %u", number);
	const int64_t row[BATON_MAX_COLUMNS] = {[RANGE_START] = start,
											[RANGE_DUR] = 1000,
											[RANGE_THREAD] = m->threads[0],
											[RANGE_NAME] = trace_out_text(m->out, name),
											[RANGE_CATEGORY] = BATON_RANGE_NVTX};
	trace_out_row(m->out, BATON_RANGE, row, 0);
}

static void put_rows(const struct making *m, enum oddness odd)
{
	int64_t start = BEGIN, number = 0;
	const unsigned at = 100 + draw(300);
	for (unsigned i = 0; i < OPS; i++) {
		if (i % 50 == 0)
			put_step(m, start - 50000, 1 + i / 50);
		const bool is_odd = odd == NO_NUMBER || (i >= at && i < at + 10);
		const int64_t id = 10 + i, lead = draw(4) ? 60000 + draw(9000) : draw(12000);
		start += draw(12) * 1000;
		put_launch(m, start - lead + (is_odd && odd == LATE_LAUNCH ? lead + 700 : 0), id);
		if (draw(25) == 0) /* a thread waits for the device */
			put_wait(m, start + draw(2000));
		if (i % 10 == 3)
			put_meeting(m, start, id, ++number, is_odd ? odd : ORDINARY);
		else
			put_op(m, (struct made_row){start, 1 + draw(6000), id, 0, draw(2)},
				   is_odd && odd == WHOLE_GRAPH);
		if (is_odd && odd == SHARED_LAUNCH && i % 10 != 3)
			put_op(m, (struct made_row){start + draw(2) * 500, 10, id, 0, 1}, false);
	}
}

static void make_trace(int rank, enum oddness odd)
{
	struct making m;
	make_begin(&m, rank);
	put_rows(&m, odd);
	make_end(&m, rank, RANKS);
}

static void no_idle(const struct idle_piece *piece, void *context)
{
	(void)piece;
	(void)context;
}

/* The summary's bytes, which the caller frees. */
static char *reduced(bool twice, bool steps, size_t *bytes, bool *once)
{
	struct reduction reduction;
	char path[4200], *text = NULL;
	const struct reduce_options options = {.fresh = true,
										   .no_replay = true,
										   .step_range = steps ? "step *" : NULL,
										   .whole_run = !steps,
										   .idle = twice ? no_idle : NULL};
	CHECK(reduce_run((char *const *)&dir, 1, &options, &reduction) == 0, "it is not reduced");
	*once = reduction.one_visit;
	CHECK(reduction.open_ns == INT64_MAX, "a step of a trace that is closed may not be over");
	snprintf(path, sizeof(path), "%s/out", dir);
	CHECK(summary_store_alone(path, &reduction.summary, "") == 0, "it is not stored");
	reduction_free(&reduction);
	FILE *file = fopen(path, "rb");
	CHECK(file && (text = malloc(1 << 22)), "no summary");
	*bytes = file && text ? fread(text, 1, 1 << 22, file) : 0;
	if (file)
		fclose(file);
	return text;
}

static void check_run(unsigned number, enum oddness odd)
{
	char command[4200];
	size_t n[2];
	bool once[2];
	seed = number;
	for (int rank = 0; rank < RANKS; rank++)
		make_trace(rank, number % 3 ? odd : rank ? odd : ORDINARY);
	char *one = reduced(false, number % 2, &n[0], &once[0]),
		 *two = reduced(true, number % 2, &n[1], &once[1]);
	CHECK(once[0] == (odd < FOLLOWED) && !once[1], "run %u, oddness %d: visits", number, odd);
	CHECK(n[0] > 500 && n[0] == n[1] && memcmp(one, two, n[0]) == 0,
		  "run %u, oddness %d: other summaries", number, odd);
	free(one);
	free(two);
	snprintf(command, sizeof(command), "rm -f %s/*", dir);
	CHECK(system(command) == 0, "files stay");
}

int main(void)
{
	char place[] = "/tmp/one_visit_test.XXXXXX";
	dir = mkdtemp(place);
	CHECK(dir, "no directory");
	for (unsigned i = 0; i < RUNS && check_failures == 0; i++)
		check_run(i, (enum oddness)(i / 2 % ODDNESSES));
	rmdir(dir);
	return finish();
}
