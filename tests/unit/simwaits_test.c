/* What a device waited for while only collectives ran on it. Keeps out: waiting that is laid on a
 * member that was there, that ends at the first hop, or that goes round for ever. */
#include "check.h"
#include "virtual/account/waits.h"

#include <stdlib.h>

enum { DEVICES = 3 };

static struct account accounts[DEVICES];
static struct account_span spans[DEVICES];
static struct account_meeting meetings[DEVICES][2];
static struct idle idle[DEVICES][2];

static void begin(void)
{
	for (int i = 0; i < DEVICES; i++)
		accounts[i] = (struct account){
			.exposed = &spans[i], .meetings = meetings[i], .idle = idle[i], .longest_ns = 1000};
}

static void runs_only(int device, int64_t from_ns, int64_t to_ns)
{
	spans[device] = (struct account_span){from_ns, to_ns};
	accounts[device].n_exposed = 1;
}

static void meets(int device, struct account_meeting meeting)
{
	meetings[device][accounts[device].n_meetings++] = meeting;
}

static void idles(int device, int64_t from_ns, int64_t to_ns, enum cause cause)
{
	idle[device][accounts[device].n++] = (struct idle){from_ns, to_ns, (uint32_t)cause};
}

static void expect(uint32_t device, const struct waits_piece *want, size_t n)
{
	const struct account *all[DEVICES] = {&accounts[0], &accounts[1], &accounts[2]};
	struct waits waits = {0};
	waits_of(&waits, all, device);
	CHECK(waits.n == n, "%zu pieces, not %zu", waits.n, n);
	for (size_t i = 0; i < n && i < waits.n; i++) {
		const struct waits_piece *p = &waits.at[i];
		CHECK(p->from_ns == want[i].from_ns && p->to_ns == want[i].to_ns &&
				  p->kind == want[i].kind && p->device == want[i].device &&
				  p->cause == want[i].cause,
			  "piece %zu: [%lld, %lld) kind %d of %u, cause %d", i, (long long)p->from_ns,
			  (long long)p->to_ns, (int)p->kind, p->device, (int)p->cause);
	}
	free(waits.at);
}

/* Device 1 computes, is idle, computes, and comes at 70. */
static void who_comes_last(void)
{
	begin();
	runs_only(0, 10, 100);
	meets(0, (struct account_meeting){5, 70, 100, 1});
	idles(1, 30, 40, CAUSE_SLEEP);
	meets(1, (struct account_meeting){70, 70, 100, 1});
	runs_only(1, 70, 100);
	expect(0,
		   (struct waits_piece[]){{10, 30, WAITS_WORK, CAUSE_NONE, 1},
								  {30, 40, WAITS_IDLE, CAUSE_SLEEP, 1},
								  {40, 70, WAITS_WORK, CAUSE_NONE, 1},
								  {70, 100, WAITS_TRANSFER, CAUSE_NONE, 0}},
		   4);
	expect(1, (struct waits_piece[]){{70, 100, WAITS_TRANSFER, CAUSE_NONE, 1}}, 1);
}

/* Device 0 waits for 1, which waits for 2 in another communicator until 50, and then moves data. */
static void through_two_communicators(void)
{
	begin();
	runs_only(0, 10, 100);
	meets(0, (struct account_meeting){10, 80, 100, 1});
	runs_only(1, 20, 60);
	meets(1, (struct account_meeting){20, 50, 60, 2});
	idles(2, 25, 50, CAUSE_INPUT);
	expect(0,
		   (struct waits_piece[]){{10, 20, WAITS_WORK, CAUSE_NONE, 1},
								  {20, 25, WAITS_WORK, CAUSE_NONE, 2},
								  {25, 50, WAITS_IDLE, CAUSE_INPUT, 2},
								  {50, 60, WAITS_TRANSFER, CAUSE_NONE, 1},
								  {60, 80, WAITS_WORK, CAUSE_NONE, 1},
								  {80, 100, WAITS_TRANSFER, CAUSE_NONE, 0}},
		   6);
}

/* Of two collectives at once, one that moves its data is not waited in. */
static void two_at_once(void)
{
	begin();
	runs_only(0, 0, 60);
	meets(0, (struct account_meeting){10, 30, 40, 2});
	meets(0, (struct account_meeting){0, 50, 60, 1});
	expect(0,
		   (struct waits_piece[]){{0, 30, WAITS_WORK, CAUSE_NONE, 1},
								  {30, 40, WAITS_TRANSFER, CAUSE_NONE, 0},
								  {40, 50, WAITS_WORK, CAUSE_NONE, 1},
								  {50, 60, WAITS_TRANSFER, CAUSE_NONE, 0}},
		   4);
}

static void round_and_round(void)
{
	begin();
	runs_only(0, 0, 50);
	runs_only(1, 0, 50);
	meets(0, (struct account_meeting){0, 50, 60, 1});
	meets(1, (struct account_meeting){0, 50, 60, 0});
	const struct account *all[DEVICES] = {&accounts[0], &accounts[1], &accounts[2]};
	struct waits waits = {0};
	waits_of(&waits, all, 0);
	CHECK(waits.n == 1 && waits.at[0].kind == WAITS_CIRCLE, "%zu pieces", waits.n);
	free(waits.at);
}

int main(void)
{
	who_comes_last();
	through_two_communicators();
	two_at_once();
	round_and_round();
	return finish();
}
