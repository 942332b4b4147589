#include "repeats.h"

#include "base/diag.h"
#include "conclude/work.h"
#include "part_options.h"
#include "reduce.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for what cut() makes of `text`: a part and its separator have two bytes at least. */
static char **parts_open(const char *text)
{
	return calloc(strlen(text) / 2 + 2, sizeof(char *));
}

/* Cuts `text` at each `separator`; empty parts are left out. `parts`: of parts_open(). */
static size_t cut(char *text, const char *separator, char **parts)
{
	size_t n = 0;
	char *rest;
	for (char *part = strtok_r(text, separator, &rest); part;
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
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		part_forget_late(how, &reduction->summary);
		repeats->summaries[repeats->n++] = &reduction->summary;
	}
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

/* Compares one run of a side with its middle one. 0 or -ENOMEM. */
static int find_other(const struct side *side, size_t i, bool chosen, struct work *work)
{
	struct side one = {0}, middle = {0};
	struct scaling_result result;
	int error = side_open(&one, &side->summaries[i], 1);
	if (!error)
		error = side_open(&middle, &side->summaries[side->middle], 1);
	if (!error) {
		struct scaling_run runs[] = {{.figures = &middle.mean, .busy_ns = middle.busy_ns},
									 {.figures = &one.mean, .busy_ns = one.busy_ns}};
		const struct change_sides sides = {&one, &middle, &runs[1], &runs[0]};
		scaling_compute(runs, 2, (struct scaling_wanted){SCALING_WEAK, true}, &result);
		error = work_find_other(&sides, chosen, work);
	}
	side_close(&one);
	side_close(&middle);
	return error;
}

/* Launches of one job do the same work. */
static int check_work(const struct repeats *l, char *const *names, bool chosen)
{
	static const char *const why[] = {
		[WORK_STEP_AND_RUN] = "one of them has steps and the other has none",
		[WORK_WINDOWS] = "there are no steps, and their kernel launches are others",
		[WORK_KERNELS] = "their kernels are others",
	};
	for (size_t i = 0; i < l->n; i++) {
		struct work work = {0};
		if (find_other(&l->side, i, chosen, &work) != 0)
			return STATUS_INPUT; /* no memory */
		if (work.other != WORK_AS_WANTED) {
			diag("%s and %s did different work (%s): repeats that are taken together must be of "
				 "one job",
				 names[l->side.middle], names[i], why[work.other]);
			return STATUS_USAGE;
		}
	}
	return STATUS_OK;
}

static bool is_good(int status)
{
	return status == STATUS_OK || status == STATUS_PARTIAL;
}

static int open_side(struct repeats *out)
{
	return side_open(&out->side, out->summaries, out->n) == 0 ? STATUS_OK : STATUS_INPUT;
}

static int close_if_bad(struct repeats *out, int status)
{
	if (!is_good(status))
		repeats_close(out);
	return status;
}

int repeats_of_operand(const char *operand, const struct reduce_options *how, struct repeats *out)
{
	char *copy = strdup(operand), **dirs = parts_open(operand);
	int status = copy && dirs ? open_room(out, operand, 1) : STATUS_INPUT;
	const bool one = access(operand, F_OK) == 0; /* its own name may have a comma */
	const size_t n = status != STATUS_OK ? 0 : one ? 1 : cut(copy, ",", dirs);
	if (one && n)
		dirs[0] = copy;
	if (status == STATUS_OK && n == 0) {
		diag("'%s' names no directory", operand);
		status = STATUS_USAGE;
	}
	if (status == STATUS_OK)
		status = add(out, dirs, n, how);
	if (is_good(status) && open_side(out) != STATUS_OK)
		status = STATUS_INPUT; /* no memory */
	free(dirs);
	free(copy);
	return close_if_bad(out, status);
}

/* A directory whose own name has a '+' is one directory. */
static int add_listed(struct repeats *out, char *run, const struct reduce_options *how)
{
	char **dirs = parts_open(run);
	if (!dirs)
		return STATUS_INPUT;
	dirs[0] = run;
	const size_t n = access(run, F_OK) == 0 ? 1 : cut(run, "+", dirs);
	const int status = n ? add(out, dirs, n, how) : STATUS_USAGE;
	free(dirs);
	return status;
}

int repeats_of_list(const char *list, const struct reduce_options *how, bool chosen,
					struct repeats *out)
{
	char *copy = strdup(list), **names = parts_open(list);
	const size_t n = copy && names ? cut(copy, ",", names) : 0;
	int status = copy && names ? open_room(out, list, n + 1) : STATUS_INPUT, same = STATUS_OK;
	if (status == STATUS_OK && n == 0) {
		diag("'%s' names no directory", list);
		status = STATUS_USAGE;
	}
	for (size_t i = 0; i < n && is_good(status); i++) {
		int one = add_listed(out, names[i], how);
		status = is_good(one) ? (int)status_worse(status, one) : one;
	}
	if (is_good(status))
		same = check_sizes(out, names);
	if (is_good(status) && same == STATUS_OK)
		same = open_side(out);
	if (is_good(status) && same == STATUS_OK)
		same = check_work(out, names, chosen);
	free(names);
	free(copy);
	return close_if_bad(out, same == STATUS_OK ? status : same);
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
