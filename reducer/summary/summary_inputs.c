#include "summary/summary_inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int64_t reading_since_ns;

static int64_t to_ns(const struct timespec *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

void summary_inputs_begin(void)
{
	struct timespec now;
	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		reading_since_ns = to_ns(&now);
}

/* Before main, so before any trace file was opened. */
__attribute__((constructor)) static void note_start(void)
{
	summary_inputs_begin();
}

static int look(const char *path, struct summary_input *input)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return -errno;
	const char *slash = strrchr(path, '/');
	input->name = slash ? slash + 1 : path;
	input->bytes = (uint64_t)st.st_size;
	input->mtime_ns = to_ns(&st.st_mtim);
	/* the status change, not the modification: a copy that keeps times is young too */
	input->young = to_ns(&st.st_ctim) >= reading_since_ns;
	return 0;
}

int summary_inputs_open(struct summary_inputs *inputs, const char *dir)
{
	memset(inputs, 0, sizeof(*inputs));
	int error = paths_add(&inputs->paths, dir, false);
	if (error)
		return error;
	inputs->at = calloc(inputs->paths.n + 1, sizeof(*inputs->at));
	if (!inputs->at)
		return -ENOMEM;
	for (; !error && inputs->n < inputs->paths.n; inputs->n++)
		error = look(inputs->paths.at[inputs->n], &inputs->at[inputs->n]);
	return error;
}

void summary_inputs_close(struct summary_inputs *inputs)
{
	paths_free(&inputs->paths);
	free(inputs->at);
	memset(inputs, 0, sizeof(*inputs));
}
