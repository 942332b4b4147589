/* The interval of a gain: of which steps, of what the others win, of what nothing explains. */
#include "check.h"
#include "conclude/gain_reference.h"
#include "conclude/replay_late.h"
#include "graph/gain.h"

enum { STEPS = 21, STEP_NS = 1000000 };

/* Ends of steps, those without the loss of `ns`, which every `every`-th has. */
static struct gain gain_of(int every, int64_t ns, uint32_t n)
{
	int64_t before_ns[STEPS] = {0}, after_ns[STEPS] = {0};
	struct gain gain;
	for (uint32_t i = 1; i < n; i++) {
		before_ns[i] = before_ns[i - 1] + STEP_NS;
		after_ns[i] = after_ns[i - 1] + STEP_NS - ((int)i % every == 0 ? ns : 0);
	}
	CHECK(gain_of_steps(before_ns, after_ns, n, &gain) == 0, "no gain");
	return gain;
}

static bool is(struct gain gain, int64_t ns, int64_t low_ns, int64_t high_ns)
{
	return gain.ns == ns && gain.low_ns == low_ns && gain.high_ns == high_ns;
}

/* Keeps out: one number for a loss of every step and for one of every fifth. */
static void test_steps(void)
{
	CHECK(is(gain_of(1, 1000, STEPS), 1000, 1000, 1000), "every step wins as much");
	const struct gain rare = gain_of(5, 10000, STEPS);
	CHECK(rare.ns == 2000 && rare.low_ns < 1000 && rare.high_ns > 3000, "%lld to %lld",
		  (long long)rare.low_ns, (long long)rare.high_ns);
	CHECK(is(gain_of(2, 1000, 3), 500, 0, 1000), "two steps are both of them");
	CHECK(is(gain_of(1, 1000, 1), 0, 0, 0), "no step");
}

static void test_peers(void)
{
	const struct peers peers = {-10, 50, 80, true}, unknown = {0};
	struct gain gain = {1000, 900, 1100};
	gain_subtract_peers(&gain, &unknown);
	CHECK(is(gain, 1000, 900, 1100), "without peers nothing is known of noise");
	gain_subtract_peers(&gain, &peers);
	CHECK(is(gain, 950, 820, 1110), "%lld, %lld to %lld", (long long)gain.ns,
		  (long long)gain.low_ns, (long long)gain.high_ns);
	gain_widen(&gain, 5000, 100);
	CHECK(is(gain, 950, 700, 1230), "%lld to %lld", (long long)gain.low_ns,
		  (long long)gain.high_ns);
	gain_widen(&gain, 5000, 1000);
	CHECK(gain.low_ns == 0 && gain.high_ns == 2250, "no cure makes a step longer");
}

static void test_references(void)
{
	CHECK(gain_reference_of("kernels") == REFERENCE_PEERS, "kernels");
	CHECK(gain_reference_of("link") == REFERENCE_CLASS, "link");
	CHECK(gain_reference_of("steady_host") == REFERENCE_STEPS, "steady_host");
	CHECK(gain_reference_of("no_core") == REFERENCE_REMOVAL, "no_core");
	CHECK(gain_reference_of("transfer") == REFERENCE_NONE && !gain_reference_name(REFERENCE_NONE),
		  "nobody knows how fast links should be");
	for (int cause = 0; cause < CAUSES; cause++)
		CHECK(cause_compares((enum cause)cause) <=
				  (gain_reference_of(cause_name((enum cause)cause)) == REFERENCE_PEERS),
			  "%s compares", cause_name((enum cause)cause));
	CHECK(replay_explains(100, 5) && !replay_explains(100, 6), "a twentieth");
}

int main(void)
{
	test_steps();
	test_peers();
	test_references();
	return finish();
}
