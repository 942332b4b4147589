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

/* False: no such name. */
static bool value_of(const char *name, const struct figures *f, double *value)
{
	bool known = strcmp(name, "step_ms") == 0;
	*value = known ? (double)f->step_ns / 1e6 : 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (is_prefix(name, leaf_name((enum leaf)leaf))) {
			*value += f->step_ns > 0 ? (double)f->time_ns[leaf] / (double)f->step_ns : 0;
			known = true;
		}
	return known;
}

int gate_check(const char *text)
{
	char name[64];
	bool below;
	double limit, value;
	struct figures none = {0};
	if (gate_parse(text, name, sizeof(name), &below, &limit) != 0)
		return STATUS_USAGE;
	if (value_of(name, &none, &value))
		return STATUS_OK;
	diag("--fail-if: '%s' is neither a leaf, a prefix of leaves nor step_ms", name);
	return STATUS_USAGE;
}

int gate_report(const char *text, const struct figures *f)
{
	char name[64];
	bool below;
	double limit, value;
	if (gate_parse(text, name, sizeof(name), &below, &limit) != 0 || !value_of(name, f, &value))
		return STATUS_USAGE;
	if (below ? value < limit : value > limit) {
		diag("gate failed: %s is %.4f, --fail-if %s", name, value, text);
		return STATUS_GATE;
	}
	return STATUS_OK;
}
