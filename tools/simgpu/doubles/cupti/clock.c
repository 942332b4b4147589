#include "doubles/cupti/clock.h"
#include "doubles/cupti/client.h"
#include "doubles/cupti/driver.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(timestamp_fn) client;
static int64_t first_ns;
static uint64_t first_client;

static uint64_t clock_ask(timestamp_fn ask)
{
	uint64_t now;

	client_enter();
	now = ask();
	client_leave();
	return now;
}

/* Both clocks at one moment: the tightest of a few readings, for a thread may lose its core between
 * the two. */
static void clock_pair(timestamp_fn ask, uint64_t *now, int64_t *ns)
{
	uint64_t tightest = UINT64_MAX, before, after;
	int64_t between;

	for (int i = 0; i < 7; i++) {
		before = clock_ask(ask);
		between = driver_now_ns();
		after = clock_ask(ask);
		if (after - before >= tightest)
			continue;
		tightest = after - before;
		*now = before + tightest / 2;
		*ns = between;
	}
}

uint64_t clock_stamp(void)
{
	timestamp_fn ask = atomic_load(&client);

	return ask ? clock_ask(ask) : (uint64_t)driver_now_ns();
}

struct clock_line clock_line(void)
{
	timestamp_fn ask = atomic_load(&client);
	struct clock_line line = {0, 0, 0};
	int64_t ns = 0;
	uint64_t now = 0;

	if (!ask)
		return line;
	clock_pair(ask, &now, &ns);
	pthread_mutex_lock(&lock);
	line.ns0 = first_ns;
	line.client0 = first_client;
	line.slope = ns > first_ns ? (long double)(int64_t)(now - first_client) / (ns - first_ns) : 1;
	pthread_mutex_unlock(&lock);
	return line;
}

uint64_t clock_convert(const struct clock_line *line, int64_t ns)
{
	if (line->slope == 0)
		return (uint64_t)ns;
	return line->client0 + (uint64_t)(int64_t)((ns - line->ns0) * line->slope);
}

void clock_use(timestamp_fn callback)
{
	int64_t ns = 0;
	uint64_t now = 0;

	clock_pair(callback, &now, &ns);
	pthread_mutex_lock(&lock);
	first_client = now;
	first_ns = ns;
	pthread_mutex_unlock(&lock);
	atomic_store(&client, callback);
}
