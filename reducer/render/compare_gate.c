#include "render/compare_gate.h"

#include "base/diag.h"
#include "conclude/kernel_change.h"
#include "summary/leaf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel_prefix[] = "kernel:";

static const struct {
	const char *unit;
	double ns; /* 0: per cent */
} units[] = {{"%", 0}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

static int refuse(const char *text)
{
	diag("--fail-if wants NAME<NUMBER or NAME>NUMBER, not '%s': efficiency<0.85, step>2%%, "
		 "nccl.wait>1ms, 'kernel:REGEX>3%%'",
		 text);
	return STATUS_USAGE;
}

/* The last '<' or '>': names of kernels have them too. */
static const char *find_sign(const char *text)
{
	const char *sign = NULL;
	for (const char *at = text; *at; at++)
		if (*at == '<' || *at == '>')
			sign = at;
	return sign;
}

static bool read_number(struct compare_gate *gate, const char *text)
{
	char *end;
	const double number = strtod(text, &end);
	if (end == text || !isfinite(number))
		return false;
	end += strspn(end, " \t");
	if (gate->of == GATE_EFFICIENCY) {
		gate->limit = number;
		return *end == 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t n = strlen(units[i].unit);
		if (strncmp(end, units[i].unit, n) != 0 || end[n + strspn(end + n, " \t")] != 0)
			continue;
		gate->percent = units[i].ns == 0;
		gate->limit = gate->percent ? number / 100 : number * units[i].ns;
		return true;
	}
	return false;
}

static int read_name(struct compare_gate *gate)
{
	if (strcmp(gate->name, "efficiency") == 0) {
		gate->of = GATE_EFFICIENCY;
		return STATUS_OK;
	}
	if (strncmp(gate->name, kernel_prefix, sizeof(kernel_prefix) - 1) == 0) {
		const char *pattern = gate->name + sizeof(kernel_prefix) - 1;
		int error = *pattern ? regcomp(&gate->pattern, pattern, REG_EXTENDED | REG_NOSUB) : 1;
		if (error) {
			diag("--fail-if: '%s' is no regular expression", pattern);
			return STATUS_USAGE;
		}
		gate->of = GATE_KERNELS;
		return STATUS_OK;
	}
	gate->leaves = strcmp(gate->name, "step") == 0 ? LEAVES_ALL : leaf_names_under(gate->name);
	if (gate->leaves) {
		gate->of = GATE_LEAVES;
		return STATUS_OK;
	}
	diag("--fail-if: '%s' is neither efficiency, step, kernel:REGEX nor a leaf or the beginning of "
		 "one; did you mean '%s'?",
		 gate->name, leaf_names_nearest(gate->name, LEAVES_ALL));
	return STATUS_USAGE;
}

int compare_gate_open(struct compare_gate *gate, const char *text)
{
	*gate = (struct compare_gate){.text = text};
	if (!text)
		return STATUS_OK;
	const char *begin = text + strspn(text, " \t"), *sign = find_sign(begin), *end = sign;
	while (end && end > begin && strchr(" \t", end[-1]))
		end--;
	if (!sign || end == begin || (size_t)(end - begin) >= sizeof(gate->name))
		return refuse(text);
	snprintf(gate->name, sizeof(gate->name), "%.*s", (int)(end - begin), begin);
	gate->below = *sign == '<';
	int status = read_name(gate);
	if (status == STATUS_OK && !read_number(gate, sign + 1)) {
		compare_gate_close(gate);
		return refuse(text);
	}
	return status;
}

void compare_gate_close(struct compare_gate *gate)
{
	if (gate->of == GATE_KERNELS)
		regfree(&gate->pattern);
	gate->of = GATE_NONE;
}

struct measured { /* what the gate looks at: a ratio or ns, and its range */
	double value, low, high;
	bool known;   /* the range */
	bool charged; /* with waits charged, as the screen shows it, it is another number */
};

static struct measured times(double value, double half, double by)
{
	return (struct measured){value * by, (value - half) * by, (value + half) * by, !isnan(half),
							 false};
}

/* NCCL time that is not split may be wait or transfer. */
static const char *cannot_tell(const struct compare_gate *gate, const struct change_sides *s)
{
	const uint64_t parts = LEAF_BIT(LEAF_NCCL_WAIT) | LEAF_BIT(LEAF_NCCL_TRANSFER);
	const struct figures *base = s->base->figures, *run = s->run->figures;
	if (!(gate->leaves & (base->carried | run->carried)))
		return "neither trace can measure it (quality.not_carried)";
	if (gate->leaves & parts && !(gate->leaves & LEAF_BIT(LEAF_NCCL_UNSPLIT)) &&
		base->time_ns[LEAF_NCCL_UNSPLIT] + run->time_ns[LEAF_NCCL_UNSPLIT] > 0)
		return "NCCL time is not split into waiting and transfer";
	return NULL;
}

static const char *measure_leaves(const struct compare_gate *gate, const struct comparison *c,
								  size_t i, struct measured *out)
{
	const struct change_sides *s = &c->sides[i];
	const double by = gate->percent ? 1 / (double)s->run->ideal_ns : 1;
	struct change_range range = c->changes[i].loss;
	int64_t ns = 0, charged_ns = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		ns += gate->leaves & LEAF_BIT(leaf) ? s->run->terms_ns[leaf] : 0;
		charged_ns += gate->leaves & LEAF_BIT(leaf) ? c->charged[i].terms_ns[leaf] : 0;
	}
	*out = times((double)ns, NAN, by);
	out->charged = charged_ns != ns;
	if (s->run->ideal_ns <= 0)
		return "there is no step";
	if (cannot_tell(gate, s))
		return cannot_tell(gate, s);
	if (!c->changes[i].known)
		return NULL;
	if (gate->leaves != LEAVES_ALL && change_of_leaves(s, gate->leaves, ns, &range) != 0)
		return "out of memory";
	*out = (struct measured){(double)ns * by, (double)range.low_ns * by, (double)range.high_ns * by,
							 true, charged_ns != ns};
	return NULL;
}

static const char *measure_kernels(const struct compare_gate *gate, const struct comparison *c,
								   size_t i, struct measured *out)
{
	struct kernel_change change;
	kernel_change_find(&c->sides[i], &c->changes[i], &gate->pattern, &change);
	const double by = gate->percent ? 1 / change.base_ns : 1;
	*out = times(change.run_ns - change.base_ns, change.half_ns, by);
	if (!change.any)
		return "no kernel of either run matches";
	return gate->percent && change.base_ns <= 0 ? "no kernel of the base matches" : NULL;
}

/* The efficiency at a loss. Runs of one side that lie far apart may leave no step at all. */
static double efficiency_at(double ideal, int64_t loss_ns)
{
	return ideal + (double)loss_ns > 0 ? ideal / (ideal + (double)loss_ns) : INFINITY;
}

/* A longer step has less of it. */
static void measure_efficiency(const struct comparison *c, size_t i, struct measured *out)
{
	const struct change *change = &c->changes[i];
	const double ideal = (double)c->runs[i].ideal_ns;
	*out = (struct measured){c->runs[i].efficiency, NAN, NAN, change->known, false};
	if (change->known) {
		out->low = efficiency_at(ideal, change->loss.high_ns);
		out->high = efficiency_at(ideal, change->loss.low_ns);
	}
}

static const char *measure(const struct compare_gate *gate, const struct comparison *c, size_t i,
						   struct measured *out)
{
	*out = (struct measured){NAN, NAN, NAN, false, false};
	if (c->work[i].other)
		return "its work is another one than the base's";
	if (gate->of == GATE_LEAVES)
		return measure_leaves(gate, c, i, out);
	if (gate->of == GATE_KERNELS)
		return measure_kernels(gate, c, i, out);
	measure_efficiency(c, i, out);
	return isnan(out->value) ? "there is no step" : NULL;
}

/* "+2.31 %", "+0.12 ms", "0.9713" */
static const char *shown(const struct compare_gate *gate, double value, char text[40])
{
	if (gate->of == GATE_EFFICIENCY)
		snprintf(text, 40, "%.4f", value);
	else if (gate->percent)
		snprintf(text, 40, "%+.2f %%", 100 * value);
	else
		snprintf(text, 40, "%+.3f ms", value / 1e6);
	return text;
}

/* Fires when all of the range is beyond the limit; where none is known, when the value is. */
static int judge_one(const struct compare_gate *gate, const struct comparison *c, size_t i)
{
	struct measured m;
	char value[40], low[40], high[40], range[160];
	const char *why = measure(gate, c, i, &m);
	if (why) {
		diag("gate failed: %s of %s cannot be judged: %s, --fail-if %s", gate->name, c->names[i],
			 why, gate->text);
		return STATUS_GATE;
	}
	const bool beyond = gate->below ? m.value < gate->limit : m.value > gate->limit;
	const bool surely = !m.known || (gate->below ? m.high < gate->limit : m.low > gate->limit);
	const char *as = m.charged ? "; as measured, before waits are charged" : "";
	if (m.known)
		snprintf(range, sizeof(range), "between %s and %s%s", shown(gate, m.low, low),
				 shown(gate, m.high, high), as);
	else
		snprintf(range, sizeof(range), "noise is not known, so it is not taken off%s", as);
	if (beyond && surely)
		diag("gate failed: %s of %s is %s (%s), --fail-if %s", gate->name, c->names[i],
			 shown(gate, m.value, value), range, gate->text);
	else if (beyond || !m.known)
		diag("gate passed: %s of %s is %s (%s), --fail-if %s", gate->name, c->names[i],
			 shown(gate, m.value, value), range, gate->text);
	return beyond && surely ? STATUS_GATE : STATUS_OK;
}

int compare_gate_judge(const struct compare_gate *gate, const struct comparison *c)
{
	int status = STATUS_OK;
	for (size_t i = 0; gate->of != GATE_NONE && i < c->n; i++)
		if (i != c->result->base && judge_one(gate, c, i) == STATUS_GATE)
			status = STATUS_GATE;
	return status;
}
