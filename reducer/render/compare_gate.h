/* --fail-if of `baton compare`: NAME<NUMBER or NAME>NUMBER, the number with a unit
 * (docs/ATTRIBUTION.md section 7, "Gates"). */
#ifndef RENDER_COMPARE_GATE_H
#define RENDER_COMPARE_GATE_H

#include "render/compare.h"

#include <regex.h>

enum compare_gate_of { GATE_NONE, GATE_EFFICIENCY, GATE_LEAVES, GATE_KERNELS };

struct compare_gate {
	const char *text; /* as the user gave it */
	char name[200];
	enum compare_gate_of of;
	uint64_t leaves;
	regex_t pattern; /* of GATE_KERNELS */
	bool below, percent;
	double limit; /* a ratio, or ns */
};

/* NULL: no gate. STATUS_OK, or STATUS_USAGE (said with diag()), then there is nothing to close. */
int compare_gate_open(struct compare_gate *gate, const char *text);
void compare_gate_close(struct compare_gate *gate);
/* STATUS_GATE when it fires, or cannot be judged, for any run but the base (said with diag()). */
int compare_gate_judge(const struct compare_gate *gate, const struct comparison *comparison);

#endif
