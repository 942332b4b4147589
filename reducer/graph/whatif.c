#include "graph/whatif.h"

#include "base/diag.h"
#include "classify/classes.h"
#include "conclude/replay_late.h"
#include "graph/culprit.h"
#include "graph/nodes.h"
#include "graph/overlap.h"
#include "graph/several.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MOST = 12 };

static const struct scope all_units = {ALL_UNITS, ALL_UNITS, 0};
static const uint32_t comparing = 1u << CAUSE_KERNELS | 1u << CAUSE_HOST;

static const char *pool_text(const struct replayed *r, uint32_t text)
{
	return strings_get(&r->sample.context->run->pool, text).at;
}

const char *whatif_host(const struct replayed *r, const struct unit *unit)
{
	return pool_text(r, r->sample.context->run->processes[unit->process].host);
}

enum gain_reference whatif_reference(const struct taken *taken)
{
	const uint32_t joint = taken->joint.known ? UINT32_C(1) << taken->joint.cause : 0;
	enum gain_reference most = REFERENCE_NONE;
	for (int cause = 0; cause < CAUSES; cause++) {
		const enum gain_reference own = gain_reference_of(cause_name((enum cause)cause));
		most = (taken->causes | joint) >> cause & 1 && own > most ? own : most;
	}
	return most;
}

bool whatif_of_transfers(const struct taken *taken)
{
	static const uint32_t causes = 1u << CAUSE_LINK | 1u << CAUSE_TRANSFER;
	return taken->causes & causes || taken->kind == TAKEN_COLLECTIVE ||
		   taken->kind == TAKEN_OVERLAP ||
		   (taken->kind == TAKEN_SCALED && taken->scale.what == SCALED_TRANSFER);
}

/* ---- of whom ---- */

/* By its key or the beginning of it; a key goes before those that only begin with it. */
static bool is_device(const struct replayed *r, const char *device, const struct unit *unit)
{
	if (strcmp(pool_text(r, unit->key), device) == 0)
		return true;
	for (size_t u = 0; u < r->model.n_units; u++)
		if (strcmp(pool_text(r, r->model.units[u].key), device) == 0)
			return false;
	return strncmp(pool_text(r, unit->key), device, strlen(device)) == 0;
}

static bool is_meant(const struct whatif *w, const struct replayed *r, const struct taken *taken,
					 const struct unit *unit)
{
	return (taken->rank < 0 || unit->rank == taken->rank) &&
		   (!taken->device[0] || is_device(r, taken->device, unit)) &&
		   (!w->host || strcmp(whatif_host(r, unit), w->host) == 0);
}

/* How many units are meant, and the one or all of them. */
static uint32_t find_scope(const struct whatif *w, const struct replayed *r,
						   const struct taken *taken, struct scope *scope)
{
	uint32_t n = 0;
	*scope = taken->found ? taken->scope : all_units;
	if (taken->found || (taken->rank < 0 && !w->host && !taken->device[0]))
		return 1;
	for (uint32_t u = 0; u < r->model.n_units; u++)
		if (is_meant(w, r, taken, &r->model.units[u])) {
			scope->unit = u;
			n++;
		}
	return n;
}

/* ---- taking off ---- */

/* What is off is not taken twice: a further item begins with what is left. */
static void take_scope(struct causes *causes, uint32_t which, const struct scope *scope,
					   int64_t *weights_ns)
{
	for (int cause = 0; cause < CAUSES; cause++)
		if (which >> cause & 1) {
			cause_take(causes, (enum cause)cause, scope, weights_ns);
			cause_cured(causes, (enum cause)cause, scope);
		}
}

static bool all_h100(const struct replayed *r)
{
	const struct run *run = r->sample.context->run;
	size_t n = 0;
	while (n < run->n_devices && strstr(pool_text(r, run->devices[n].name), "H100"))
		n++;
	return n == run->n_devices;
}

/* Launches become nodes of graphs: what lies between them is what lies between nodes. */
static int take_nodes(const struct whatif *w, const struct replayed *r, struct taken *taken,
					  int64_t *weights_ns)
{
	const size_t n = r->model.n_units;
	bool *meant = calloc(n + 1, sizeof(*meant));
	for (size_t u = 0; meant && u < n; u++)
		meant[u] = is_meant(w, r, taken, &r->model.units[u]);
	taken->node_gap = nodes_gap(&r->model, all_h100(r));
	int error = meant ? 0 : -ENOMEM;
	if (!error && taken->node_gap.of != NODE_GAP_STAYS)
		error = nodes_take(&r->model, taken->node_gap, meant, weights_ns);
	free(meant);
	return error;
}

static int take(const struct whatif *w, struct replayed *r, const struct taken *taken,
				int64_t *weights_ns)
{
	struct scope scope;
	uint64_t freed;
	if (taken->kind == TAKEN_LIKE) {
		struct speeds own;
		int error = speeds_of(&r->model, &own);
		if (!error)
			speeds_take(&r->causes, &own, &w->speeds, weights_ns);
		return error;
	}
	if (taken->kind == TAKEN_OVERLAP)
		return overlap_take(&r->model, weights_ns, &freed);
	if (taken->kind == TAKEN_SCALED)
		cause_scale(&r->causes, &taken->scale, weights_ns);
	if (taken->kind == TAKEN_COLLECTIVE)
		cause_take_size(&r->causes, taken->bytes, weights_ns);
	if (taken->kind == TAKEN_COLLECTIVE || taken->kind == TAKEN_SCALED)
		return 0;
	if (find_scope(w, r, taken, &scope) == 1) {
		take_scope(&r->causes, taken->causes, &scope, weights_ns);
		if (taken->joint.known)
			take_scope(&r->causes, UINT32_C(1) << taken->joint.cause, &taken->joint.scope,
					   weights_ns);
		return 0;
	}
	for (uint32_t u = 0; u < r->model.n_units; u++)
		if (is_meant(w, r, taken, &r->model.units[u]))
			take_scope(&r->causes, taken->causes, &(struct scope){u, ALL_UNITS, 0}, weights_ns);
	return 0;
}

/* What one of the list wins, on top of those before it. 0 or -ENOMEM. */
static int take_one(const struct whatif *w, struct replayed *r, struct taken *taken,
					int64_t *weights_ns)
{
	struct peers peers = {0}, others = {0};
	const uint32_t joint = taken->joint.known ? UINT32_C(1) << taken->joint.cause : 0;
	struct scope scope;
	int error = 0;
	if (taken->causes & comparing && find_scope(w, r, taken, &scope) == 1)
		error = gain_peers(&r->causes, taken->causes, &scope, weights_ns, &peers);
	if (!error && joint & comparing)
		error = gain_peers(&r->causes, joint, &taken->joint.scope, weights_ns, &others);
	error = error ? error : take(w, r, taken, weights_ns);
	if (!error && taken->graphs)
		error = take_nodes(w, r, taken, weights_ns);
	error = error ? error : gain_take(&r->causes, weights_ns, &taken->gain);
	if (error)
		return error;
	gain_subtract_peers(&taken->gain, &peers);
	gain_subtract_peers(&taken->gain, &others);
	gain_widen(&taken->gain, w->step_ns, w->unexplained_ns);
	return 0;
}

/* How many from there on were found together; 1: it is by itself. */
static uint32_t size_of_group(const struct whatif *w, uint32_t first)
{
	uint32_t n = 1;
	while (w->list.at[first].group && first + n < w->list.n && n < TOGETHER_MOST &&
		   w->list.at[first + n].group == w->list.at[first].group)
		n++;
	return n;
}

/* Those that were found together hide each other: they are taken off at once, and each has its part. */
static int take_group(const struct whatif *w, struct replayed *r, struct taken *first, uint32_t n,
					  int64_t *weights_ns)
{
	struct several several = {.n = n};
	struct culprit parts[TOGETHER_MOST];
	struct peers peers = {0};
	struct gain gain;
	int error = 0;
	if (first->causes & comparing)
		error = gain_peers(&r->causes, first->causes, &first->scope, weights_ns, &peers);
	for (uint32_t i = 0; !error && i < n; i++) {
		several.at[i] = (struct culprit){.cost_ns = first[i].cost_ns};
		error = take(w, r, &first[i], weights_ns);
	}
	error = error ? error : gain_take(&r->causes, weights_ns, &gain);
	if (error)
		return error;
	gain_subtract_peers(&gain, &peers);
	several_share(&several, &gain, 0, parts);
	for (uint32_t i = 0; i < n; i++) {
		first[i].gain = parts[i].gain;
		gain_widen(&first[i].gain, w->step_ns, w->unexplained_ns);
	}
	return 0;
}

static int take_all(struct whatif *w, struct replayed *r)
{
	const size_t n = causes_weights(&r->causes);
	int64_t *weights_ns = malloc((n + 1) * sizeof(*weights_ns));
	int error = weights_ns ? 0 : -ENOMEM;
	if (!error)
		memcpy(weights_ns, r->causes.measured_ns, n * sizeof(*weights_ns));
	for (uint32_t i = 0, group; !error && i < w->list.n; i += group) {
		group = size_of_group(w, i);
		error = group > 1 ? take_group(w, r, &w->list.at[i], group, weights_ns)
						  : take_one(w, r, &w->list.at[i], weights_ns);
	}
	free(weights_ns);
	return error;
}

/* ---- is it there? ---- */

static void append(char *list, size_t bytes, const char *more)
{
	const size_t used = strlen(list);
	snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", more);
}

/* Names no rank, device or host of this run: says which there are. */
static int refuse_units(const struct whatif *w, const struct replayed *r, const struct taken *taken)
{
	char all[512] = "", more[32];
	for (size_t u = 0; u < r->model.n_units; u++) {
		const struct unit *unit = &r->model.units[u];
		if (!taken->device[0] && taken->rank < 0 && u > 0 && unit->host == unit[-1].host)
			continue; /* one after the other */
		snprintf(more, sizeof(more), "%d", unit->rank);
		append(all, sizeof(all),
			   taken->device[0]   ? pool_text(r, unit->key)
			   : taken->rank >= 0 ? more
								  : whatif_host(r, unit));
	}
	diag("%s: no rank of this run is meant; its %s are %s", w->dir,
		 taken->device[0]   ? "devices"
		 : taken->rank >= 0 ? "ranks"
							: "devices' hosts",
		 all);
	return STATUS_USAGE;
}

/* Are there others for what is compared with them? */
static bool has_others(const struct whatif *w, const struct replayed *r, const struct taken *taken)
{
	const uint32_t even = 1u << CAUSE_EVEN_KERNELS | 1u << CAUSE_EVEN_HOST;
	const uint32_t n_units = (uint32_t)r->model.n_units;
	struct scope scope;
	if (!(taken->causes & (comparing | even)))
		return true;
	return n_units > 1 &&
		   (!(taken->causes & comparing) || find_scope(w, r, taken, &scope) < n_units);
}

static int refuse_alone(const struct whatif *w)
{
	diag("%s: this run has no other device to compare with", w->dir);
	return STATUS_USAGE;
}

static int refuse_transfers(const struct whatif *w, const struct model *m)
{
	if (m->n_members)
		diag("%s: none of the %zu collective ops met its other members, so the replay knows no "
			 "transfers",
			 w->dir, m->n_members);
	else
		diag("%s: there are no collectives in the replayed steps", w->dir);
	return STATUS_USAGE;
}

static bool has_kernels(const struct model *m, const struct scale *scale)
{
	size_t i = 0;
	while (i < m->n_kernels && !cause_is_scaled(scale, m->kernels[i].class))
		i++;
	return i < m->n_kernels;
}

static int refuse_class(const struct whatif *w, const struct model *m, const char *name)
{
	char all[640] = "";
	for (int i = 0; i < GROUP_COUNT + CLASS_COUNT; i++) {
		const struct scale one = {.what = SCALED_KERNELS,
								  .group = i < GROUP_COUNT ? i : SCALED_ALL,
								  .class = i < GROUP_COUNT ? SCALED_ALL : i - GROUP_COUNT};
		const char *own = i < GROUP_COUNT ? group_name((enum group)i)
										  : class_name((enum class_id)(i - GROUP_COUNT));
		if ((i < GROUP_COUNT || strchr(own, '.')) && has_kernels(m, &one))
			append(all, sizeof(all), own);
	}
	diag("%s: --scale %s: no kernel of the replayed steps is of that class; there are %s", w->dir,
		 name, all[0] ? all : "none");
	return STATUS_USAGE;
}

static bool has_size(const struct model *m, size_t n, int64_t bytes)
{
	for (size_t i = 0; i < n; i++)
		if (m->transfers[i].bytes == bytes)
			return true;
	return false;
}

static int refuse_size(const struct whatif *w, const struct model *m, int64_t bytes)
{
	char all[512] = "", more[32];
	size_t n = 0;
	for (size_t i = 0; i < m->n_transfers && n < SIZES_MOST; i++) {
		if (m->transfers[i].bytes < 0 || has_size(m, i, m->transfers[i].bytes))
			continue;
		snprintf(more, sizeof(more), "%lld", (long long)m->transfers[i].bytes);
		append(all, sizeof(all), more);
		n++;
	}
	if (n)
		diag("%s: no collective of %lld bytes meets; there are %s%s", w->dir, (long long)bytes, all,
			 n == SIZES_MOST ? ", ..." : "");
	else
		diag("%s: the trace does not say how many bytes its collectives have", w->dir);
	return STATUS_USAGE;
}

static struct taken taken_found(const struct culprit *c)
{
	struct taken taken = {.causes = UINT32_C(1) << c->cause,
						  .rank = -1,
						  .bytes = -1,
						  .found = true,
						  .scope = c->scope,
						  .joint = c->joint,
						  .group = c->group,
						  .cost_ns = c->cost_ns};
	snprintf(taken.name, sizeof(taken.name), "%s", cause_name(c->cause));
	return taken;
}

/* Those that were found together with it are taken off too, after all that is asked for. */
static void add_group(struct whatif *w, const struct culprits *culprits, const struct taken *first)
{
	uint64_t groups = 0;
	for (uint32_t i = 0; i < culprits->n; i++)
		if (memcmp(&culprits->at[i].scope, &first->scope, sizeof(first->scope)) == 0)
			groups |= UINT64_C(1) << culprits->at[i].group;
	for (uint32_t i = 0; i < culprits->n && w->list.n < TAKEN_ROOM; i++) {
		const struct culprit *c = &culprits->at[i];
		if (!c->group || !(groups >> c->group & 1) ||
			memcmp(&c->scope, &first->scope, sizeof(first->scope)) == 0)
			continue;
		w->list.at[w->list.n] = taken_found(c);
		w->list.at[w->list.n].group = 0; /* on top of what stands before it */
		w->list.n++;
	}
}

/* "late_rank", "late_host": what the replay finds of the first one. */
static int find_late(struct whatif *w, struct replayed *r, struct taken *taken)
{
	const bool host = strcmp(taken->name, "late_host") == 0;
	struct culprits culprits;
	int error = culprits_find(&r->causes, &culprits);
	for (uint32_t i = 0; !error && i < culprits.n; i++) {
		const struct scope *scope = &culprits.at[i].scope;
		if (host ? scope->host == ALL_UNITS : scope->unit == ALL_UNITS)
			continue;
		if (taken->found && memcmp(scope, &taken->scope, sizeof(*scope)) != 0)
			continue;
		taken->found = true;
		taken->scope = *scope;
		taken->causes |= UINT32_C(1) << culprits.at[i].cause;
		if (culprits.at[i].joint.known)
			taken->joint = culprits.at[i].joint;
	}
	if (!error && taken->found)
		add_group(w, &culprits, taken);
	if (error || taken->found)
		return error;
	diag("%s: the replay finds no %s; without --without it prints what it finds", w->dir,
		 host ? "late host" : "late rank");
	w->status = STATUS_USAGE;
	return 0;
}

static int resolve(struct whatif *w, struct replayed *r)
{
	int error = 0;
	for (uint32_t i = 0; !error && w->status == STATUS_OK && i < w->list.n; i++) {
		struct taken *taken = &w->list.at[i];
		struct scope scope;
		if (taken->kind == TAKEN_CULPRITS)
			error = find_late(w, r, taken);
		else if (whatif_of_transfers(taken) && r->model.n_transfers == 0)
			w->status = refuse_transfers(w, &r->model);
		else if (taken->kind == TAKEN_SCALED && taken->scale.what == SCALED_KERNELS &&
				 !has_kernels(&r->model, &taken->scale))
			w->status = refuse_class(w, &r->model, taken->name);
		else if (taken->kind == TAKEN_COLLECTIVE &&
				 !has_size(&r->model, r->model.n_transfers, taken->bytes))
			w->status = refuse_size(w, &r->model, taken->bytes);
		else if (find_scope(w, r, taken, &scope) == 0)
			w->status = refuse_units(w, r, taken);
		else if (!has_others(w, r, taken))
			w->status = refuse_alone(w);
	}
	return error;
}

_Static_assert((int)TAKEN_ROOM >= (int)CULPRITS_ROOM, "room for all that is found");

/* Without --without: what the replay itself finds. */
static int find_causes(struct whatif *w, struct replayed *r)
{
	struct culprits culprits;
	int error = culprits_find(&r->causes, &culprits);
	for (uint32_t i = 0; !error && i < culprits.n; i++) {
		w->list.at[w->list.n] = taken_found(&culprits.at[i]);
		w->list.n++;
	}
	return error;
}

int whatif_ask(struct whatif *w, struct replayed *r)
{
	w->step_ns = r->causes.step_ns;
	int error = w->list.n ? resolve(w, r) : find_causes(w, r);
	error = error ? error : culprits_unexplained(&r->causes, &w->unexplained_ns);
	w->sized = replay_explains(w->step_ns, w->unexplained_ns);
	return error || w->status != STATUS_OK ? error : take_all(w, r);
}
