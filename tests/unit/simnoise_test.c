/* Host noise that lasts. Keeps out: noise that is no noise, that jumps where it should drift, that
 * all hosts share, and bursts that never end. */
#include "check.h"
#include "virtual/machine/noise.h"

enum { HOSTS = 2, PROCESSES = 4, SAMPLES = 20000, EVERY_NS = 1000000 };

static struct script *script(enum noise_shape shape)
{
	struct script *s = script_new(7, 1);
	for (uint32_t i = 0; i < HOSTS; i++)
		script_host(s, 8);
	for (uint32_t i = 0; i < PROCESSES; i++)
		script_process(s, i / 2, (int32_t)i, PROCESSES, 1);
	s->noise.shape = shape;
	return s;
}

static int64_t deviation(const struct script *s, uint32_t process, int i)
{
	return (int64_t)noise_factor(s, process, 1000000000 + (int64_t)i * EVERY_NS) - SCALE_ONE;
}

/* Of the deviations of a and of b, `later` samples later, of 1,000. */
static int64_t correlation(const struct script *s, uint32_t a, uint32_t b, int later)
{
	int64_t both = 0, square = 0;
	for (int i = 0; i < SAMPLES; i++) {
		both += deviation(s, a, i) * deviation(s, b, i + later);
		square += deviation(s, a, i) * deviation(s, a, i);
	}
	return square ? 1000 * both / square : 0;
}

static void drift(void)
{
	struct script *s = script(NOISE_DRIFT);
	int64_t sum = 0, jump = 0, least = 0, most = 0;
	for (int i = 0; i < SAMPLES; i++) {
		int64_t now = deviation(s, 0, i), step = deviation(s, 0, i + 1) - now;
		sum += now;
		jump = step * step > jump * jump ? step : jump;
		least = now < least ? now : least;
		most = now > most ? now : most;
	}
	CHECK(sum / SAMPLES > -20 && sum / SAMPLES < 20, "mean %lld", (long long)(sum / SAMPLES));
	CHECK(jump > -20 && jump < 20, "jumps by %lld in a millisecond", (long long)jump);
	CHECK(least < -150 && most > 150 && least > -310 && most < 310, "%lld to %lld",
		  (long long)least, (long long)most);
	CHECK(correlation(s, 0, 0, 5) > 900, "a moment later: %lld",
		  (long long)correlation(s, 0, 0, 5));
	CHECK(correlation(s, 0, 0, 200) < 150, "much later");
	CHECK(correlation(s, 0, 1, 0) > 500 && correlation(s, 0, 1, 0) < 950, "on one host: %lld",
		  (long long)correlation(s, 0, 1, 0));
	CHECK(correlation(s, 0, 2, 0) < 150, "on two hosts: %lld", (long long)correlation(s, 0, 2, 0));
	script_free(s);
}

static void bursts(void)
{
	struct script *s = script(NOISE_BURSTS);
	int slow = 0, begins = 0, together = 0, longest = 0, now = 0;
	for (int i = 0; i < SAMPLES; i++) {
		bool in = deviation(s, 0, i) > 0;
		now = in ? now + 1 : 0;
		longest = now > longest ? now : longest;
		slow += in;
		begins += in && now == 1;
		together += in && deviation(s, 1, i) > 0;
		CHECK(!in || deviation(s, 0, i) == 2 * SCALE_ONE, "three times as long");
	}
	CHECK(slow > SAMPLES / 200 && slow < SAMPLES / 50, "%d of %d ms", slow, SAMPLES);
	CHECK(begins > 15 && longest >= 5 && longest <= 30, "%d bursts, the longest %d ms", begins,
		  longest);
	CHECK(together < slow / 3, "%d of %d on both processes", together, slow);
	script_free(s);
}

static void even(void)
{
	struct script *s = script(NOISE_EVEN);
	for (int i = 0; i < 1000; i++)
		CHECK(deviation(s, 0, i) == 0, "even noise is the tables' alone");
	script_free(s);
}

int main(void)
{
	drift();
	bursts();
	even();
	return finish();
}
