/* Host functions as work of their stream: what they take there, and the edges of an op behind one. */
#include "check.h"
#include "graph/arrivals.h"
#include "graph/host_funcs.h"

#include <stdlib.h>
#include <string.h>

enum { US = 1000, BEGINS_US = 57, OPS = 3, FUNCS = 3 };

static const struct sample sample = {.n_steps = 1};
static const struct calibration calibration = {.floor_ns = 4 * US, .queued_gap_ns = 1 * US};

struct made {
	struct process process;
	struct model model;
	struct process_stream streams[3];
	struct host_call calls[OPS];
	struct device_op ops[OPS];
	struct held_row helds[FUNCS];
	uint32_t on_stream[2][OPS];
};

static void add_op(struct made *m, uint32_t stream, int64_t launch_us, int64_t begin_us)
{
	struct process *p = &m->process;
	const uint32_t number = (uint32_t)p->n_ops++;
	const int64_t ns[] = {launch_us * US, begin_us * US, (begin_us + 100) * US};
	uint32_t node;
	CHECK(graph_add_nodes(&m->model.graph, ns, 3, &node) == 0, "no nodes");
	p->calls[number] = (struct host_call){
		.begin = ns[0], .end = ns[0] + 3 * US, .first_op = number, .begin_node = node};
	p->ops[number] = (struct device_op){.begin = ns[1],
										.end = ns[2],
										.call = number,
										.last_call = NO_INDEX,
										.stream = stream,
										.begin_node = node + 1,
										.launches = true};
	struct process_stream *s = &p->streams[stream];
	s->ops[s->n_ops++] = number;
}

static void add_function(struct made *m, uint32_t stream, int64_t begin_us, int64_t end_us)
{
	m->process.helds[m->process.n_helds++] =
		(struct held_row){begin_us * US, end_us * US, stream, BATON_SYNC_HOST_FUNC};
}

static void make(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->process = (struct process){.sample = &sample,
								  .streams = m->streams,
								  .n_streams = 3,
								  .calls = m->calls,
								  .n_calls = OPS,
								  .ops = m->ops,
								  .helds = m->helds};
	for (uint32_t s = 1; s < 3; s++)
		m->streams[s] =
			(struct process_stream){.calibration = &calibration, .ops = m->on_stream[s - 1]};
}

static int64_t take_us(const struct host_funcs *funcs, uint32_t stream, int64_t from_us,
					   int64_t to_us, bool *follows)
{
	return host_funcs_take(funcs, stream, (int64_t[]){from_us * US, to_us * US}, follows) / US;
}

/* An op until 100 us, a function 57 us after it, the next one at once behind it; one more, which was
 * launched late. */
static void takes(void)
{
	struct made m;
	struct host_funcs funcs;
	bool follows;
	make(&m);
	add_op(&m, 1, -10, 0);
	add_function(&m, 1, 100 + BEGINS_US, 300);
	add_function(&m, 1, 300 + BEGINS_US, 500);
	add_function(&m, 2, 900, 950);
	CHECK(host_funcs_open(&funcs, &m.process) == 0, "no memory");
	CHECK(funcs.begins_after_ns == BEGINS_US * US, "%lld", (long long)funcs.begins_after_ns);
	CHECK(take_us(&funcs, 1, 100, 506, &follows) == 406 && follows, "both, and the gap behind");
	CHECK(take_us(&funcs, 1, 100, 700, &follows) == 400 && !follows, "the op was launched later");
	CHECK(take_us(&funcs, 1, 100, 310, &follows) == 210 && follows, "only the first is over");
	CHECK(take_us(&funcs, 1, 600, 700, &follows) == 0 && !follows, "none");
	/* what it waited for to be launched is not the function's */
	CHECK(take_us(&funcs, 2, 100, 950, &follows) == BEGINS_US + 50 && follows, "launched late");
	host_funcs_close(&funcs);
	free(m.model.graph.measured_ns);
}

static const struct edge *edge_of(const struct model *m, enum edge_kind kind, uint32_t to)
{
	for (size_t i = 0; i < m->graph.n_edges; i++)
		if (m->graph.edges[i].kind == kind && m->graph.edges[i].to == to)
			return &m->graph.edges[i];
	CHECK(false, "no edge of kind %d to node %u", kind, to);
	exit(1);
}

static int64_t held_us(const struct model *m, const struct edge *edge, bool again)
{
	int64_t ns = 0;
	for (size_t i = 0; i < m->n_helds; i++)
		ns += &m->graph.edges[m->helds[i].edge] == edge && m->helds[i].again == again
				  ? m->helds[i].ns
				  : 0;
	return ns / US;
}

/* Keeps out: an op that was launched when the function before it was over, and that would start a gap
 * after the op before that one if only it had been launched in time. */
static void late_launch(void)
{
	struct made m;
	struct arrivals arrivals = {0};
	make(&m);
	add_op(&m, 1, -10, 0);   /* until 100 us */
	add_op(&m, 1, 502, 506); /* behind the function */
	add_op(&m, 2, 390, 506); /* waits for an event that was recorded behind it too */
	add_function(&m, 1, 100 + BEGINS_US, 500);
	const struct arrival waits = {m.ops[0].end, 1 * US, 2, m.ops[0].begin_node + 1,
								  EDGE_EVENT,   1,      0};
	int error = arrivals_of_streams(&arrivals, &m.model, &m.process);
	error = error ? error : arrivals_add(&arrivals, &waits);
	error = error ? error : arrivals_link(&arrivals, &m.process, &m.model);
	CHECK(error == 0, "%d", error);
	const struct edge *launch = edge_of(&m.model, EDGE_LAUNCH, m.ops[1].begin_node);
	const struct edge *stream = edge_of(&m.model, EDGE_STREAM, m.ops[1].begin_node);
	const struct edge *event = edge_of(&m.model, EDGE_EVENT, m.ops[2].begin_node);
	CHECK(launch->ns == 4 * US && held_us(&m.model, launch, false) == 0, "its own launch");
	/* until the op begins: 57 us, the function, 6 us; without it the gap of a queued op */
	CHECK(stream->ns == 406 * US && held_us(&m.model, stream, true) == 405, "%lld, %lld",
		  (long long)stream->ns, (long long)held_us(&m.model, stream, true));
	CHECK(event->ns == 406 * US && held_us(&m.model, event, false) == 405, "%lld, %lld",
		  (long long)event->ns, (long long)held_us(&m.model, event, false));
	free(arrivals.at);
	model_free(&m.model);
}

int main(void)
{
	takes();
	late_launch();
	return finish();
}
