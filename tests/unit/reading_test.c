/* What devices showed: which gauge is which reading, which reasons slow, that hostile numbers do no
 * harm, and that the order of adding does not matter. */
#include "check.h"
#include "conclude/clocks.h"

#include <baton/format.h>
#include <stdlib.h>
#include <string.h>

/* Each gauge is the reading of its name in docs/FORMAT.md; one that is not known is none. */
static void gauges(void)
{
	static const char *const names[BATON_GAUGE_END] = {
		NULL,
		"sm_mhz",
		"sm_max_mhz",
		"memory_mhz",
		"power_mw",
		"power_limit_mw",
		"temperature_c",
		"memory_used_bytes",
		"gpu_busy_percent",
		"memory_busy_percent",
		"slowed",
	};
	for (int gauge = 0; gauge < 256; gauge++) {
		struct reading readings[READINGS] = {{0}};
		const char *name = gauge < BATON_GAUGE_END ? names[gauge] : NULL;
		reading_take(readings, (uint8_t)gauge, 8);
		for (int kind = 0; kind < READINGS; kind++) {
			const char *own = reading_name((enum reading_kind)kind);
			bool wanted = name && strncmp(own, name, strlen(name)) == 0 &&
						  (own[strlen(name)] == 0 || own[strlen(name)] == '.');
			CHECK(readings[kind].looks == wanted, "gauge %d as %s: %d looks", gauge, own,
				  (int)readings[kind].looks);
		}
	}
}

/* NVML's bits: idle, set clocks, the boost group and the display's clock slow nothing. */
static void reasons(void)
{
	static const struct {
		uint64_t bits;
		int slowed;
		enum reading_kind worst;
	} cases[] = {{0x0, 0, READING_SLOWED},
				 {0x1 | 0x2 | 0x10 | 0x100, 0, READING_SLOWED},
				 {UINT64_MAX << 9, 0, READING_SLOWED},
				 {0x4, 1, READING_SW_POWER_CAP},
				 {0x8, 1, READING_HW_SLOWDOWN},
				 {0x4 | 0x40, 1, READING_HW_THERMAL},
				 {0x20, 1, READING_SW_THERMAL},
				 {0x8 | 0x40, 1, READING_HW_THERMAL},
				 {0x8 | 0x80, 1, READING_HW_POWER_BRAKE}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reading readings[READINGS] = {{0}};
		reading_take(readings, BATON_GAUGE_EVENT_REASONS, cases[i].bits);
		const enum reading_kind worst = clocks_reason(&(struct clocks_all){0}, readings).kind;
		CHECK(readings[READING_SLOWED].looks == 1 &&
				  readings[READING_SLOWED].sum == cases[i].slowed && worst == cases[i].worst,
			  "bits %#llx: %d, %s", (unsigned long long)cases[i].bits,
			  (int)readings[READING_SLOWED].sum, reading_reason(worst));
	}
}

/* A look of an idle GPU is none of how fast it runs, wherever in it the reasons stand: its clocks
 * are 345 MHz because nobody asks for more. */
static void idle_looks(void)
{
	for (int first = 0; first < 2; first++) {
		struct reading readings[READINGS] = {{0}};
		struct reading_look look = {.any = false};
		for (int i = 0; i < 6; i++) {
			bool idle = i % 3 == 0;
			const struct reading_row rows[] = {
				{i / 2, i % 2, idle ? 1 : 4, BATON_GAUGE_EVENT_REASONS},
				{i / 2, i % 2, idle ? 345 : 1755, BATON_GAUGE_SM_MHZ},
				{i / 2, i % 2, idle ? 405 : 2619, BATON_GAUGE_MEMORY_MHZ},
				{i / 2, i % 2, idle ? 70000 : 600000, BATON_GAUGE_POWER_MW},
				{i / 2, i % 2, 40, BATON_GAUGE_TEMPERATURE_C},
				{i / 2, i % 2, idle ? 1 : 4, BATON_GAUGE_EVENT_REASONS}};
			for (int n = first; n < 5 + first; n++)
				reading_look_take(&look, &rows[n], readings);
		}
		reading_look_end(&look, readings);
		reading_look_end(&look, readings);
		CHECK(readings[READING_SM_MHZ].looks == 4 && readings[READING_SM_MHZ].least == 1755 &&
				  readings[READING_MEMORY_MHZ].least == 2619 &&
				  readings[READING_POWER_MW].least == 600000,
			  "the clock of an idle GPU counts: %lld", (long long)readings[READING_SM_MHZ].least);
		CHECK(readings[READING_TEMPERATURE_C].looks == 6 && readings[READING_SLOWED].looks == 6 &&
				  readings[READING_SLOWED].sum == 4,
			  "%d looks", (int)readings[READING_TEMPERATURE_C].looks);
	}
}

static void sums(void)
{
	struct reading readings[READINGS] = {{0}}, *sm = &readings[READING_SM_MHZ];
	CHECK(reading_mean(sm) == -1, "the mean of nothing");
	for (uint64_t mhz = 1000; mhz <= 1003; mhz++)
		reading_take(readings, BATON_GAUGE_SM_MHZ, mhz);
	CHECK(sm->looks == 4 && reading_mean(sm) == 1001 && sm->least == 1000 && sm->most == 1003,
		  "%d looks, mean %lld", (int)sm->looks, (long long)reading_mean(sm));
	reading_take(readings, BATON_GAUGE_SM_MHZ, UINT64_MAX);
	reading_take(readings, BATON_GAUGE_SM_MHZ, (uint64_t)READING_LIMIT);
	CHECK(sm->looks == 4, "numbers that no device shows count");
	for (int i = 0; i < 5; i++)
		reading_take(readings, BATON_GAUGE_POWER_MW, (uint64_t)READING_LIMIT - 1);
	CHECK(readings[READING_POWER_MW].sum == READING_LIMIT, "a sum beyond its limit: %lld",
		  (long long)readings[READING_POWER_MW].sum);
}

/* ((a + b) + c) and (c + (b + a)), also where the sum is at its limit or a part is empty. */
static void any_order(void)
{
	srand(5);
	for (int round = 0; round < 1000; round++) {
		struct reading parts[3] = {{0}}, one = {0}, inner = {0}, other = {0};
		for (int i = 0; i < 3; i++)
			for (int n = rand() % 3; n > 0; n--) {
				int64_t value = round % 2 ? rand() : READING_LIMIT / 2 - rand() % 3;
				reading_add(&parts[i], &(struct reading){1, value, value, value});
			}
		for (int i = 0; i < 3; i++)
			reading_add(&one, &parts[i]);
		reading_add(&inner, &parts[1]);
		reading_add(&inner, &parts[0]);
		reading_add(&other, &parts[2]);
		reading_add(&other, &inner);
		CHECK(memcmp(&one, &other, sizeof(one)) == 0, "round %d: the order of adding matters",
			  round);
	}
}

static void comparing(void)
{
	struct summary s;
	struct clocks clocks;
	static const uint64_t mhz[] = {1700, 1185, 1710, 1690};
	summary_init(&s);
	for (int i = 0; i < 5; i++) {
		char key[16];
		snprintf(key, sizeof(key), "h/%d", i);
		struct device_summary *d = summary_device(&s, key);
		if (i < 4) /* nobody looked at the last one */
			reading_take(d->readings, BATON_GAUGE_SM_MHZ, mhz[i]);
	}
	CHECK(clocks_compare(&s, 1, &clocks) && clocks.own == 1185 && clocks.others == 1700 &&
			  clocks_lower(&clocks, CLOCKS_TELL),
		  "%lld of %lld", (long long)clocks.own, (long long)clocks.others);
	CHECK(clocks_compare(&s, 0, &clocks) && clocks.others == 1690 && !clocks_lower(&clocks, 0),
		  "the middle one of three: %lld", (long long)clocks.others);
	CHECK(clocks_compare(&s, 2, &clocks) && clocks.others == 1690, "of the highest: %lld",
		  (long long)clocks.others);
	CHECK(!clocks_compare(&s, 4, &clocks), "a clock that nobody saw");
	summary_free(&s);
	summary_init(&s);
	reading_take(summary_device(&s, "h/0")->readings, BATON_GAUGE_SM_MHZ, 1000);
	CHECK(!clocks_compare(&s, 0, &clocks), "compared with no other");
	summary_free(&s);
}

/* Of eight devices, all at their power limit, in `looks` of 100 looks one has these bits too. */
static void power_limited(struct summary *s, size_t device, int looks, uint64_t bits)
{
	summary_init(s);
	for (size_t i = 0; i < 8; i++) {
		char key[16];
		snprintf(key, sizeof(key), "h/%zu", i);
		struct device_summary *d = summary_device(s, key);
		for (int n = 0; n < 100; n++)
			reading_take(d->readings, BATON_GAUGE_EVENT_REASONS,
						 0x4 | (i == device && n < looks ? bits : 0));
	}
}

/* What all have is no reason why one is slow, however often it has it, and sets none apart. */
static void apart(void)
{
	static const struct {
		int looks;
		uint64_t bits;
		enum reading_kind kind;
		bool out;
	} cases[] = {{34, 0x48, READING_HW_THERMAL, true},
				 {34, 0x88, READING_HW_POWER_BRAKE, true},
				 {10, 0x20, READING_SW_THERMAL, true},
				 {9, 0x20, READING_SW_THERMAL, false},
				 {0, 0, READING_SW_POWER_CAP, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct summary s;
		struct clocks_all all;
		struct clocks_standing hot, other;
		power_limited(&s, 5, cases[i].looks, cases[i].bits);
		CHECK(clocks_open(&all, &s) == 0, "no memory");
		struct clocks_reason reason = clocks_reason(&all, s.devices[5].readings);
		CHECK(reason.kind == cases[i].kind &&
				  reason.own_ppm == (cases[i].looks ? cases[i].looks * 10000 : 1000000) &&
				  reason.others_ppm == (cases[i].looks ? 0 : 1000000),
			  "case %zu: %s, %d and %d ppm", i, reading_reason(reason.kind), (int)reason.own_ppm,
			  (int)reason.others_ppm);
		CHECK(clocks_stands_out(&all, &s.devices[5], &hot) == cases[i].out &&
				  !clocks_stands_out(&all, &s.devices[4], &other) &&
				  clocks_worse(&hot, &other) == (cases[i].looks ? -1 : 0),
			  "case %zu: who stands out", i);
		clocks_close(&all);
		summary_free(&s);
	}
}

/* The lower clock first, then what the others do not have; nothing is known of one without looks.
 */
static void standing(void)
{
	static const struct clocks_standing order[] = {
		{200000, 0, 0}, {100000, 500000, 500000}, {0, 400000, 0}, {0, 0, 300000}, {0, 0, 0}};
	for (size_t i = 0; i < 5; i++)
		for (size_t n = 0; n < 5; n++)
			CHECK(clocks_worse(&order[i], &order[n]) == (i < n ? -1 : i > n), "%zu and %zu", i, n);
	struct summary s;
	struct clocks_all all;
	struct clocks_standing none;
	summary_init(&s);
	struct device_summary *d = summary_device(&s, "h/0");
	CHECK(clocks_open(&all, &s) == 0 && !clocks_stands_out(&all, d, &none), "nobody looked");
	clocks_close(&all);
	/* alone, what is known of it counts; a reason of which the summary says nothing is none */
	d->readings[READING_SLOWED] = (struct reading){100, 100, 1, 1};
	CHECK(clocks_open(&all, &s) == 0 && !clocks_stands_out(&all, d, &none) &&
			  clocks_reason(&all, d->readings).kind == READING_SLOWED,
		  "slowed by nothing");
	clocks_close(&all);
	d->readings[READING_SW_POWER_CAP] = (struct reading){100, 100, 1, 1};
	d->readings[READING_SW_THERMAL] = (struct reading){100, 1, 0, 1};
	CHECK(clocks_open(&all, &s) == 0 && clocks_reason(&all, d->readings).kind == READING_SW_THERMAL,
		  "without others the power cap comes before heat");
	clocks_close(&all);
	d->readings[READING_SW_THERMAL].sum = 0;
	d->readings[READING_SW_POWER_CAP].sum = 10;
	CHECK(clocks_open(&all, &s) == 0 && clocks_stands_out(&all, d, &none) &&
			  clocks_reason(&all, d->readings).others_ppm == -1,
		  "slowed in 10 %% of its looks");
	clocks_close(&all);
	summary_free(&s);
}

int main(void)
{
	gauges();
	reasons();
	idle_looks();
	sums();
	any_order();
	comparing();
	apart();
	standing();
	return finish();
}
