/* Which op waits for which, by event rows and without them. */
#include "check.h"
#include "graph/events.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, OPS = 2 * STEPS };

struct made {
	struct process process;
	struct host_call calls[4 * STEPS];
	struct device_op ops[OPS];
	struct process_stream streams[3];
	uint32_t launched[3][STEPS];
	struct event_row events[2 * STEPS];
};

/* In each step: an op on stream 1, a record, a wait, an op on stream 2 that starts after it. */
static void make(struct made *m, bool known)
{
	memset(m, 0, sizeof(*m));
	for (uint32_t i = 0; i < STEPS; i++) {
		const int64_t ns = 1000000 * (int64_t)i;
		struct host_call *calls = &m->calls[4 * i];
		calls[0] = (struct host_call){.begin = ns, .end = ns + 5, .first_op = 2 * i};
		calls[1] = (struct host_call){
			.begin = ns + 10, .end = ns + 15, .first_op = NO_INDEX, .class = CALL_RECORDS_EVENT};
		calls[2] = (struct host_call){
			.begin = ns + 20, .end = ns + 25, .first_op = NO_INDEX, .class = CALL_WAITS_EVENT};
		calls[3] = (struct host_call){.begin = ns + 30, .end = ns + 35, .first_op = 2 * i + 1};
		m->ops[2 * i] = (struct device_op){
			.begin = ns + 100, .end = ns + 50000, .call = 4 * i, .stream = 1, .begin_node = 4 * i};
		m->ops[2 * i + 1] = (struct device_op){.begin = ns + 50100,
											   .end = ns + 60000,
											   .call = 4 * i + 3,
											   .stream = 2,
											   .begin_node = 4 * i + 2};
		m->launched[1][i] = 2 * i;
		m->launched[2][i] = 2 * i + 1;
		m->events[2 * i] = (struct event_row){ns + 10, 7, 1, false};
		m->events[2 * i + 1] = (struct event_row){ns + 20, 7, 2, true};
	}
	static const struct calibration calibration = {.queued_gap_ns = 1200};
	for (int s = 1; s < 3; s++)
		m->streams[s] = (struct process_stream){
			.launched = m->launched[s], .n_launched = STEPS, .calibration = &calibration};
	m->process = (struct process){.calls = m->calls,
								  .n_calls = 4 * STEPS,
								  .ops = m->ops,
								  .n_ops = OPS,
								  .streams = m->streams,
								  .n_streams = 3,
								  .events = known ? m->events : NULL,
								  .n_events = known ? 2 * STEPS : 0};
}

static void arrives(bool known)
{
	static struct made m;
	struct arrivals arrivals = {0};
	make(&m, known);
	CHECK(events_arrive(&m.process, &arrivals) == 0, "no memory");
	size_t right = 0;
	for (size_t i = 0; i < arrivals.n; i++) {
		const struct arrival *a = &arrivals.at[i];
		CHECK(a->kind == EDGE_EVENT && a->ns <= m.ops[a->op].begin, "it has ended by then");
		right += a->op % 2 == 1 && a->node == 2 * (a->op - 1) + 1;
	}
	CHECK(right == STEPS, "%zu of %d waits are known", right, STEPS);
	CHECK(!known || arrivals.n == STEPS, "%zu waits, where their arguments tell", arrivals.n);
	free(arrivals.at);
}

/* The op on stream 2 runs before the one on stream 1 has ended: it waits for nothing. */
static void refuted(void)
{
	static struct made m;
	struct arrivals arrivals = {0};
	make(&m, false);
	for (uint32_t i = 0; i < STEPS; i++)
		m.ops[2 * i + 1].begin = m.ops[2 * i].end - 20000;
	CHECK(events_arrive(&m.process, &arrivals) == 0, "no memory");
	for (size_t i = 0; i < arrivals.n; i++)
		CHECK(arrivals.at[i].node != 2 * (arrivals.at[i].op - 1) + 1, "it runs beside the other");
	free(arrivals.at);
}

int main(void)
{
	arrives(true);
	arrives(false);
	refuted();
	return finish();
}
