/* A graph of 100 empty kernels: what its launch costs without CUPTI, with a record for each node
 * and with one for the whole; how its nodes follow each other. */
#include "section.h"

#include "activity.h"
#include "clocks.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 100 };

static bool attach(const char *variant)
{
	int kind = !strcmp(variant, "nodes") ? KIND_KERNEL : KIND_GRAPH_TRACE;

	if (!strcmp(variant, "bare"))
		return work_init_plain();
	return work_init() && work_cupti() && calls_subscribe() &&
		   calls_enable(DOMAIN_DRIVER, CBID_GRAPH_LAUNCH) &&
		   activity_start((struct activity_options){.keep = true}) && activity_enable(kind);
}

static void measure(void *graph, const char *variant)
{
	struct series calls = {0}, wholes = {0};
	int i, n = work_repeats(50);
	char name[64], difference[80];
	int64_t from;

	for (i = 0; i < n; i++) {
		from = clock_mono();
		if (!result_ok("cuGraphLaunch", cuda.graph_launch(graph, work.stream)))
			break;
		series_add(&calls, clock_mono() - from);
		if (!work_sync())
			break;
		series_add(&wholes, clock_mono() - from);
	}
	snprintf(name, sizeof(name), "cuGraphLaunch of 100 nodes, %s", variant);
	series_tell(&calls, name, "ns");
	if (strcmp(variant, "bare") != 0) {
		snprintf(difference, sizeof(difference), "cost in the call: %s", variant);
		result_difference(difference, name, "cuGraphLaunch of 100 nodes, bare");
	}
	snprintf(name, sizeof(name), "graph, launch to done, %s", variant);
	series_tell(&wholes, name, "ns");
	if (strcmp(variant, "bare") != 0) {
		snprintf(difference, sizeof(difference), "cost to done: %s", variant);
		result_difference(difference, name, "graph, launch to done, bare");
	}
}

static void tell_nodes(void)
{
	struct series gaps = {0}, lengths = {0};
	size_t i, nodes = 0;

	activity_sort_starts();
	for (i = 0; i < activity.record_count; i++) {
		const struct record *node = &activity.records[i];

		if (node->kind != KIND_KERNEL || node->graph_node == 0)
			continue;
		nodes++;
		series_add(&lengths, (int64_t)(node->end - node->start));
		if (i > 0 && node[-1].graph_node && node[-1].correlation == node->correlation)
			series_add(&gaps, (int64_t)(node->start - node[-1].end));
	}
	result_value("node records", "count", (int64_t)nodes);
	series_tell(&gaps, "gap between nodes of a graph", "ns");
	series_tell(&lengths, "length of an empty node", "ns");
}

static void tell_wholes(void)
{
	struct series lengths = {0};
	size_t i;

	for (i = 0; i < activity.record_count; i++)
		if (activity.records[i].kind == KIND_GRAPH_TRACE)
			series_add(&lengths, (int64_t)(activity.records[i].end - activity.records[i].start));
	result_value("graph trace records", "count", (int64_t)lengths.count);
	series_tell(&lengths, "length of the graph by its record", "ns");
}

static void graph_run(const char *variant)
{
	void *graph;
	int64_t from;

	if (!attach(variant) || !work_begin() || !(graph = work_graph(NODES)))
		return;
	from = clock_mono();
	result_ok("first cuGraphLaunch", cuda.graph_launch(graph, work.stream));
	work_sync();
	result_value("first launch of the graph, to done", "ns", clock_mono() - from);
	measure(graph, variant);
	if (!strcmp(variant, "bare"))
		return;
	activity_flush(1);
	if (!strcmp(variant, "nodes")) {
		tell_nodes();
		work_fixture("graph_nodes", "a graph of 100 empty kernels, launched again and again");
	} else {
		tell_wholes();
		work_fixture("graph_trace", "the same graph with one record a launch");
	}
}

const struct section section_graph = {"graph", "bare nodes trace", 3, 20, graph_run};
