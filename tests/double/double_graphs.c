/* Captures and graphs. */
#include "double_cases.h"

#include <string.h>

/* slow on one stream, blocks on another that joined by an event, then plain on the first. */
static void *captured(void *a, void *b, void *fork_event, void *join_event)
{
	void *graph = NULL;
	OK(cudaStreamBeginCapture(a, 0));
	OK(launch_on((void *)plain, 1, a));
	OK(cudaEventRecord(fork_event, a));
	OK(cudaStreamWaitEvent(b, fork_event, 0));
	OK(launch_on((void *)slow, 1, a));
	OK(launch_on((void *)blocks, 1, b));
	OK(cudaEventRecord(join_event, b));
	OK(cudaStreamWaitEvent(a, join_event, 0));
	OK(launch_on((void *)plain, 1, a));
	OK(cudaStreamEndCapture(a, &graph));
	return graph;
}

void case_graph(void)
{
	void *a, *b, *fork_event, *join_event, *exec;
	OK(cudaStreamCreateWithFlags(&a, NON_BLOCKING));
	OK(cudaStreamCreateWithFlags(&b, NON_BLOCKING));
	OK(cudaEventCreate(&fork_event));
	OK(cudaEventCreate(&join_event));
	watch();
	void *graph = captured(a, b, fork_event, join_event);
	OK(cudaStreamSynchronize(a));
	CHECK(simgpu_settle(5000) && n_ops == 0); /* captured, not executed */
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	close_gate(a);
	OK(launch_on((void *)blocks, 7, a));
	OK(cudaGraphLaunch(exec, a));
	OK(launch_on((void *)blocks, 9, a));
	open_gate();
	OK(cudaStreamSynchronize(a));
	watched();
	const struct sim_record *first = op_named("plain", 0), *last = op_named("plain", 1);
	const struct sim_record *before = op_named("blocks", 0), *beside = op_named("blocks", 1);
	const struct sim_record *after = op_named("blocks", 2), *branch = op_named("slow", 0);
	CHECK(n_ops == 6 && first->start_ns == before->end_ns + GAP);
	CHECK(branch->start_ns == first->end_ns + 500 && beside->start_ns == first->end_ns + 500);
	CHECK(last->start_ns == branch->end_ns + 500 && after->start_ns >= last->end_ns);
	CHECK(first->graph && first->graph == last->graph && !after->graph);
	CHECK(first->graph_node && first->graph_node != last->graph_node);
	CHECK(first->correlation == last->correlation && first->correlation != after->correlation);
	OK(cudaGraphExecDestroy(exec));
}

/* A stream of a capture that does not come back, a synchronisation inside: errors, both. */
void case_capture_errors(void)
{
	void *a, *b, *event, *graph = NULL;
	OK(cudaStreamCreateWithFlags(&a, NON_BLOCKING));
	OK(cudaStreamCreateWithFlags(&b, NON_BLOCKING));
	OK(cudaEventCreate(&event));
	OK(cudaStreamBeginCapture(a, 0));
	OK(launch_on((void *)plain, 1, a));
	OK(cudaEventRecord(event, a));
	OK(cudaStreamWaitEvent(b, event, 0));
	OK(launch_on((void *)plain, 1, b));
	CHECK(cudaStreamEndCapture(a, &graph) == 904 && !graph);
	OK(cudaStreamBeginCapture(a, 0));
	CHECK(cudaStreamSynchronize(a) == 900);
	CHECK(launch_on((void *)plain, 1, a) == 901);
	CHECK(cudaStreamEndCapture(a, &graph) == 901 && !graph);
	CHECK(!strcmp(cudaGetErrorName(904), "cudaErrorStreamCaptureUnjoined"));
	cudaGetLastError();
	OK(launch_on((void *)plain, 1, a));
	OK(cudaStreamSynchronize(b));
}
