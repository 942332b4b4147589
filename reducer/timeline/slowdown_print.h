/* What `baton stragglers` prints. */
#ifndef TIMELINE_SLOWDOWN_PRINT_H
#define TIMELINE_SLOWDOWN_PRINT_H

#include "render/sheet.h"
#include "timeline/slowdown.h"

struct slowdown_printed {
	char *const *files;
	int n_files;
	const struct timeline *timeline;
	const struct slowdown *slowdown;
};

void slowdown_print_text(const struct slowdown_printed *printed);
void slowdown_print_json(const struct slowdown_printed *printed);
/* 0 or -ENOMEM. */
int slowdown_print_sheets(const struct slowdown_printed *printed, enum sheet_format format);

#endif
