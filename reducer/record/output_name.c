#include "record/output_name.h"

#include "base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
	char *at;
	size_t n, room;
};

static int add(struct text *out, const char *what, size_t bytes)
{
	if (out->n + bytes >= out->room)
		return -ENAMETOOLONG;
	memcpy(out->at + out->n, what, bytes);
	out->n += bytes;
	out->at[out->n] = 0;
	return 0;
}

/* %q{NAME}: *at comes after the q. */
static int add_variable(struct text *out, const char **at)
{
	const char *end = **at == '{' ? strchr(*at, '}') : NULL;
	char name[128];
	if (!end || (size_t)(end - *at - 1) >= sizeof(name)) {
		diag("-o: expected %%q{NAME}");
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(end - *at - 1), *at + 1);
	*at = end + 1;
	const char *value = getenv(name);
	if (!value) {
		diag("-o: %%q{%s}: no such environment variable", name);
		return -EINVAL;
	}
	return add(out, value, strlen(value));
}

static int add_escape(struct text *out, const char **at, long number)
{
	char word[300] = "";
	char what = *(*at)++;
	switch (what) {
	case 'q':
		return add_variable(out, at);
	case 'h':
		gethostname(word, sizeof(word) - 1);
		break;
	case 'p':
		snprintf(word, sizeof(word), "%ld", (long)getpid());
		break;
	case 'n':
		snprintf(word, sizeof(word), "%ld", number);
		break;
	case '%':
		snprintf(word, sizeof(word), "%%");
		break;
	default:
		diag("-o: '%%%.1s' is unknown; there are %%q{ENV} %%h %%p %%n %%%%", *at - 1);
		return -EINVAL;
	}
	return add(out, word, strlen(word));
}

bool output_name_is_numbered(const char *pattern)
{
	for (const char *at = pattern; (at = strchr(at, '%')) != NULL && at[1]; at += 2)
		if (at[1] == 'n')
			return true;
	return false;
}

int output_name(const char *pattern, long number, char *path, size_t room)
{
	struct text out = {path, 0, room};
	int error = 0;
	path[0] = 0;
	while (*pattern && !error) {
		size_t plain = strcspn(pattern, "%");
		error = add(&out, pattern, plain);
		pattern += plain;
		if (!error && *pattern == '%') {
			pattern++;
			error = add_escape(&out, &pattern, number);
		}
	}
	return error;
}
