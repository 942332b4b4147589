/* What synchronising calls owe: who pays first, to whom, for how long, and what is forgotten. */
#include "attribute/debt.h"
#include "check.h"

static struct sync_call call_of(uint32_t thread, int64_t start, int64_t end)
{
	return (struct sync_call){.start = start, .end = end, .thread = thread, .name = (uint32_t)end};
}

static void owe(struct debt *debt, uint32_t thread, int64_t start, int64_t end)
{
	struct sync_call call = call_of(thread, start, end);
	CHECK(debt_add(debt, &call) == 0, "no memory");
}

/* The return of the call that pays for `at` before a launch of `thread` at 1,000; 0: nobody. */
static int64_t payer_of(struct debt *debt, uint32_t thread, int64_t at, int64_t *to)
{
	struct debt_launch launch = {thread, 1000};
	struct owed *payer = debt_payer(debt, &launch, at, to);
	return payer ? payer->call.end : 0;
}

static void pay(struct debt *debt, uint32_t thread, int64_t at, int64_t ns)
{
	struct debt_launch launch = {thread, 1000};
	int64_t to = at + ns;
	debt_pay(debt, debt_payer(debt, &launch, at, &to), ns);
}

static void the_last_pays_first(void)
{
	struct debt debt = {0};
	int64_t to = 900;
	owe(&debt, 1, 100, 200);
	owe(&debt, 1, 10, 40);
	owe(&debt, 1, 300, 400);
	CHECK(payer_of(&debt, 1, 30, &to) == 0 && to == 40, "paid before it returned, to %lld",
		  (long long)to);
	to = 900;
	CHECK(payer_of(&debt, 1, 250, &to) == 200 && to == 350, "100 ns from 250 end at %lld",
		  (long long)to);
	pay(&debt, 1, 250, 60);
	to = 900;
	CHECK(payer_of(&debt, 1, 310, &to) == 200 && to == 350, "40 ns are left");
	pay(&debt, 1, 310, 40);
	to = 900;
	CHECK(payer_of(&debt, 1, 350, &to) == 40 && to == 380, "then the one before it");
	to = 900;
	CHECK(payer_of(&debt, 1, 400, &to) == 400, "the last one again");
	debt_close(&debt);
}

static void it_returned_before_the_launch(void)
{
	struct debt debt = {0};
	int64_t to = 1200;
	owe(&debt, 1, 900, 1000);
	owe(&debt, 1, 1010, 1050);
	CHECK(payer_of(&debt, 1, 1100, &to) == 1000, "a call behind the launch pays for it");
	debt_close(&debt);
}

/* Thread 2's GPU-driving calls begin at `begins`; thread 1 waits in [100, 200). Does it owe thread
 * 2? */
static bool handed_over(const int64_t *begins, size_t n, int64_t settled)
{
	struct debt debt = {0};
	int64_t to = 900, first = debt_caller(&debt, 1), second = debt_caller(&debt, 2);
	CHECK(first == 0 && second == 1, "callers are numbered");
	for (size_t i = 0; i < n; i++)
		CHECK(debt_driven(&debt, 1, begins[i]) == 0, "no memory");
	debt_settle(&debt, settled);
	CHECK(debt_driven(&debt, 0, 100) == 0, "its own call");
	owe(&debt, 1, 100, 200);
	debt_settle(&debt, 250);
	bool shared = payer_of(&debt, 2, 300, &to) == 200;
	CHECK(payer_of(&debt, 1, 300, &to) == 200, "it owes its own thread");
	debt_close(&debt);
	return shared;
}

static void who_takes_over(void)
{
	static const int64_t around[] = {50, 99, 200}, at_begin[] = {50, 100, 200},
						 before_end[] = {199};
	CHECK(handed_over(around, 3, 0), "calls around it do not matter");
	CHECK(!handed_over(at_begin, 3, 0), "driven as it began");
	CHECK(!handed_over(before_end, 1, 0), "driven before it ended");
	CHECK(handed_over(around, 2, 99), "known from the call before");
	CHECK(!handed_over(at_begin, 2, 150), "what was settled is remembered");
}

static void far_back(void)
{
	struct debt debt = {0};
	struct debt_horizon horizon = {.n = 0};
	int64_t to = 900;
	owe(&debt, 1, 100, 200);
	for (int64_t i = 0; i < DEBT_DEPTH; i++) {
		CHECK(debt_horizon(&horizon) == INT64_MIN, "too few ops for a horizon");
		debt_horizon_pass(&horizon, 199 + i);
	}
	debt_expire(&debt, debt_horizon(&horizon));
	CHECK(payer_of(&debt, 1, 300, &to) == 200, "the op 1,000 places back had begun at 199");
	debt_horizon_pass(&horizon, 5000);
	debt_expire(&debt, debt_horizon(&horizon));
	CHECK(payer_of(&debt, 1, 300, &to) == 0, "the op 1,000 places back had begun at 200");
	debt_close(&debt);
}

static void many(void)
{
	struct debt debt = {0};
	int64_t to = 900;
	for (int64_t i = 0; i < 5000; i++) {
		owe(&debt, 1, i - 6000, i - 5999);
		debt_expire(&debt, i - 6010);
	}
	CHECK(debt.tail - debt.head == 11, "%zu calls are kept of 11", debt.tail - debt.head);
	CHECK(debt.room <= 64, "%zu places for 11 calls", debt.room);
	CHECK(payer_of(&debt, 1, 0, &to) == -1000 && to == 1, "the last of many");
	debt_close(&debt);
}

int main(void)
{
	the_last_pays_first();
	it_returned_before_the_launch();
	who_takes_over();
	far_back();
	many();
	return finish();
}
