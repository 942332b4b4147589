/* Whose a gap is that one thread leaves to another: who was at work, by records and sched rows. */
#include "attribute/hand_off.h"
#include "check.h"

enum { MOST = 8, AWAKE = HOST_MASK(HOST_BIT_AWAKE), CALL = HOST_MASK(HOST_BIT_CALL) };

static struct host_rec of_next[MOST], of_last[MOST];
static size_t n_next, n_last;
static struct host_rec waiting; /* a call of the last thread that begins later */
static int64_t next_record;
static struct feed process;
static int64_t until;

static void begin(void)
{
	n_next = n_last = 0;
	waiting.start = 5000;
	next_record = 5000;
	process.sampled = false;
	until = 1100;
}

/* A sched row: asleep in [start, wakes), awake in [wakes, end). */
static void sched(struct host_rec *rows, size_t *n, const int64_t at[3], bool away)
{
	if (at[1] > at[0])
		rows[(*n)++] = (struct host_rec){
			.start = at[0], .end = at[1], .mask = HOST_MASK(HOST_BIT_BLOCKED), .away = away};
	if (at[2] > at[1])
		rows[(*n)++] = (struct host_rec){
			.start = at[1], .end = at[2], .mask = AWAKE, .works = at[2] - at[1] >= at[1] - at[0]};
}

static void next_sched(int64_t start, int64_t wakes, int64_t end)
{
	sched(of_next, &n_next, (int64_t[]){start, wakes, end}, false);
}

static void last_sched(int64_t start, int64_t wakes, int64_t end, bool away)
{
	sched(of_last, &n_last, (int64_t[]){start, wakes, end}, away);
}

static void last_record(int64_t start, int64_t end, uint16_t mask)
{
	of_last[n_last++] =
		(struct host_rec){.start = start, .end = end, .mask = mask, .is_record = true};
}

/* Of [100, until) the next thread has these: pairs of begin and end, up to one that begins at 0. */
static void next_has(const char *what, const int64_t *expected)
{
	struct timeline next = {.feed = &process, .open = of_next, .n_open = n_next},
					last = {.feed = &process,
							.last_row_end = INT64_MIN,
							.open = of_last,
							.n_open = n_last,
							.calls = {.at = &waiting, .tail = 1, .room = 1}};
	struct hand_off_gap gap = {&next, &last, 100, until, next_record};
	struct hand_off hand_off = {0};
	int64_t ns = 0;
	size_t n = 0;
	CHECK(hand_off_divide(&hand_off, &gap) == 0, "no memory");
	for (; expected[2 * n]; n++) {
		const struct host_part *part = &hand_off.next.at[n];
		CHECK(n < hand_off.next.n && part->from == expected[2 * n] &&
				  part->to == expected[2 * n + 1],
			  "%s: part %zu of %zu is not [%lld, %lld)", what, n, hand_off.next.n,
			  (long long)expected[2 * n], (long long)expected[2 * n + 1]);
	}
	CHECK(n == hand_off.next.n, "%s: the next thread has %zu parts", what, hand_off.next.n);
	for (size_t i = 0; i < hand_off.next.n; i++)
		ns += hand_off.next.at[i].to - hand_off.next.at[i].from;
	for (size_t i = 0; i < hand_off.last.n; i++)
		ns += hand_off.last.at[i].to - hand_off.last.at[i].from;
	CHECK(ns == until - 100, "%s: the parts have %lld of %lld ns", what, (long long)ns,
		  (long long)until - 100);
	hand_off_free(&hand_off);
}

/* Keeps out: another answer for sources that have no sched rows. */
static void records_alone(void)
{
	begin();
	next_record = 400;
	next_has("its first record", (int64_t[]){400, 1100, 0});
	last_record(0, 900, CALL);
	next_has("a call of the last thread goes on", (int64_t[]){400, 1100, 0});
	next_record = 100;
	next_has("a record at once", (int64_t[]){100, 1100, 0});
	next_record = 1200;
	next_has("no record", (int64_t[]){0});
}

/* Keeps out: a main thread that spins or sleeps after backward() while autograd's thread, which is
 * done, has its time. */
static void the_last_is_done(void)
{
	begin();
	last_record(50, 300, 0);
	last_sched(300, 1200, 1200, true);
	next_has("asleep without a stack", (int64_t[]){300, 1100, 0});
	last_record(600, 700, CALL);
	next_has("it goes on in between", (int64_t[]){700, 1100, 0});
	last_record(800, 1300, 0);
	next_has("a range around its sleep begins", (int64_t[]){800, 1100, 0});
	last_record(1000, 1300, CALL);
	next_has("in a call at the end", (int64_t[]){0});
	begin();
	last_record(50, 300, 0);
	last_sched(300, 1200, 1200, true);
	waiting.start = 1100;
	next_has("a call at the end", (int64_t[]){0});
}

/* Keeps out: a hook or an optimizer in backward() that loses its time to the thread that waits for
 * it. */
static void the_last_stands_somewhere(void)
{
	begin();
	last_record(50, 300, 0);
	last_sched(300, 700, 700, false);
	last_sched(700, 900, 950, true);
	next_has("asleep in a hook, then done", (int64_t[]){700, 900, 0});
}

/* Keeps out: crumbs of a thread that sleeps all along, which are taken for its waking up. */
static void the_next_wakes_up(void)
{
	begin();
	next_sched(50, 500, 510);
	next_has("a crumb", (int64_t[]){500, 510, 0});
	next_sched(510, 610, 710);
	next_has("half of a row", (int64_t[]){500, 510, 610, 1100, 0});
	next_record = 520;
	next_has("its record comes first", (int64_t[]){500, 510, 520, 1100, 0});
	begin();
	next_sched(20, 20, 100);
	next_has("a row that is over", (int64_t[]){0});
	next_sched(100, 400, 500);
	last_sched(450, 800, 800, true);
	next_has("parts that overlap are one", (int64_t[]){400, 800, 0});
}

/* Keeps out: a thread of nn.DataParallel, which ends with its part of the model, that has the time
 * in which the main thread waits for the others. */
static void the_last_is_over(void)
{
	begin();
	until = next_record = 4000000;
	waiting.start = 5000000;
	last_record(50, 300, CALL);
	next_sched(90, 3000000, 3000000);
	next_sched(3000000, 3500000, 3500001);
	next_has("it could have slept", (int64_t[]){3500000, 3500001, 0});
	process.sampled = true;
	next_has("it would have rows", (int64_t[]){300, 3500001, 0});
	last_sched(1000001, 1000001, 1000002, false);
	next_has("seen less than 3 ms before", (int64_t[]){3500000, 3500001, 0});
}

int main(void)
{
	records_alone();
	the_last_is_done();
	the_last_stands_somewhere();
	the_next_wakes_up();
	the_last_is_over();
	return finish();
}
