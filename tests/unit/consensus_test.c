/* When devices choose their steps together, and which they are given. */
#include "attribute/consensus.h"
#include "check.h"

enum { DEVICES = 4 };

/* A device that found `steps` by periodicity in many launches, of which `complete` of 20 look alike. */
static struct device_scan scan(uint32_t steps, uint32_t complete)
{
	return (struct device_scan){.by_period = true,
								.launches = 1000,
								.period_steps = steps,
								.fit = {.looked = 20, .complete = complete}};
}

static void needed(void)
{
	struct device_scan scans[DEVICES];
	for (int i = 0; i < DEVICES; i++)
		scans[i] = scan(100, 20);
	CHECK(!consensus_needed(scans, DEVICES), "all agree");
	scans[1] = scan(103, 20);
	CHECK(!consensus_needed(scans, DEVICES), "3 percent apart is the same");
	scans[1] = scan(104, 20);
	CHECK(consensus_needed(scans, DEVICES), "4 percent is not");
	scans[1].launches = 50;
	CHECK(!consensus_needed(scans, DEVICES), "a device with 50 launches has no say");
	scans[1].launches = 51;
	CHECK(consensus_needed(scans, DEVICES), "one with 51 has");
	scans[1].empty = true;
	CHECK(!consensus_needed(scans, DEVICES), "nor one on which nothing ran");
	scans[1] = scan(104, 20);
	scans[2].by_period = false;
	CHECK(!consensus_needed(scans, DEVICES), "one has marks: nothing is agreed on");
	for (int i = 0; i < DEVICES; i++)
		scans[i] = scan(100, i < 2 ? 14 : 20);
	CHECK(consensus_needed(scans, DEVICES), "the lower median is not sure: 14 of 20");
	scans[1] = scan(100, 15);
	CHECK(!consensus_needed(scans, DEVICES), "15 of 20 is");
	for (int i = 0; i < DEVICES; i++)
		scans[i] = scan(0, 0);
	CHECK(consensus_needed(scans, DEVICES), "none found any");
	CHECK(!consensus_needed(scans, 0), "no devices");
	scans[0] = scan(100, 10);
	CHECK(consensus_needed(scans, 1), "one device alone may be unsure too");
}

/* Three stages propose their micro-batches and the steps, the last one hardly anything. */
static void chosen(void)
{
	struct device_scan scans[] = {scan(160, 20), scan(20, 20), scan(40, 20), scan(20, 20)};
	struct proposal first[] = {{.n = 160, .quality = 990}, {.n = 20, .quality = 950}};
	struct proposal second[] = {{.n = 21, .quality = 900}, {.n = 20, .quality = 700}};
	struct proposal third[] = {{.n = 40, .quality = 1000}};
	struct proposals proposals[] = {{first, 2}, {second, 2}, {third, 1}, {NULL, 0}};
	struct proposal given[DEVICES];
	scans[3].launches = 10;
	consensus_choose(scans, DEVICES, proposals, given);
	CHECK(given[0].n == 20 && given[0].quality == 950, "the first takes 20: %u", given[0].n);
	CHECK(given[1].n == 21, "the best near 20: %u", given[1].n);
	CHECK(given[2].n == 0 && given[3].n == 0, "none near it, none at all: %u, %u", given[2].n,
		  given[3].n);
	first[1].quality = second[0].quality = second[1].quality = 400;
	third[0].quality = 0;
	consensus_choose(scans, DEVICES, proposals, given);
	for (int i = 0; i < DEVICES; i++)
		CHECK(given[i].n == 0, "less than 0.6 in the mean: device %d has %u", i, given[i].n);
}

int main(void)
{
	needed();
	chosen();
	return finish();
}
