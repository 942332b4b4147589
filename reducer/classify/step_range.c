#include "classify/step_range.h"

#include "classify/match.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct step_range {
	char *text;
	bool is_regex;
	regex_t pattern;
};

/* /REGEX/ without its slashes. */
static int compile(struct step_range *range, char *message, int bytes)
{
	size_t n = strlen(range->text);
	char *pattern = strdup(range->text + 1);
	if (!pattern)
		return -ENOMEM;
	pattern[n - 2] = 0;
	int error = regcomp(&range->pattern, pattern, REG_EXTENDED);
	if (error)
		regerror(error, &range->pattern, message, (size_t)bytes);
	range->is_regex = error == 0;
	free(pattern);
	return error ? -EINVAL : 0;
}

int step_range_open(const char *text, char *message, int bytes, struct step_range **out)
{
	size_t n = strlen(text);
	struct step_range *range = calloc(1, sizeof(*range));
	if (range)
		range->text = strdup(text);
	int error = range && range->text ? 0 : -ENOMEM;
	if (!error && n > 2 && text[0] == '/' && text[n - 1] == '/')
		error = compile(range, message, bytes);
	*out = error ? NULL : range;
	if (error)
		step_range_close(range);
	return error;
}

void step_range_close(struct step_range *range)
{
	if (!range)
		return;
	if (range->is_regex)
		regfree(&range->pattern);
	free(range->text);
	free(range);
}

static int64_t number_in(const char *name, const regmatch_t *group)
{
	int64_t number = 0;
	if (group->rm_so < 0 || group->rm_so == group->rm_eo || group->rm_eo - group->rm_so > 18)
		return -1;
	for (regoff_t i = group->rm_so; i < group->rm_eo; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		number = 10 * number + (name[i] - '0');
	}
	return number;
}

bool step_range_matches(const struct step_range *range, const char *name, int64_t *number)
{
	regmatch_t groups[2];
	*number = -1;
	if (!range->is_regex)
		return strcmp(name, range->text) == 0 || fnmatch(range->text, name, 0) == 0;
	if (!match(&range->pattern, name, groups, 2))
		return false;
	*number = number_in(name, &groups[1]);
	return true;
}
