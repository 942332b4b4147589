#include "graph/costs.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED_MOST = 32 };
#define BOUNDLESS_NS (INT64_MAX >> 16) /* the sum over all units still fits */

static void add(uint16_t unit, int64_t ns, int64_t *most_ns)
{
	if (unit != UNIT_NONE)
		most_ns[unit] += ns < 0 ? -ns : ns;
}

static void add_differences(const struct causes *c, bool kernels, int64_t *most_ns)
{
	const struct compared *rows = kernels ? c->kernels : c->host;
	const size_t n = kernels ? c->n_kernels : c->n_host;
	for (size_t i = 0; i < n; i++)
		add(rows[i].unit, rows[i].ns - cause_like_ns(c, kernels, &rows[i]), most_ns);
}

/* What has its time by label, by wait, by edge or by row. */
static void add_rows(const struct model *m, enum cause cause, int64_t *most_ns)
{
	const uint8_t label = cause_label(cause);
	const uint32_t sites = cause_sites(cause);
	const uint8_t kind = cause_held(cause);
	for (size_t i = 0; label && i < m->n_amounts; i++)
		if (cause_has_label(cause, m->amounts[i].label))
			add(m->graph.edges[m->amounts[i].edge].unit, m->amounts[i].ns, most_ns);
	for (size_t i = 0; sites && i < m->n_waits; i++)
		if (sites >> m->waits[i].site & 1)
			add(m->waits[i].unit, m->waits[i].ns, most_ns);
	for (size_t i = 0; cause == CAUSE_CODE && i < m->n_host; i++)
		if (cause_of_own(m, i) == cause)
			add(m->graph.edges[m->host[i].edge].unit, m->host[i].ns, most_ns);
	for (size_t i = 0; kind && i < m->n_helds; i++)
		if (m->helds[i].kind == kind && !m->helds[i].again)
			add(m->helds[i].unit, m->helds[i].ns, most_ns);
}

static void find_most(const struct causes *c, enum cause cause, int64_t *most_ns)
{
	const struct model *m = c->model;
	const bool known =
		cause_label(cause) || cause_sites(cause) || cause == CAUSE_CODE || cause_held(cause);
	const bool differs = cause == CAUSE_HOST || (cause == CAUSE_KERNELS && m->meetings == 0);
	for (size_t u = 0; u < m->n_units; u++)
		most_ns[u] = known || differs ? 0 : BOUNDLESS_NS;
	if (differs)
		add_differences(c, cause == CAUSE_KERNELS, most_ns);
	else if (known)
		add_rows(m, cause, most_ns);
}

bool costs_something(const struct model *m, enum cause cause)
{
	const uint8_t label = cause_label(cause);
	const uint32_t sites = cause_sites(cause);
	const uint8_t kind = cause_held(cause);
	bool any = !label && !sites && !kind;
	for (size_t i = 0; label && !any && i < m->n_amounts; i++)
		any = cause_has_label(cause, m->amounts[i].label);
	for (size_t i = 0; sites && !any && i < m->n_waits; i++)
		any = sites >> m->waits[i].site & 1;
	for (size_t i = 0; kind && !any && i < m->n_helds; i++)
		any = m->helds[i].kind == kind;
	return any;
}

int64_t *costs_of_units(const struct causes *c, enum cause cause)
{
	int64_t *most_ns = calloc(c->model->n_units + 1, sizeof(*most_ns));
	if (most_ns)
		find_most(c, cause, most_ns);
	return most_ns;
}

/* Hosts that have several units: what all ranks of one have in common. */
static bool has_units(const struct model *m, uint32_t host)
{
	size_t n = 0;
	for (size_t u = 0; u < m->n_units; u++)
		n += m->units[u].host == host;
	return n > 1 && n < m->n_units;
}

int64_t *costs_of_hosts(const struct model *m, const int64_t *most_ns)
{
	int64_t *hosts_ns = calloc(m->n_hosts + 1, sizeof(*hosts_ns));
	for (size_t u = 0; hosts_ns && u < m->n_units; u++)
		hosts_ns[m->units[u].host] += most_ns[u];
	for (uint32_t host = 0; hosts_ns && host < m->n_hosts; host++)
		if (!has_units(m, host))
			hosts_ns[host] = 0;
	return hosts_ns;
}

static int by_ns_down(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x > y ? -1 : x < y;
}

int64_t costs_asked(const int64_t *most_ns, size_t n)
{
	int64_t *sorted_ns = n > ASKED_MOST ? malloc(n * sizeof(*sorted_ns)) : NULL;
	if (!sorted_ns)
		return 0;
	memcpy(sorted_ns, most_ns, n * sizeof(*sorted_ns));
	sort_rows(sorted_ns, n, sizeof(*sorted_ns), by_ns_down);
	const int64_t least_ns = sorted_ns[ASKED_MOST - 1];
	free(sorted_ns);
	return least_ns;
}
