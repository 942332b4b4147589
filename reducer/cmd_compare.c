/* baton compare: where the scaling of several runs was lost, or what changed between two. */
#include "base/diag.h"
#include "commands.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/compare.h"
#include "render/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 4096 };

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL, "schema baton.compare/0 on stdout"},
	{"scaling", 0, OPTION_TEXT, "KIND",
	 "weak, strong or auto (default): how work per GPU was meant to grow"},
	VIEW_OPTION_ROWS,
	{"fail-if", 0, OPTION_TEXT, "EXPR",
	 "exit 1 if EXPR is true for any run but the base, e.g. efficiency<0.85"},
	{0},
};

struct side {
	struct reduction reduction;
	struct figures figures;
	bool open;
};

/* One operand: the directories of a run's nodes, joined by commas. */
static int reduce_operand(const char *operand, const struct reduce_options *how,
						  struct reduction *out)
{
	char *copy = strdup(operand), *dirs[MAX_NODES];
	size_t n = 0;
	if (!copy)
		return STATUS_INPUT;
	for (char *dir = strtok(copy, ","); dir && n < MAX_NODES; dir = strtok(NULL, ","))
		dirs[n++] = dir;
	if (n == 0)
		diag("'%s' names no directory", operand);
	int status = n ? reduce_run(dirs, n, how, out) : STATUS_USAGE;
	free(copy);
	return status;
}

struct gate {
	const char *text; /* NULL: none asked for */
	bool below;
	double limit;
};

static int parse_gate(const char *text, struct gate *gate)
{
	char name[64];
	gate->text = text;
	if (!text)
		return STATUS_OK;
	if (gate_parse(text, name, sizeof(name), &gate->below, &gate->limit) != 0)
		return STATUS_USAGE;
	if (strcmp(name, "efficiency") == 0)
		return STATUS_OK;
	diag("--fail-if: compare knows only 'efficiency', not '%s' (report --fail-if has the leaves)",
		 name);
	return STATUS_USAGE;
}

static int judge(const struct gate *gate, const struct comparison *c)
{
	for (size_t i = 0; gate->text && i < c->n; i++) {
		double value = c->runs[i].efficiency;
		if (i != c->result->base && (gate->below ? value < gate->limit : value > gate->limit)) {
			diag("gate failed: efficiency of %s is %.4f, --fail-if %s", c->names[i], value,
				 gate->text);
			return STATUS_GATE;
		}
	}
	return STATUS_OK;
}

static int parse_scaling(const char *text, enum scaling *scaling)
{
	static const char *const names[] = {
		[SCALING_AUTO] = "auto", [SCALING_WEAK] = "weak", [SCALING_STRONG] = "strong"};
	for (int i = SCALING_AUTO; i <= SCALING_STRONG; i++)
		if (strcmp(text, names[i]) == 0) {
			*scaling = (enum scaling)i;
			return STATUS_OK;
		}
	diag("--scaling must be weak, strong or auto, not '%s'", text);
	return STATUS_USAGE;
}

struct everything { /* of n runs */
	struct scaling_run *runs;
	const struct summary **summaries;
	struct change *changes;
	struct charged *charged;
};

static int compute(struct everything *all, struct side *sides, size_t n, enum scaling scaling,
				   struct scaling_result *result)
{
	int error = 0;
	all->runs = calloc(n, sizeof(*all->runs));
	all->summaries = calloc(n, sizeof(*all->summaries));
	all->changes = calloc(n, sizeof(*all->changes));
	all->charged = calloc(n, sizeof(*all->charged));
	if (!all->runs || !all->summaries || !all->changes || !all->charged)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		figures_compute(&sides[i].reduction.summary, &sides[i].figures);
		all->runs[i].figures = &sides[i].figures;
		all->runs[i].busy_ns = scaling_busy(&sides[i].reduction.summary);
		all->summaries[i] = &sides[i].reduction.summary;
	}
	scaling_compute(all->runs, n, scaling, result);
	for (size_t i = 0; !error && i < n; i++) {
		const struct change_sides sides_of = {all->summaries[i], all->summaries[result->base],
											  &all->runs[i], &all->runs[result->base]};
		if (i == result->base)
			continue;
		error = change_find(&sides_of, &all->changes[i]);
		error = error ? error : charged_open(&all->charged[i], &sides_of, &all->changes[i]);
	}
	return error;
}

static int print(const struct invocation *call, struct side *sides, enum scaling scaling,
				 const struct gate *gate)
{
	struct everything all = {0};
	struct scaling_result result;
	int status = STATUS_INPUT; /* no memory */
	if (compute(&all, sides, (size_t)call->operands, scaling, &result) == 0) {
		struct comparison comparison = {(size_t)call->operands,
										(const char *const *)call->operand,
										all.summaries,
										all.runs,
										&result,
										all.changes,
										all.charged};
		if (!result.sure)
			diag("work per GPU fits neither weak nor strong scaling; compared as weak scaling "
				 "(--scaling changes it)");
		if (option_given(call, "json"))
			compare_json(&comparison, stdout);
		else
			compare_text(&comparison, stdout);
		status = judge(gate, &comparison);
	}
	for (int i = 0; all.charged && i < call->operands; i++)
		charged_close(&all.charged[i]);
	free(all.charged);
	free(all.runs);
	free(all.summaries);
	free(all.changes);
	return status;
}

static int run(const struct invocation *call)
{
	struct reduce_options how;
	enum scaling scaling;
	size_t n = (size_t)call->operands;
	struct gate gate;
	int status = parse_scaling(option_text(call, "scaling", "auto"), &scaling);
	if (status == STATUS_OK)
		status = reduce_options_read(call, true, &how);
	if (status == STATUS_OK)
		status = parse_gate(option_text(call, "fail-if", NULL), &gate);
	struct side *sides = status == STATUS_OK ? calloc(n, sizeof(*sides)) : NULL;
	bool all = sides != NULL;
	for (size_t i = 0; all && i < n; i++) {
		int one = reduce_operand(call->operand[i], &how, &sides[i].reduction);
		sides[i].open = one == STATUS_OK || one == STATUS_PARTIAL;
		status = status_worse(status, one);
		all = sides[i].open;
	}
	if (all) {
		int printed = print(call, sides, scaling, &gate);
		status = printed == STATUS_GATE ? STATUS_GATE : (int)status_worse(status, printed);
	}
	for (size_t i = 0; sides && i < n; i++)
		if (sides[i].open)
			reduction_free(&sides[i].reduction);
	free(sides);
	return status;
}

static const struct named_text examples[] = {
	{"baton compare runs/1gpu runs/2gpu runs/4gpu", "Why are 4 GPUs not 4 times as fast as one?"},
	{"baton compare runs/before runs/after",
	 "What changed between two runs on the same number of GPUs?"},
	{"baton compare runs/1gpu runs/node0,runs/node1",
	 "A run whose nodes wrote into directories of their own."},
	{"baton compare --fail-if 'efficiency<0.85' runs/1gpu runs/4gpu",
	 "In a script: exit status 1 when scaling is worse than that."},
	{0},
};
static const struct named_text environment[] = {
	VIEW_ENVIRONMENT_ROWS,
	{0},
};
static const struct named_text files[] = {
	RUN_FILE_ROWS,
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{"scaling", "weak strong auto"},
	{0},
};

const struct command command_compare = {
	.name = "compare",
	.operands = "DIR DIR...",
	.least_operands = 2,
	.summary = "why n GPUs are not n times one, or what changed between two runs",
	.details = "Each operand is one run; join the directories of its nodes with commas. The run "
			   "with the fewest GPUs is the base (the first named, if several have as few). The "
			   "terms of the bridge add up to the lost time exactly; the number after +- is "
			   "its noise: how far other steps of the same runs might have taken it. If both runs "
			   "have GPU "
			   "samples (baton record) of one GPU model, the bridge also says when their SM "
			   "clocks differ by more than 2 %. Status 4 as for baton report: some of a run is "
			   "missing.",
	.options = options,
	.examples = examples,
	.environment = environment,
	.files = files,
	.choices = choices,
	.run = run,
};
