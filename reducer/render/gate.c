#include "render/gate.h"

#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gate_parse(const char *text, char *name, size_t name_bytes, bool *below, double *limit)
{
	const char *sign = strpbrk(text, "<>");
	char *end = NULL;
	if (sign && sign > text && (size_t)(sign - text) < name_bytes) {
		snprintf(name, name_bytes, "%.*s", (int)(sign - text), text);
		*below = *sign == '<';
		*limit = strtod(sign + 1, &end);
	}
	if (end && end > sign + 1 && *end == 0)
		return 0;
	diag("--fail-if wants NAME<NUMBER or NAME>NUMBER, not '%s'", text);
	return -EINVAL;
}

static bool is_prefix(const char *name, const char *leaf)
{
	size_t n = strlen(name);
	return strncmp(leaf, name, n) == 0 && (leaf[n] == 0 || leaf[n] == '.');
}

int gate_report(const char *text, const struct figures *f)
{
	char name[64];
	bool below, known = false;
	double limit, value = 0;
	if (gate_parse(text, name, sizeof(name), &below, &limit) != 0)
		return STATUS_USAGE;
	if (strcmp(name, "step_ms") == 0) {
		value = (double)f->step_ns / 1e6;
		known = true;
	}
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (is_prefix(name, leaf_name((enum leaf)leaf))) {
			value += f->step_ns > 0 ? (double)f->time_ns[leaf] / (double)f->step_ns : 0;
			known = true;
		}
	if (!known) {
		diag("--fail-if: '%s' is neither a leaf, a prefix of leaves nor step_ms", name);
		return STATUS_USAGE;
	}
	if (below ? value < limit : value > limit) {
		diag("gate failed: %s is %.4f, --fail-if %s", name, value, text);
		return STATUS_GATE;
	}
	return STATUS_OK;
}
