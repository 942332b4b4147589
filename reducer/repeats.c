#include "repeats.h"

#include "base/diag.h"
#include "reduce.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PARTS = 4096 /* runs of a side, directories of a run */ };

/* Cuts `text` at each `separator`; empty parts are left out. */
static size_t cut(char *text, const char *separator, char *parts[MAX_PARTS])
{
	size_t n = 0;
	char *rest;
	for (char *part = strtok_r(text, separator, &rest); part && n < MAX_PARTS;
		 part = strtok_r(NULL, separator, &rest))
		parts[n++] = part;
	return n;
}

/* Reduces one more run. A status that gives no summary adds none. */
static int add(struct repeats *repeats, char *const *dirs, size_t n_dirs,
			   const struct reduce_options *how)
{
	struct reduction *reduction = &repeats->reductions[repeats->n];
	int status = reduce_run(dirs, n_dirs, how, reduction);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		repeats->summaries[repeats->n++] = &reduction->summary;
	return status;
}

static int open_room(struct repeats *out, const char *name, size_t n)
{
	*out = (struct repeats){.name = name};
	out->reductions = calloc(n, sizeof(*out->reductions));
	out->summaries = calloc(n, sizeof(*out->summaries));
	return out->reductions && out->summaries ? STATUS_OK : STATUS_INPUT;
}

/* Launches of one job have equally many GPUs. */
static int check_sizes(const struct repeats *l, char *const *names)
{
	for (size_t i = 1; i < l->n; i++)
		if (l->summaries[i]->n_devices != l->summaries[0]->n_devices) {
			diag("%s has %zu GPUs and %s has %zu: repeats that are taken together must be of one "
				 "job",
				 names[0], l->summaries[0]->n_devices, names[i], l->summaries[i]->n_devices);
			return STATUS_USAGE;
		}
	return STATUS_OK;
}

static int close_if_bad(struct repeats *out, int status)
{
	if ((status == STATUS_OK || status == STATUS_PARTIAL) &&
		side_open(&out->side, out->summaries, out->n) != 0)
		status = STATUS_INPUT; /* no memory */
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		repeats_close(out);
	return status;
}

int repeats_of_operand(const char *operand, const struct reduce_options *how, struct repeats *out)
{
	char *copy = strdup(operand), *dirs[MAX_PARTS];
	int status = copy ? open_room(out, operand, 1) : STATUS_INPUT;
	const size_t n = copy ? cut(copy, ",", dirs) : 0;
	if (copy && n == 0) {
		diag("'%s' names no directory", operand);
		status = STATUS_USAGE;
	}
	if (status == STATUS_OK)
		status = add(out, dirs, n, how);
	free(copy);
	return close_if_bad(out, status);
}

/* A directory whose own name has a '+' is one directory. */
static int add_listed(struct repeats *out, char *run, const struct reduce_options *how)
{
	char *dirs[MAX_PARTS] = {run};
	const size_t n = access(run, F_OK) == 0 ? 1 : cut(run, "+", dirs);
	return n ? add(out, dirs, n, how) : STATUS_USAGE;
}

int repeats_of_list(const char *list, const struct reduce_options *how, struct repeats *out)
{
	char *copy = strdup(list), *names[MAX_PARTS];
	const size_t n = copy ? cut(copy, ",", names) : 0;
	int status = copy ? open_room(out, list, n + 1) : STATUS_INPUT;
	if (copy && n == 0) {
		diag("'%s' names no directory", list);
		status = STATUS_USAGE;
	}
	for (size_t i = 0; i < n && (status == STATUS_OK || status == STATUS_PARTIAL); i++) {
		int one = add_listed(out, names[i], how);
		status = one == STATUS_OK || one == STATUS_PARTIAL ? (int)status_worse(status, one) : one;
	}
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		int sizes = check_sizes(out, names);
		status = sizes == STATUS_OK ? status : sizes;
	}
	free(copy);
	return close_if_bad(out, status);
}

void repeats_close(struct repeats *repeats)
{
	side_close(&repeats->side);
	for (size_t i = 0; i < repeats->n; i++)
		reduction_free(&repeats->reductions[i]);
	free(repeats->reductions);
	free(repeats->summaries);
	*repeats = (struct repeats){0};
}
