/* What synchronising calls owe: how much, who pays first, to whom, for how long, and what is
 * forgotten. */
#include "attribute/debt.h"
#include "check.h"

static struct unowed_clock busy; /* a device that has worked all along */

static struct debt opened(const struct unowed_clock *clock, uint32_t callers)
{
	struct debt debt;
	debt_open(&debt, clock);
	for (uint32_t i = 0; i < callers; i++)
		CHECK(debt_caller(&debt) == i, "callers are numbered");
	return debt;
}

static void owe(struct debt *debt, uint32_t caller, int64_t start, int64_t end)
{
	struct sync_call call = {
		.start = start, .end = end, .caller = caller, .thread = caller, .name = (uint32_t)end};
	CHECK(debt_add(debt, &call) == 0, "no memory");
}

static void settle(struct debt *debt, int64_t to)
{
	CHECK(debt_settle(debt, to) == 0, "no memory");
}

/* The return of the call that pays for `at` before a launch of `caller` at 1,000; 0: nobody. */
static int64_t payer_of(struct debt *debt, uint32_t caller, int64_t at, int64_t *to)
{
	struct debt_launch launch = {caller, 1000};
	struct owed *payer = debt_payer(debt, &launch, at, to);
	return payer ? payer->call.end : 0;
}

static void pay(struct debt *debt, uint32_t caller, int64_t at, int64_t ns)
{
	struct debt_launch launch = {caller, 1000};
	int64_t to = at + ns;
	struct owed *payer = debt_payer(debt, &launch, at, &to);
	CHECK(payer && to == at + ns, "nobody pays for %lld ns", (long long)ns);
	if (payer)
		debt_pay(payer, ns);
}

static void the_last_pays_first(void)
{
	struct debt debt = opened(&busy, 1);
	int64_t to = 900;
	owe(&debt, 0, 100, 200);
	owe(&debt, 0, 10, 40);
	owe(&debt, 0, 300, 400);
	settle(&debt, 1000);
	CHECK(payer_of(&debt, 0, 30, &to) == 0 && to == 40, "paid before it returned, to %lld",
		  (long long)to);
	to = 900;
	CHECK(payer_of(&debt, 0, 250, &to) == 200 && to == 350, "100 ns from 250 end at %lld",
		  (long long)to);
	pay(&debt, 0, 250, 60);
	to = 900;
	CHECK(payer_of(&debt, 0, 310, &to) == 200 && to == 350, "40 ns are left");
	pay(&debt, 0, 310, 40);
	to = 900;
	CHECK(payer_of(&debt, 0, 350, &to) == 40 && to == 380, "then the one before it");
	to = 900;
	CHECK(payer_of(&debt, 0, 400, &to) == 400, "the last one again");
	debt_close(&debt);
}

static void it_returned_before_the_launch(void)
{
	struct debt debt = opened(&busy, 1);
	int64_t to = 1200;
	owe(&debt, 0, 900, 1000);
	owe(&debt, 0, 1010, 1050);
	settle(&debt, 1200);
	CHECK(payer_of(&debt, 0, 1100, &to) == 1000, "a call behind the launch pays for it");
	debt_close(&debt);
}

static void it_waits_for_its_return(void)
{
	struct debt debt = opened(&busy, 1);
	int64_t to = 900;
	owe(&debt, 0, 100, 300);
	settle(&debt, 200);
	CHECK(!debt_owes(&debt, 0), "it has not returned");
	settle(&debt, 300);
	CHECK(debt_owes(&debt, 0) && payer_of(&debt, 0, 400, &to) == 300 && to == 600, "200 ns");
	debt_close(&debt);
}

/* Caller 1's GPU-driving calls begin at `begins`; caller 0 waits in [100, 200). Does it owe caller
 * 1? */
static bool handed_over(const int64_t *begins, size_t n, int64_t settled)
{
	struct debt debt = opened(&busy, 2);
	int64_t to = 900;
	for (size_t i = 0; i < n; i++)
		CHECK(debt_driven(&debt, 1, begins[i]) == 0, "no memory");
	settle(&debt, settled);
	CHECK(debt_driven(&debt, 0, 100) == 0, "its own call");
	owe(&debt, 0, 100, 200);
	settle(&debt, 150);
	settle(&debt, 250);
	bool shared = payer_of(&debt, 1, 300, &to) == 200;
	CHECK(payer_of(&debt, 0, 300, &to) == 200, "it owes its own thread");
	debt_close(&debt);
	return shared;
}

static void who_takes_over(void)
{
	static const int64_t around[] = {50, 99, 200}, at_begin[] = {50, 100, 200},
						 before_end[] = {199}, jumbled[] = {210, 199, 20};
	CHECK(handed_over(around, 3, 0), "calls around it do not matter");
	CHECK(!handed_over(at_begin, 3, 0), "driven as it began");
	CHECK(!handed_over(before_end, 1, 0), "driven before it ended");
	CHECK(!handed_over(jumbled, 3, 0), "told in any order");
	CHECK(handed_over(around, 2, 99), "known from the call before");
	CHECK(!handed_over(at_begin, 2, 150), "what was settled is remembered");
}

/* Callers 1 and 2 drive in turns with caller 0, which waits in [100, 200) and [300, 400). */
static void the_one_before_the_last(void)
{
	struct debt debt = opened(&busy, 3);
	int64_t to = 900;
	static const struct driven all[] = {{90, 1}, {110, 2}, {190, 0}, {290, 1}, {310, 0}, {390, 0}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		CHECK(debt_driven(&debt, all[i].caller, all[i].begin) == 0, "no memory");
	owe(&debt, 0, 100, 200);
	owe(&debt, 0, 300, 400);
	settle(&debt, 500);
	CHECK(payer_of(&debt, 1, 600, &to) == 400, "only its own thread drove in the second");
	pay(&debt, 1, 600, 100);
	CHECK(payer_of(&debt, 1, 700, &to) == 0, "another thread drove in the first");
	CHECK(payer_of(&debt, 0, 700, &to) == 200, "its own thread has it still");
	debt_close(&debt);
}

/* The later of what is everybody's and what is its own. */
static void two_lists(void)
{
	struct debt debt = opened(&busy, 2);
	int64_t to = 900;
	owe(&debt, 0, 100, 200);
	owe(&debt, 0, 300, 400);
	owe(&debt, 1, 500, 600);
	CHECK(debt_driven(&debt, 1, 350) == 0, "no memory");
	settle(&debt, 700);
	CHECK(payer_of(&debt, 0, 450, &to) == 400 && to == 550, "its own");
	to = 900;
	CHECK(payer_of(&debt, 1, 450, &to) == 200 && to == 550, "the one that all waited for");
	to = 510;
	pay(&debt, 0, 450, 100);
	to = 900;
	CHECK(payer_of(&debt, 0, 560, &to) == 200 && to == 600, "until another one returns");
	CHECK(payer_of(&debt, 0, 600, &to) == 600, "the other thread's");
	debt_close(&debt);
}

static void what_was_idle_is_not_owed(void)
{
	struct unowed_clock clock = {.first = 100};
	int64_t to = 900;
	unowed_clock_add(&clock, 200, 260);
	unowed_clock_add(&clock, 300, 400);
	struct debt debt = opened(&clock, 1);
	owe(&debt, 0, 10, 90);
	owe(&debt, 0, 200, 260);
	settle(&debt, 300);
	CHECK(!debt_owes(&debt, 0), "the device was idle all along");
	owe(&debt, 0, 50, 110);
	owe(&debt, 0, 250, 310);
	settle(&debt, 320);
	CHECK(payer_of(&debt, 0, 500, &to) == 310 && to == 540, "[260, 300) is owed");
	pay(&debt, 0, 500, 40);
	to = 900;
	CHECK(payer_of(&debt, 0, 540, &to) == 110 && to == 550, "[100, 110) is owed");
	debt_close(&debt);
}

static void the_clock_forgets(void)
{
	struct unowed_clock clock = {.first = 0};
	int64_t sum = 0, end = 0;
	for (int64_t i = 0; !unowed_clock_full(&clock); i++) {
		sum += 1 + i % 3;
		end = 10 * i + 6 + i % 3;
		unowed_clock_add(&clock, 10 * i + 5, end);
	}
	CHECK(clock.n == UNOWED_CLOCK_SPANS && unowed_clock_at(&clock, end + 3) == sum,
		  "%lld of %lld ns", (long long)unowed_clock_at(&clock, end + 3), (long long)sum);
	CHECK(unowed_clock_at(&clock, 5) == 0 && unowed_clock_at(&clock, 16) == 2 &&
			  unowed_clock_at(&clock, -7) == -7,
		  "in the first gaps and before the first op");
	int64_t at = 1007, before = unowed_clock_at(&clock, at);
	unowed_clock_forget(&clock, at);
	CHECK(clock.n == UNOWED_CLOCK_SPANS - 101 && unowed_clock_at(&clock, at) == before,
		  "%zu are left", clock.n);
	unowed_clock_forget(&clock, end);
	CHECK(clock.n == 0 && unowed_clock_at(&clock, end) == sum, "the sum stays");
	unowed_clock_add(&clock, end, end + 10);
	CHECK(unowed_clock_at(&clock, end + 4) == sum + 4, "and goes on");
	unowed_clock_add(&clock, end + 10, end + 15);
	CHECK(clock.n == 1 && unowed_clock_at(&clock, end + 12) == sum + 12, "in one span");
}

static void far_back(void)
{
	struct debt debt = opened(&busy, 1);
	struct debt_horizon horizon = {.next = 0};
	int64_t to = 900;
	owe(&debt, 0, 100, 200);
	settle(&debt, 300);
	for (int64_t i = 0; i < DEBT_DEPTH; i++) {
		CHECK(debt_horizon(&horizon) == INT64_MIN, "too few ops for a horizon");
		debt_horizon_pass(&horizon, 199 + i);
	}
	debt_expire(&debt, debt_horizon(&horizon));
	CHECK(payer_of(&debt, 0, 300, &to) == 200, "the op 1,000 places back had begun at 199");
	debt_horizon_pass(&horizon, 5000);
	debt_expire(&debt, debt_horizon(&horizon));
	CHECK(payer_of(&debt, 0, 300, &to) == 0, "the op 1,000 places back had begun at 200");
	debt_close(&debt);
}

static void many(void)
{
	struct debt debt = opened(&busy, 1);
	int64_t to = 900;
	for (int64_t i = 0; i < 5000; i++) {
		owe(&debt, 0, i - 6000, i - 5999);
		settle(&debt, i - 5999);
		debt_expire(&debt, i - 6010);
	}
	CHECK(debt.shared.tail - debt.shared.head <= 12, "%zu calls are kept of 11",
		  debt.shared.tail - debt.shared.head);
	CHECK(debt.shared.room <= 64, "%zu places for 11 calls", debt.shared.room);
	CHECK(payer_of(&debt, 0, 0, &to) == -1000 && to == 1, "the last of many");
	debt_close(&debt);
}

/* Paid ones in the middle: of 4,000 calls of 1 ns every second one is paid, in an order that leaves
 * runs to be passed; what each instant finds is what a walk would find. */
static void paid_in_any_order(void)
{
	enum { N = 4000 };
	static bool paid[N];
	struct debt debt = opened(&busy, 1);
	for (int64_t i = 0; i < N; i++)
		owe(&debt, 0, i, i + 1);
	settle(&debt, N);
	for (int64_t i = 0; i < N / 2; i++) {
		int64_t at = 1 + i * 1543 % N, expected = at, to = N + 1;
		struct debt_launch launch = {0, N};
		while (expected > 0 && paid[expected - 1])
			expected--;
		struct owed *payer = debt_payer(&debt, &launch, at, &to);
		CHECK((payer ? payer->call.end : 0) == expected, "%lld pays for %lld, not %lld",
			  payer ? (long long)payer->call.end : 0LL, (long long)at, (long long)expected);
		if (!payer)
			continue;
		debt_pay(payer, 1);
		paid[expected - 1] = true;
	}
	owe(&debt, 0, N, N + 1); /* makes room where the paid ones were */
	settle(&debt, N + 1);
	CHECK(debt.shared.room <= 8192, "%zu places", debt.shared.room);
	debt_close(&debt);
}

int main(void)
{
	busy.first = INT64_MIN / 2;
	the_last_pays_first();
	it_returned_before_the_launch();
	it_waits_for_its_return();
	who_takes_over();
	the_one_before_the_last();
	two_lists();
	what_was_idle_is_not_owed();
	the_clock_forgets();
	far_back();
	many();
	paid_in_any_order();
	return finish();
}
