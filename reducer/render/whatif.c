#include "render/whatif.h"

#include "base/amount.h"
#include "render/json.h"
#include "render/text.h"

#include <stdlib.h>
#include <string.h>

/* -1: of several. */
static long long scope_rank(const struct replayed *r, const struct scope *scope)
{
	return scope->unit == ALL_UNITS ? -1 : r->model.units[scope->unit].rank;
}

static long long taken_rank(const struct replayed *r, const struct taken *taken)
{
	return taken->found ? scope_rank(r, &taken->scope) : taken->rank;
}

/* NULL: not of one host. */
static const char *taken_host(const struct replayed *r, const struct taken *taken)
{
	for (size_t u = 0; taken->found && taken->scope.host != ALL_UNITS && u < r->model.n_units; u++)
		if (r->model.units[u].host == taken->scope.host)
			return whatif_host(r, &r->model.units[u]);
	return NULL;
}

static void describe(const struct replayed *r, const struct taken *taken, char *text, size_t bytes)
{
	const long long rank = taken_rank(r, taken);
	const char *host = taken_host(r, taken);
	char grouped[32];
	if (host)
		snprintf(text, bytes, "%s of host %s", taken->name, host);
	else if (taken->kind == TAKEN_COLLECTIVE)
		snprintf(text, bytes, "transfers of %s bytes",
				 amount_grouped((uint64_t)taken->bytes, grouped));
	else if (taken->kind == TAKEN_SCALED)
		snprintf(text, bytes, "%s x %g", taken->name, taken->scale.times);
	else if (taken->device[0])
		snprintf(text, bytes, "what slows device %s", taken->device);
	else if (taken->causes == taken_of_rank)
		snprintf(text, bytes, "what slows rank %lld", rank);
	else if (rank >= 0)
		snprintf(text, bytes, "%s of rank %lld", taken->name, rank);
	else
		snprintf(text, bytes, "%s", taken->name);
}

/* The other one of two that pay only together. */
static void describe_joint(const struct replayed *r, const struct taken *taken, char *text,
						   size_t bytes)
{
	const size_t used = strlen(text);
	const long long rank = scope_rank(r, &taken->joint.scope);
	const char *cause = cause_name(taken->joint.cause);
	if (rank >= 0)
		snprintf(text + used, bytes - used, " and %s of rank %lld", cause, rank);
	else
		snprintf(text + used, bytes - used, " and %s", cause);
}

static void joint_line(const struct screen *screen, const struct taken *taken)
{
	struct text_buffer first, other;
	screen_wrap(screen, 12,
				"            They pay only together: the first one alone wins %s ms, the other "
				"one alone %s ms",
				text_ms(screen, taken->joint.first_alone_ns, &first),
				text_ms(screen, taken->joint.alone_ns, &other));
}

static void nodes_line(const struct screen *screen, const struct taken *taken)
{
	const struct node_gap *gap = &taken->node_gap;
	if (gap->of == NODE_GAP_STAYS)
		screen_wrap(screen, 12,
					"            Gaps between queued kernels stay: the steps have too few nodes of "
					"CUDA graphs to say how short they would be");
	else
		screen_wrap(screen, 12, "            Gaps between kernels are %lld ns at most, %s",
					(long long)gap->ns,
					gap->of == NODE_GAP_OF_RUN
						? "as mostly between the nodes of this run's CUDA graphs"
						: "as was measured between nodes of a CUDA graph on an H100");
}

/* Faster, slower and otherwise built is with something. */
static const char *preposition(const struct taken *taken, uint32_t i)
{
	const bool with = taken->kind == TAKEN_SCALED || taken->kind == TAKEN_OVERLAP ||
					  taken->kind == TAKEN_LIKE || taken->graphs;
	if (with)
		return i ? "and with" : "with";
	return i ? "and without" : "without";
}

static const char *compared(const struct taken *taken)
{
	if (taken->kind == TAKEN_SCALED)
		return "as asked";
	if (taken->kind == TAKEN_LIKE)
		return "its kernels and host by the medians of their classes";
	if (taken->kind == TAKEN_OVERLAP)
		return "at most: the trace does not say which work needs what a collective brings";
	return gain_reference_words(whatif_reference(taken));
}

/* What makes the step longer is more, not less of a negative. */
static const char *gain_words(const struct screen *screen, const struct gain *gain,
							  struct text_buffer *out)
{
	if (gain->ns < 0)
		return text_gain(screen, -gain->ns, -gain->high_ns, -gain->low_ns, out);
	return text_gain(screen, gain->ns, gain->low_ns, gain->high_ns, out);
}

/* The words of one line, with the other one of two that pay only together. */
static void describe_line(const struct whatif *w, const struct replayed *r, uint32_t i, char *text,
						  size_t bytes)
{
	const struct taken *taken = &w->list.at[i];
	describe(r, taken, text, bytes);
	if (taken->joint.known)
		describe_joint(r, taken, text, bytes);
	if (taken->kind == TAKEN_LIKE)
		snprintf(text, bytes, "the speeds of %s", w->like);
}

void whatif_text(const struct whatif *w, const struct replayed *r, FILE *out)
{
	struct screen screen;
	struct text_buffer step, less;
	int64_t now_ns = w->step_ns;
	screen_open(&screen, out, now_ns);
	screen_line(&screen, "%s   %zu device%s, %u steps replayed: %s ms each, as measured", w->dir,
				r->model.n_units, r->model.n_units == 1 ? "" : "s", r->model.n_steps - 1,
				text_ms(&screen, now_ns, &step));
	for (uint32_t i = 0; i < w->list.n; i++) {
		const struct taken *taken = &w->list.at[i];
		const struct gain *gain = &taken->gain;
		char what[TAKEN_NAME_BYTES + 96];
		now_ns -= gain->ns;
		describe_line(w, r, i, what, sizeof(what));
		screen_wrap(&screen, 12, "%-11s %-20s %s ms: %s %s (%.1f %%), %s", preposition(taken, i),
					what, text_ms(&screen, now_ns, &step), gain_words(&screen, gain, &less),
					gain->ns < 0 ? "more" : "less", text_percent(llabs(gain->ns), w->step_ns),
					compared(taken));
		if (taken->joint.known)
			joint_line(&screen, taken);
		if (taken->graphs)
			nodes_line(&screen, taken);
	}
	bool transfers = false;
	for (uint32_t i = 0; i < w->list.n; i++)
		transfers |= whatif_of_transfers(&w->list.at[i]);
	if (transfers && r->model.met < r->model.n_members)
		screen_wrap(&screen, 0,
					"%llu of %zu collective ops met their other members; of the rest the replay "
					"knows no transfer",
					(unsigned long long)r->model.met, r->model.n_members);
	if (w->list.n == 0)
		screen_line(&screen, "no cause is worth 0.4 %% of the step");
	else
		screen_wrap(&screen, 0,
					"Everything else stays as fast as it was: the hosts, the GPUs and "
					"the links");
	screen_wrap(&screen, 0, "%s ms of the critical path is not explained by the trace%s",
				text_ms(&screen, w->unexplained_ns, &less),
				w->sized ? "" : ": too much to say how large these gains are");
}

static void text_or_null(struct json *json, const char *key, const char *text)
{
	if (text)
		json_text(json, key, text);
	else
		json_null(json, key);
}

static void print_joint(struct json *json, const struct replayed *r, const struct taken *taken)
{
	const struct joint_cause *joint = &taken->joint;
	if (!joint->known) {
		json_null(json, "together");
		return;
	}
	json_object(json, "together");
	json_text(json, "cause", cause_name(joint->cause));
	json_known(json, "rank", scope_rank(r, &joint->scope));
	json_number(json, "alone_ns", joint->alone_ns);
	json_number(json, "first_alone_ns", joint->first_alone_ns);
	json_end_object(json);
}

static void print_nodes(struct json *json, const struct taken *taken)
{
	if (taken->graphs && taken->node_gap.of != NODE_GAP_STAYS) {
		json_number(json, "node_gap_ns", taken->node_gap.ns);
		json_text(json, "node_gap_of", taken->node_gap.of == NODE_GAP_OF_RUN ? "run" : "H100");
	} else {
		json_null(json, "node_gap_ns");
		json_null(json, "node_gap_of");
	}
}

static void print_taken(struct json *json, const struct replayed *r, const struct taken *taken)
{
	json_object(json, NULL);
	json_text(json, "cause", taken->name);
	json_known(json, "rank", taken_rank(r, taken));
	text_or_null(json, "host", taken_host(r, taken));
	text_or_null(json, "device", taken->device[0] ? taken->device : NULL);
	json_known(json, "bytes", taken->bytes);
	if (taken->kind == TAKEN_SCALED)
		json_ratio(json, "times", taken->scale.times);
	else
		json_null(json, "times");
	json_number(json, "gain_ns", taken->gain.ns);
	json_number(json, "gain_low_ns", taken->gain.low_ns);
	json_number(json, "gain_high_ns", taken->gain.high_ns);
	text_or_null(json, "gain_reference", gain_reference_name(whatif_reference(taken)));
	print_nodes(json, taken);
	print_joint(json, r, taken);
	json_end_object(json);
}

void whatif_json(const struct whatif *w, const struct replayed *r, FILE *out)
{
	struct json json = {.out = out};
	int64_t now_ns = w->step_ns;
	json_object(&json, NULL);
	json_text(&json, "run", w->dir);
	json_number(&json, "units", (int64_t)r->model.n_units);
	json_number(&json, "steps", r->model.n_steps - 1);
	json_number(&json, "step_ns", w->step_ns);
	json_number(&json, "replay_error_ns", r->error_ns);
	json_number(&json, "unexplained_ns", w->unexplained_ns);
	json_bool(&json, "sized", w->sized);
	json_number(&json, "collective_ops", (int64_t)r->model.n_members);
	json_number(&json, "met", (int64_t)r->model.met);
	json_array(&json, "without");
	for (uint32_t i = 0; i < w->list.n; i++) {
		print_taken(&json, r, &w->list.at[i]);
		now_ns -= w->list.at[i].gain.ns;
	}
	json_end_array(&json);
	json_number(&json, "step_without_ns", now_ns);
	json_end_object(&json);
	fputc('\n', out);
}

static struct cell text_cell(const char *text)
{
	return text && *text ? cell_text(text) : cell_none();
}

int whatif_sheets(const struct whatif *w, const struct replayed *r, enum sheet_format format,
				  FILE *out)
{
	static const char *const heads[] = {
		"what",    "cause",       "rank",         "host",    "device",    "bytes", "times",
		"gain_ns", "gain_low_ns", "gain_high_ns", "step_ns", "reference", NULL};
	static const struct sheet_spec spec = {"whatif", "The step without some of its losses", heads};
	struct sheets sheets;
	int64_t now_ns = w->step_ns;
	struct cell cells[sizeof(heads) / sizeof(heads[0]) - 1] = {
		[0] = cell_text("as measured"), [10] = cell_ns(now_ns)};
	sheets_open(&sheets, out, format);
	sheets_begin(&sheets, &spec);
	sheets_row(&sheets, cells);
	for (uint32_t i = 0; i < w->list.n; i++) {
		const struct taken *taken = &w->list.at[i];
		const bool scaled = taken->kind == TAKEN_SCALED;
		char what[TAKEN_NAME_BYTES + 96], line[sizeof(what) + 16];
		describe_line(w, r, i, what, sizeof(what));
		snprintf(line, sizeof(line), "%s %s", preposition(taken, i), what);
		now_ns -= taken->gain.ns;
		const struct cell row[] = {cell_text(line),
								   cell_text(taken->name),
								   cell_known(taken_rank(r, taken)),
								   text_cell(taken_host(r, taken)),
								   text_cell(taken->device),
								   cell_known(taken->bytes),
								   scaled ? cell_short(taken->scale.times) : cell_none(),
								   cell_ns(taken->gain.ns),
								   cell_ns(taken->gain.low_ns),
								   cell_ns(taken->gain.high_ns),
								   cell_ns(now_ns),
								   text_cell(gain_reference_name(whatif_reference(taken)))};
		sheets_row(&sheets, row);
	}
	sheets_end(&sheets);
	return sheets.error;
}
