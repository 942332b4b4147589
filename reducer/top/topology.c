#include "top/topology.h"

#include "render/columns.h"

#include <stdlib.h>
#include <string.h>

enum { GPUS = 32 /* of a node in a matrix */, NAME_WIDTH = 9, LINK_WIDTH = 5, CPUS_WIDTH = 18 };

static const char *or_unknown(const char *text)
{
	return text[0] ? text : "?";
}

/* Word `n` of a row's links, from 1. */
static const char *link_to(const struct top_place *place, uint32_t n, char *word, size_t bytes)
{
	const char *at = n ? place->links : NULL; /* 0: the GPU is on no list */
	for (uint32_t i = 1; i < n && at; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	snprintf(word, bytes, "%.*s", at ? (int)strcspn(at, " ") : 0, at ? at : "");
	return or_unknown(word);
}

/* The rows of a node that have a GPU, in the order of the view; at most GPUS. */
static uint32_t rows_of(const struct top_view *view, const char *host, const struct top_row **rows)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < view->n_rows && n < GPUS; i++)
		if (view->rows[i].gpu[0] && strcmp(view->rows[i].host, host) == 0)
			rows[n++] = &view->rows[i];
	return n;
}

static void rank_name(const struct top_row *row, char *name, size_t bytes)
{
	if (row->rank >= 0)
		snprintf(name, bytes, "rank %d", row->rank);
	else
		snprintf(name, bytes, "GPU %u", row->place.at);
}

static void matrix(const struct screen *screen, const struct top_row *const *rows, uint32_t n)
{
	struct column heads[GPUS + 5] = {{"", 2, NAME_WIDTH, COLUMN_LEFT}};
	char names[GPUS][16], word[16];
	struct columns table;
	for (uint32_t i = 0; i < n; i++) {
		rank_name(rows[i], names[i], sizeof(names[i]));
		heads[i + 1] = (struct column){strchr(names[i], ' ') + 1, 1, LINK_WIDTH, COLUMN_LEFT};
	}
	heads[n + 1] = (struct column){"NUMA", 1, 4, COLUMN_RIGHT};
	heads[n + 2] = (struct column){"CPUs of the rank", 2, CPUS_WIDTH, COLUMN_LEFT};
	heads[n + 3] = (struct column){"CPUs near the GPU", 1, CPUS_WIDTH, COLUMN_LEFT};
	heads[n + 4] = (struct column){"PCI", 1, 12, COLUMN_LEFT};
	columns_open(&table, screen, heads, n + 5);
	columns_heads(&table);
	for (uint32_t i = 0; i < n; i++) {
		const struct top_place *place = &rows[i]->place;
		columns_cell(&table, "%s", names[i]);
		for (uint32_t k = 0; k < n; k++)
			columns_cell(&table, "%s",
						 i == k ? "X" : link_to(place, rows[k]->place.at, word, sizeof(word)));
		columns_cell(&table, "%s", or_unknown(place->numa));
		columns_cell(&table, "%s%s", or_unknown(place->cpus), place->far ? " far" : "");
		columns_cell(&table, "%s", or_unknown(place->gpu_cpus));
		columns_cell(&table, "%s", or_unknown(place->pci));
		columns_end(&table, place->far ? COLUMNS_BOLD : COLUMNS_PLAIN);
	}
}

static void legend(const struct screen *screen, const struct top_row *const *rows, uint32_t n)
{
	bool links = false, far = false;
	for (uint32_t i = 0; i < n; i++) {
		links |= rows[i]->place.links[0] != 0;
		far |= rows[i]->place.far;
	}
	if (links)
		screen_wrap(screen, 2, "%s",
					"  NV# so many NVLinks, PIX one PCIe bridge, PXB several, PHB a PCIe host "
					"bridge, NODE host "
					"bridges of one NUMA node, SYS between NUMA nodes, ? not known");
	else
		screen_wrap(screen, 2, "%s",
					"  What connects the GPUs is not known: baton record found no NVML on this "
					"node, or an older "
					"one made the trace");
	if (far)
		screen_wrap(
			screen, 2, "%s",
			"  far: the rank may run on no CPU that is near its GPU; bind it (numactl, torchrun "
			"--numa-binding, srun --cpu-bind)");
}

static void node_text(const struct top_view *view, const char *host, const struct screen *screen)
{
	const struct top_row *rows[GPUS];
	const uint32_t n = rows_of(view, host, rows);
	if (n == 0)
		return;
	screen_title(screen, "%s   %u GPU%s of the run", host[0] ? host : "host not known", n,
				 n == 1 ? "" : "s");
	matrix(screen, rows, n);
	legend(screen, rows, n);
}

/* Is it the first row of its node? */
static bool begins_node(const struct top_view *view, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(view->rows[k].host, view->rows[i].host) == 0)
			return false;
	return true;
}

void topology_text(const struct top_view *view, const char *host, const struct screen *screen)
{
	bool first = true;
	for (uint32_t i = 0; i < view->n_rows; i++) {
		if (host ? strcmp(view->rows[i].host, host) != 0 : !begins_node(view, i))
			continue;
		if (!first)
			screen_line(screen, "%s", "");
		first = false;
		node_text(view, view->rows[i].host, screen);
		if (host)
			return;
	}
}

/* ---- JSON ---- */

static void known_text(struct json *json, const char *key, const char *text)
{
	if (text[0])
		json_text(json, key, text);
	else
		json_null(json, key);
}

static void gpu_object(struct json *json, const struct top_row *const *rows, uint32_t n, uint32_t i)
{
	const struct top_place *place = &rows[i]->place;
	char word[16];
	json_object(json, NULL);
	json_known(json, "rank", rows[i]->rank);
	json_text(json, "device", rows[i]->gpu);
	known_text(json, "pci", place->pci);
	json_known(json, "numa_node", place->numa[0] ? strtol(place->numa, NULL, 10) : -1);
	known_text(json, "gpu_cpus", place->gpu_cpus);
	known_text(json, "cpus", place->cpus);
	json_bool(json, "far", place->far);
	json_array(json, "links");
	for (uint32_t k = 0; k < n; k++)
		json_text(json, NULL, i == k ? "X" : link_to(place, rows[k]->place.at, word, sizeof(word)));
	json_end_array(json);
	json_end_object(json);
}

void topology_json(struct json *json, const struct top_view *view)
{
	const struct top_row *rows[GPUS];
	json_array(json, "topology");
	for (uint32_t i = 0; i < view->n_rows; i++) {
		const uint32_t n = begins_node(view, i) ? rows_of(view, view->rows[i].host, rows) : 0;
		if (n == 0)
			continue;
		json_object(json, NULL);
		json_text(json, "host", view->rows[i].host);
		json_array(json, "gpus");
		for (uint32_t k = 0; k < n; k++)
			gpu_object(json, rows, n, k);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}
