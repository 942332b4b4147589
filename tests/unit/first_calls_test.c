/* What comes before a thread's first call in the sample, where another thread wakes it. Keeps out:
 * the waker's own sleep after it handed over, taken for a loss that a cure takes off; the sleep of
 * the thread that waits, counted beside the waker. */
#include "check.h"
#include "graph/threads.h"

#include <stdlib.h>

enum { US = 1000 };

static struct point of_waker[] = {{500 * US, 0, 1, true}, {1500 * US, 0, 0, false}};
static struct sched_row asleep_then[] = {
	{.begin = 2000 * US, .slept = 10000 * US, .end = 10100 * US, .waits = 10000 * US}};
static struct labelled waker_blocked[] = {
	{.begin = 2000 * US, .end = 10000 * US, .label = LABEL_BLOCKED}};

static struct point of_woken[] = {{5000 * US, 0, 1, true}, {5100 * US, 0, 0, false}};
static struct sched_row asleep_before[] = {
	{.begin = 1000 * US, .slept = 4000 * US, .end = 5000 * US, .waits = 4000 * US}};
static struct labelled woken_blocked[] = {
	{.begin = 1000 * US, .end = 4000 * US, .label = LABEL_BLOCKED}};

/* The waker, and the thread whose first call comes after its sleep. */
static void make(struct host_thread threads[2], struct model *model)
{
	const int64_t ns[4] = {500 * US, 1500 * US, 5000 * US, 5100 * US};
	uint32_t first;
	CHECK(graph_add_nodes(&model->graph, ns, 4, &first) == 0, "no nodes");
	threads[0] = (struct host_thread){.index = 1,
									  .points = of_waker,
									  .n_points = 2,
									  .first_node = first,
									  .scheds = asleep_then,
									  .n_scheds = 1,
									  .pieces = waker_blocked,
									  .n_pieces = 1};
	threads[1] = (struct host_thread){.index = 2,
									  .points = of_woken,
									  .n_points = 2,
									  .first_node = first + 2,
									  .scheds = asleep_before,
									  .n_scheds = 1,
									  .pieces = woken_blocked,
									  .n_pieces = 1};
}

/* The weight of the edge between two nodes; -1: there is none. */
static int64_t weight(const struct model *m, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < m->graph.n_edges; i++)
		if (m->graph.edges[i].from == from && m->graph.edges[i].to == to)
			return m->graph.edges[i].ns;
	return -1;
}

int main(void)
{
	struct model model = {0};
	struct host_thread threads[2];
	int64_t begins[] = {0, 20000 * US};
	struct process p = {.begins = begins, .threads = threads, .n_threads = 2};
	p.begin_node = NO_INDEX;
	make(threads, &model);
	CHECK(hand_offs_lead(&p, &threads[1], &model) == 0, "no memory");
	CHECK(model.hand_offs == 1 && model.graph.n_nodes == 6, "%u hand-offs", model.hand_offs);
	CHECK(weight(&model, 4, 5) == 1000 * US, "awake before its sleep: %lld",
		  (long long)weight(&model, 4, 5));
	CHECK(weight(&model, 1, 5) == 2500 * US, "from the waker's last point: %lld",
		  (long long)weight(&model, 1, 5));
	CHECK(weight(&model, 5, 2) == 1000 * US, "from the wake-up to its first call: %lld",
		  (long long)weight(&model, 5, 2));
	for (size_t i = 0; i < model.n_amounts; i++)
		CHECK(model.amounts[i].label != LABEL_BLOCKED, "%lld ns of sleep count as a loss",
			  (long long)model.amounts[i].ns);
	model_free(&model);
	return finish();
}
