#include "render/gate.h"

#include "base/diag.h"
#include "summary/leaf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " \t");
}

/* Splits an expression. 0, or -EINVAL (said with diag()). */
static int gate_parse(const char *text, char *name, size_t name_bytes, bool *below, double *limit)
{
	const char *begin = skip_spaces(text), *sign = strpbrk(begin, "<>"), *last = sign;
	char *end = NULL;
	while (last && last > begin && strchr(" \t", last[-1]))
		last--;
	if (sign && last > begin && (size_t)(last - begin) < name_bytes) {
		snprintf(name, name_bytes, "%.*s", (int)(last - begin), begin);
		*below = *sign == '<';
		*limit = strtod(sign + 1, &end);
	}
	if (end && end > sign + 1 && *skip_spaces(end) == 0 && isfinite(*limit))
		return 0;
	diag("--fail-if wants NAME<NUMBER or NAME>NUMBER, not '%s'", text);
	return -EINVAL;
}

struct range { /* the true value lies in it */
	double least, most;
	bool carried; /* some leaf of it is in the trace */
};

/* NCCL time that is not split may be wait or transfer: a name that has one of the two and not the
 * unsplit time itself may be all of it more. */
static struct range range_of(uint64_t leaves, const struct figures *f)
{
	const uint64_t parts = LEAF_BIT(LEAF_NCCL_WAIT) | LEAF_BIT(LEAF_NCCL_TRANSFER);
	struct range range = {.carried = (leaves & f->carried) != 0};
	const int64_t sum = figures_time(f, leaves);
	bool open = leaves & parts && !(leaves & LEAF_BIT(LEAF_NCCL_UNSPLIT));
	int64_t most = sum + (open ? f->time_ns[LEAF_NCCL_UNSPLIT] : 0);
	if (f->step_ns > 0) {
		range.least = (double)sum / (double)f->step_ns;
		range.most = (double)most / (double)f->step_ns;
	}
	return range;
}

int gate_check(const char *text)
{
	char name[64];
	bool below;
	double limit;
	if (gate_parse(text, name, sizeof(name), &below, &limit) != 0)
		return STATUS_USAGE;
	if (strcmp(name, "step_ms") == 0 || leaf_names_under(name))
		return STATUS_OK;
	diag("--fail-if: '%s' is neither step_ms nor a leaf nor the beginning of one; did you mean "
		 "'%s'? The "
		 "leaves: " LEAF_NAMES,
		 name, leaf_names_nearest(name, ~UINT64_C(0)));
	return STATUS_USAGE;
}

static int judge(const char *text, const char *name, bool holds, double value)
{
	if (holds)
		diag("gate failed: %s is %.4f, --fail-if %s", name, value, text);
	return holds ? STATUS_GATE : STATUS_OK;
}

int gate_report(const char *text, const struct figures *f, const char *reason)
{
	char name[64];
	bool below;
	double limit;
	if (gate_parse(text, name, sizeof(name), &below, &limit) != 0)
		return STATUS_USAGE;
	if (strcmp(name, "step_ms") == 0) {
		double ms = (double)f->step_ns / 1e6;
		return judge(text, name, below ? ms < limit : ms > limit, ms);
	}
	struct range range = range_of(leaf_names_under(name), f);
	bool least = below ? range.least < limit : range.least > limit;
	bool most = below ? range.most < limit : range.most > limit;
	if (range.carried && least == most)
		return judge(text, name, least, range.least);
	if (!range.carried)
		diag("gate failed: this trace cannot measure %s (quality.not_carried), --fail-if %s", name,
			 text);
	else
		diag("gate failed: %s is between %.4f and %.4f, because NCCL time is not split (%s), "
			 "--fail-if %s",
			 name, range.least, range.most, reason, text);
	return STATUS_GATE;
}
