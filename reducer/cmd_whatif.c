/* baton whatif: the step that a run would have without some of its losses, by replaying its graph
 * (docs/GRAPH.md). */
#include "base/diag.h"
#include "commands.h"
#include "conclude/gain_reference.h"
#include "conclude/replay_late.h"
#include "graph/culprit.h"
#include "graph/replayed.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/json.h"
#include "render/text.h"
#include "summary/leaf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WHATIF_STEPS = 26, TAKEN_MOST = 16 };

static const struct option_spec options[] = {
	{"without", 0, OPTION_TEXT, "LIST",
	 "what to take off, by commas: causes, leaves, 'rank R' (default: the causes found)"},
	{"rank", 0, OPTION_NUMBER, "R", "take it off this rank alone"},
	{"host", 0, OPTION_TEXT, "NAME", "take it off the ranks of this host alone"},
	{"json", 0, OPTION_FLAG, NULL, "print JSON"},
	REDUCE_OPTION_ROWS,
	{"classes", 0, OPTION_TEXT, "FILE",
	 "your own classes of kernels, calls, ranges and frames, tried first: lines 'REGEX CLASS'"},
	{0},
};

struct taken {       /* what is taken off, in its order */
	uint32_t causes; /* a bit each; several: all of a rank's own */
	long long rank;  /* -1: as --host says */
	bool found;      /* it was found, not asked for */
	struct scope scope;
	struct gain gain;
};

struct whatif {
	const char *dir, *host;
	long long rank; /* -1: all */
	bool json;
	struct taken at[TAKEN_MOST];
	uint32_t n;
	int64_t step_ns, unexplained_ns; /* as measured */
	int status;
};

/* ---- what is asked ---- */

static const struct {
	const char *leaf;
	enum cause cause;
} leaf_causes[] = {
	{"idle.host.input", CAUSE_INPUT},
	{"idle.host.no_core", CAUSE_NO_CORE},
	{"idle.host.blocked", CAUSE_BLOCKED},
	{"idle.host.alloc", CAUSE_ALLOC},
	{"idle.host.module_load", CAUSE_MODULE_LOAD},
	{"idle.tool.profiler", CAUSE_PROFILER},
	{"idle.gpu.queue_full", CAUSE_QUEUE_FULL},
	{"idle.host.host_func", CAUSE_HOST_FUNC},
	{"idle.host.code", CAUSE_CODE},
	{"idle.host.sync", CAUSE_SYNC},
	{"idle.gpu.dependency", CAUSE_DEPENDENCY},
	{"nccl.transfer", CAUSE_TRANSFER},
};

static enum cause cause_of(const char *word)
{
	for (size_t i = 0; i < sizeof(leaf_causes) / sizeof(leaf_causes[0]); i++)
		if (strcmp(leaf_causes[i].leaf, word) == 0)
			return leaf_causes[i].cause;
	return cause_find(word);
}

static int refuse(const char *word)
{
	char all[512] = "";
	for (int i = 0; i < CAUSES; i++) {
		strcat(all, i ? ", " : "");
		strcat(all, cause_name((enum cause)i));
	}
	diag("--without '%s': the causes are %s, a leaf of `baton report --json` that is one of them, "
		 "and 'rank R'",
		 word, all);
	return STATUS_USAGE;
}

static int add(struct whatif *w, const struct taken *taken)
{
	if (w->n == TAKEN_MOST) {
		diag("--without takes at most %d causes", TAKEN_MOST);
		return STATUS_USAGE;
	}
	w->at[w->n++] = *taken;
	return STATUS_OK;
}

/* A rank without these is as fast as the others and has no losses of its own. */
static const uint32_t of_rank = 1u << CAUSE_KERNELS | 1u << CAUSE_HOST | 1u << CAUSE_INPUT |
								1u << CAUSE_NO_CORE | 1u << CAUSE_BLOCKED | 1u << CAUSE_ALLOC |
								1u << CAUSE_MODULE_LOAD | 1u << CAUSE_PROFILER;

static int add_word(struct whatif *w, const char *word)
{
	char *end;
	if (strncmp(word, "rank ", 5) == 0) {
		const long long rank = strtoll(word + 5, &end, 10);
		if (*end || end == word + 5 || rank < 0)
			return refuse(word);
		return add(w, &(struct taken){.causes = of_rank, .rank = rank});
	}
	const enum cause cause = cause_of(word);
	if (cause == CAUSES)
		return refuse(word);
	if (cause_compares(cause) && w->rank < 0) {
		diag("--without %s compares a rank with the others: say which with --rank", word);
		return STATUS_USAGE;
	}
	if ((cause == CAUSE_LINK || cause == CAUSE_TRANSFER) && (w->rank >= 0 || w->host)) {
		diag("--without %s is about all ranks: a transfer is no rank's alone", word);
		return STATUS_USAGE;
	}
	return add(w, &(struct taken){.causes = 1u << cause, .rank = w->rank});
}

static int read_options(const struct invocation *call, struct whatif *w)
{
	const char *list = option_text(call, "without", NULL);
	*w = (struct whatif){.dir = call->operand[0],
						 .host = option_text(call, "host", NULL),
						 .rank = option_number(call, "rank", -1),
						 .json = option_given(call, "json")};
	char *copy = list ? strdup(list) : NULL, *rest = copy;
	int status = list && !copy ? STATUS_INPUT : STATUS_OK;
	for (char *word; status == STATUS_OK && rest && (word = strsep(&rest, ","));) {
		while (*word == ' ')
			word++;
		status = add_word(w, word);
	}
	free(copy);
	return status;
}

/* ---- the replay ---- */

static const char *host_of(const struct replayed *r, const struct unit *unit)
{
	const struct run *run = r->sample.context->run;
	return strings_get(&run->pool, run->processes[unit->process].host).at;
}

static void take_scope(const struct causes *causes, uint32_t which, const struct scope *scope,
					   int64_t *weights_ns)
{
	for (int cause = 0; cause < CAUSES; cause++)
		if (which >> cause & 1)
			cause_take(causes, (enum cause)cause, scope, weights_ns);
}

static bool is_meant(const struct whatif *w, const struct replayed *r, const struct taken *taken,
					 const struct unit *unit)
{
	return (taken->rank < 0 || unit->rank == taken->rank) &&
		   (!w->host || strcmp(host_of(r, unit), w->host) == 0);
}

/* The one scope that is meant: then others can be compared with it. False: several units are. */
static bool one_scope(const struct whatif *w, const struct replayed *r, const struct taken *taken,
					  struct scope *scope)
{
	uint32_t n = 0;
	*scope = taken->scope;
	if (taken->found)
		return true;
	*scope = (struct scope){ALL_UNITS, ALL_UNITS, 0};
	if (taken->rank < 0 && !w->host)
		return true;
	for (uint32_t u = 0; u < r->model.n_units; u++)
		if (is_meant(w, r, taken, &r->model.units[u])) {
			scope->unit = u;
			n++;
		}
	return n == 1;
}

/* Takes causes off every unit that is asked about. False: there is no such unit. */
static bool take(const struct whatif *w, struct replayed *r, const struct taken *taken,
				 int64_t *weights_ns)
{
	struct scope scope;
	bool any = false;
	if (one_scope(w, r, taken, &scope)) {
		take_scope(&r->causes, taken->causes, &scope, weights_ns);
		return true;
	}
	for (uint32_t u = 0; u < r->model.n_units; u++) {
		if (!is_meant(w, r, taken, &r->model.units[u]))
			continue;
		any = true;
		take_scope(&r->causes, taken->causes, &(struct scope){u, ALL_UNITS, 0}, weights_ns);
	}
	return any;
}

static const uint32_t comparing = 1u << CAUSE_KERNELS | 1u << CAUSE_HOST;

/* What one of the list wins, on top of those before it. 0, -ENOMEM or 1: nobody is meant. */
static int take_one(const struct whatif *w, struct replayed *r, struct taken *taken,
					int64_t *weights_ns)
{
	struct peers peers = {0};
	struct scope scope;
	int error = 0;
	if (taken->causes & comparing && one_scope(w, r, taken, &scope))
		error = gain_peers(&r->causes, taken->causes, &scope, weights_ns, &peers);
	if (!error && !take(w, r, taken, weights_ns))
		return 1;
	error = error ? error : gain_take(&r->causes, weights_ns, &taken->gain);
	if (error)
		return error;
	gain_subtract_peers(&taken->gain, &peers);
	gain_widen(&taken->gain, w->step_ns, w->unexplained_ns);
	return 0;
}

static int take_all(struct whatif *w, struct replayed *r)
{
	const size_t n = r->model.graph.n_edges;
	int64_t *weights_ns = malloc((n + 1) * sizeof(*weights_ns));
	int error = weights_ns ? 0 : -ENOMEM;
	if (!error)
		memcpy(weights_ns, r->causes.measured_ns, n * sizeof(*weights_ns));
	for (uint32_t i = 0; !error && i < w->n; i++)
		error = take_one(w, r, &w->at[i], weights_ns);
	free(weights_ns);
	if (error <= 0)
		return error;
	diag("%s: no rank of this run is meant", w->dir);
	w->status = STATUS_USAGE;
	return 0;
}

/* Without --without: what the replay itself finds. */
static int find_causes(struct whatif *w, struct replayed *r)
{
	struct culprits culprits;
	int error = culprits_find(&r->causes, &culprits);
	for (uint32_t i = 0; !error && i < culprits.n; i++)
		w->at[w->n++] =
			(struct taken){1u << culprits.at[i].cause, -1, true, culprits.at[i].scope, {0, 0, 0}};
	return error;
}

/* ---- the answer ---- */

/* "rank": all of a rank's own. */
static const char *taken_name(const struct taken *taken)
{
	int cause = 0;
	while (!(taken->causes >> cause & 1))
		cause++;
	return taken->causes == of_rank ? "rank" : cause_name((enum cause)cause);
}

/* Of what a gain is measured against the weakest. */
static enum gain_reference taken_reference(const struct taken *taken)
{
	enum gain_reference most = REFERENCE_NONE;
	for (int cause = 0; cause < CAUSES; cause++) {
		const enum gain_reference own = gain_reference_of(cause_name((enum cause)cause));
		most = taken->causes >> cause & 1 && own > most ? own : most;
	}
	return most;
}

/* -1: of all. */
static long long taken_rank(const struct replayed *r, const struct taken *taken)
{
	if (taken->found)
		return taken->scope.unit == ALL_UNITS ? -1 : r->model.units[taken->scope.unit].rank;
	return taken->rank;
}

/* NULL: not of one host. */
static const char *taken_host(const struct replayed *r, const struct taken *taken)
{
	for (size_t u = 0; taken->found && taken->scope.host != ALL_UNITS && u < r->model.n_units; u++)
		if (r->model.units[u].host == taken->scope.host)
			return host_of(r, &r->model.units[u]);
	return NULL;
}

static void describe(const struct replayed *r, const struct taken *taken, char *text, size_t bytes)
{
	const long long rank = taken_rank(r, taken);
	const char *host = taken_host(r, taken);
	if (host)
		snprintf(text, bytes, "%s of host %s", taken_name(taken), host);
	else if (taken->causes == of_rank)
		snprintf(text, bytes, "what slows rank %lld", rank);
	else if (rank >= 0)
		snprintf(text, bytes, "%s of rank %lld", taken_name(taken), rank);
	else
		snprintf(text, bytes, "%s", taken_name(taken));
}

/* As findings of a report do, a gain is not to be relied on above a twentieth. */
static bool is_sized(const struct whatif *w)
{
	return replay_explains(w->step_ns, w->unexplained_ns);
}

static void print_text(const struct whatif *w, const struct replayed *r)
{
	struct screen screen;
	struct text_buffer step, less;
	int64_t now_ns = w->step_ns;
	screen_open(&screen, stdout, now_ns);
	screen_line(&screen, "%s   %zu devices, %u steps replayed: %s ms each, as measured", w->dir,
				r->model.n_units, r->model.n_steps - 1, text_ms(&screen, now_ns, &step));
	for (uint32_t i = 0; i < w->n; i++) {
		char what[96];
		const struct gain *gain = &w->at[i].gain;
		now_ns -= gain->ns;
		describe(r, &w->at[i], what, sizeof(what));
		screen_wrap(&screen, 12, "%s %-20s %s ms: %s less (%.1f %%), %s",
					i ? "and without" : "without    ", what, text_ms(&screen, now_ns, &step),
					text_gain(&screen, gain->ns, gain->low_ns, gain->high_ns, &less),
					text_percent(gain->ns, w->step_ns),
					gain_reference_words(taken_reference(&w->at[i])));
	}
	if (w->n == 0)
		screen_line(&screen, "no cause is worth 0.4 %% of the step");
	screen_wrap(&screen, 0, "%s ms of the critical path is not explained by the trace%s",
				text_ms(&screen, w->unexplained_ns, &less),
				is_sized(w) ? "" : ": too much to say how large these gains are");
}

static void print_taken(struct json *json, const struct replayed *r, const struct taken *taken)
{
	json_object(json, NULL);
	json_text(json, "cause", taken_name(taken));
	json_known(json, "rank", taken_rank(r, taken));
	const char *host = taken_host(r, taken);
	if (host)
		json_text(json, "host", host);
	else
		json_null(json, "host");
	json_number(json, "gain_ns", taken->gain.ns);
	json_number(json, "gain_low_ns", taken->gain.low_ns);
	json_number(json, "gain_high_ns", taken->gain.high_ns);
	const char *reference = gain_reference_name(taken_reference(taken));
	if (reference)
		json_text(json, "gain_reference", reference);
	else
		json_null(json, "gain_reference");
	json_end_object(json);
}

static void print_json(const struct whatif *w, const struct replayed *r)
{
	struct json json = {.out = stdout};
	int64_t now_ns = w->step_ns;
	json_object(&json, NULL);
	json_text(&json, "run", w->dir);
	json_number(&json, "units", (int64_t)r->model.n_units);
	json_number(&json, "steps", r->model.n_steps - 1);
	json_number(&json, "step_ns", w->step_ns);
	json_number(&json, "replay_error_ns", r->error_ns);
	json_number(&json, "unexplained_ns", w->unexplained_ns);
	json_bool(&json, "sized", is_sized(w));
	json_number(&json, "collective_ops", (int64_t)r->model.n_members);
	json_number(&json, "met", (int64_t)r->model.met);
	json_array(&json, "without");
	for (uint32_t i = 0; i < w->n; i++) {
		print_taken(&json, r, &w->at[i]);
		now_ns -= w->at[i].gain.ns;
	}
	json_end_array(&json);
	json_number(&json, "step_without_ns", now_ns);
	json_end_object(&json);
	printf("\n");
}

static int answer(struct replayed *r, void *context)
{
	struct whatif *w = context;
	if (!r) {
		diag("%s: there are too few steps to replay (three are needed)", w->dir);
		w->status = STATUS_INPUT;
		return 0;
	}
	w->step_ns = r->causes.step_ns;
	int error = w->n ? 0 : find_causes(w, r);
	error = error ? error : culprits_unexplained(&r->causes, &w->unexplained_ns);
	error = error ? error : take_all(w, r);
	if (error || w->status != STATUS_OK)
		return error;
	if (w->json)
		print_json(w, r);
	else
		print_text(w, r);
	return 0;
}

static int run(const struct invocation *call)
{
	struct reduce_options how;
	struct reduction reduction;
	struct whatif whatif;
	int status = reduce_options_read(call, false, &how);
	if (status == STATUS_OK)
		status = read_options(call, &whatif);
	if (status != STATUS_OK)
		return status;
	how.store = how.must_store = false;
	how.classes_file = option_text(call, "classes", NULL);
	how.replay = answer;
	how.replay_context = &whatif;
	how.replay_steps = WHATIF_STEPS;
	status = reduce_run(&call->operand[0], 1, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	reduction_free(&reduction);
	return finish_stdout(whatif.status == STATUS_OK ? status : whatif.status);
}

static const struct named_text examples[] = {
	{"baton whatif runs/x", "What would win most, one cause after the other."},
	{"baton whatif runs/x --without input", "The step if data were always there."},
	{"baton whatif runs/x --without 'rank 3'", "The step if rank 3 were like the others."},
	{0},
};
static const struct named_text files[] = {
	RUN_FILE_ROWS,
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

const struct command command_whatif = {
	.name = "whatif",
	.operands = "DIR",
	.least_operands = 1,
	.summary = "the step without some of its losses, by replay",
	.details =
		"Replays the steps of a run with some causes of lost time taken off, and says how long a "
		"step would be then. Without --without it looks for the causes itself: each is taken off, "
		"and the next one is what would win most after that. docs/GRAPH.md defines the replay. "
		"Everything else is taken to stay as it was: the program, and how fast its hosts, GPUs "
		"and links are.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.run = run,
};
