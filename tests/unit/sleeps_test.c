/* Sleep that the recorder put where the profiler worked on the thread.
 * Keeps out: a thread that waits for Python's lock and is woken, for the replay, after the profiler's
 * work that it did with the lock; sleep that is moved to another millisecond, or lost while there is
 * room; sleep that is moved where the profiler has no part in it. */
#include "check.h"
#include "graph/sleeps.h"

enum { MOST = 8 };

static struct sched_row rows[MOST];
static struct span spans[MOST];
static struct process process;
static struct host_thread thread;

static void begin(void)
{
	process = (struct process){.spans = spans};
	thread = (struct host_thread){.index = 3, .scheds = rows};
}

/* Asleep in [start, slept), waits for a core until `waited`, runs until `end`. */
static void sched(int64_t start, int64_t slept, int64_t waited, int64_t end)
{
	rows[thread.n_scheds++] = (struct sched_row){.begin = start, slept, waited, end, slept};
}

static void work(uint32_t of, int64_t start, int64_t end, uint8_t label)
{
	spans[process.n_spans++] = (struct span){start, end, of, label};
}

static void has(const char *what, uint32_t i, int64_t slept, int64_t waited)
{
	CHECK(rows[i].slept == slept && rows[i].waited == waited, "%s: row %u: %lld, %lld", what, i,
		  (long long)rows[i].slept, (long long)rows[i].waited);
	CHECK(rows[i].waits <= rows[i].slept && rows[i].waited <= rows[i].end, "%s: row %u", what, i);
}

int main(void)
{
	begin(); /* the work ends the row: the next one has room */
	sched(1000, 3000, 3000, 3000);
	sched(4000, 4500, 4600, 6000);
	work(2, 900, 4000, LABEL_PROFILER); /* another thread's */
	work(3, 2600, 3000, LABEL_PROFILER);
	sleeps_place(&process, &thread);
	has("next", 0, 2600, 2600);
	has("next", 1, 4900, 5000);

	begin(); /* only the one before has, and not for all of it */
	sched(1000, 1500, 1500, 1700);
	sched(2000, 4000, 4000, 4000);
	work(3, 3500, 4000, LABEL_PROFILER);
	sleeps_place(&process, &thread);
	has("before", 0, 1700, 1700);
	has("before", 1, 3500, 3500);

	begin(); /* not from one millisecond to another, nor beyond the profiler's work there */
	sched(1000, 3000, 3000, 3000);
	sched(500000, 500100, 500100, 502000);
	sched(1002000, 1002100, 1002100, 1009000);
	work(3, 2000, 3000, LABEL_PROFILER);
	work(3, 500500, 501000, LABEL_PROFILER);
	sleeps_place(&process, &thread);
	has("far", 0, 2000, 2000);
	has("far", 1, 500500, 500500);
	has("far", 2, 1002100, 1002100);

	begin(); /* sleep after the work, other work, a row that is all work */
	sched(1000, 3000, 3000, 3000);
	sched(4000, 6000, 6000, 6000);
	sched(7000, 8000, 8000, 9000);
	work(3, 1500, 2000, LABEL_PROFILER);
	work(3, 5000, 6000, LABEL_MODULE_LOAD);
	work(3, 7000, 9000, LABEL_PROFILER);
	sleeps_place(&process, &thread);
	has("kept", 0, 3000, 3000);
	has("kept", 1, 6000, 6000);
	has("kept", 2, 8000, 8000);
	return finish();
}
