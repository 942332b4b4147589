#include "record_slow.h"

#include "base/boot.h"
#include "base/diag.h"
#include "base/room.h"
#include "base/shell.h"
#include "base/sort.h"
#include "conclude/figures.h"
#include "read/paths.h"
#include "record/capture_window.h"
#include "record/kept_copy.h"
#include "record/output_dir.h"
#include "record/output_lock.h"
#include "reduce.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define S INT64_C(1000000000)
enum {
	LEAST_KEPT_S = 4, /* traces are written once a second */
	LEAST_STEPS = 8,  /* so that there is a usual one */
	TRACES = 8,       /* that are looked at: a step that ranks share is as long on all of them */
	COPIES = 4,       /* that are kept: of the slowest steps */
	NUMBERS = 10000,
	LOCK_TRIES = 20,
	LOCK_MS = 50,
	IDLE_TIMES = 9 /* a pause is so many times what a look took */
};

struct slow_copy {
	int64_t step_ns, usual_ns; /* 0: none */
	int number;
};

struct slow_steps {
	int looks;
	bool failed;      /* a copy, and that was told */
	int64_t until_ns; /* the steps that ended by then were looked at; 0: there were none */
	struct slow_copy copies[COPIES];
	struct slow_copy last;
	int told; /* the number of the last one that was told of */
};

int record_slow_read(const struct invocation *call, struct record_slow *slow,
					 struct capture_window *window)
{
	const char *text = option_text(call, "keep-slow", NULL);
	char *end = NULL;
	if (!text)
		return STATUS_OK;
	slow->times = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "x") != 0) ||
		!(slow->times >= 1.1 && slow->times <= 1000)) {
		diag("--keep-slow wants a number from 1.1 to 1000, such as 1.5: how many times the usual "
			 "step, not '%s'",
			 text);
		return STATUS_USAGE;
	}
	const int status = capture_window_keep_some(window, "--keep-slow");
	if (status == STATUS_OK && window->keep_s < LEAST_KEPT_S) {
		diag("--keep-slow needs a --keep-last of 4 s at least: traces are written once a second");
		return STATUS_USAGE;
	}
	slow->keep_ns = window->keep_s * S;
	return status;
}

/* ---- the steps ---- */

struct steps_seen {
	int64_t *ns; /* of each step of each device */
	size_t n;
	int64_t since_ns; /* those that end later are new */
	int64_t until_ns, slowest_ns;
	int64_t slowest; /* the number of its marker, else its place: what --step takes */
	int error;
};

static void see(const struct step_place *place, void *of)
{
	struct steps_seen *seen = of;
	const int64_t ns = place->window_to - place->window_from;
	if (!seen->error)
		seen->error = room_next((void **)&seen->ns, seen->n, sizeof(*seen->ns));
	if (seen->error)
		return;
	seen->ns[seen->n++] = ns;
	if (place->window_to > seen->since_ns && ns > seen->slowest_ns) {
		seen->slowest_ns = ns;
		seen->slowest = place->number >= 0 ? place->number : place->step;
	}
	if (place->window_to > seen->until_ns)
		seen->until_ns = place->window_to;
}

struct candidate {
	char *path;
	bool samples; /* of the GPUs */
	bool own;     /* of this node */
	struct timespec written;
};

/* Those of this node first (others may be on a file system that shows them late), then those that
 * were written to last (a rank that was restarted has a trace that is closed). */
static int by_worth(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->samples != y->samples)
		return x->samples ? 1 : -1;
	if (x->own != y->own)
		return x->own ? -1 : 1;
	if (x->written.tv_sec != y->written.tv_sec)
		return x->written.tv_sec > y->written.tv_sec ? -1 : 1;
	if (x->written.tv_nsec != y->written.tv_nsec)
		return x->written.tv_nsec > y->written.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* The traces to look at come first. How many they are, or -errno. */
static int choose_traces(struct paths *paths)
{
	char boot[BOOT_ID_CHARS + 1];
	size_t n = 0;
	struct candidate *all = calloc(paths->n + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	boot_id_read(boot);
	for (size_t i = 0; i < paths->n; i++) {
		const char *slash = strrchr(paths->at[i], '/'), *name = slash ? slash + 1 : paths->at[i];
		struct stat st = {0};
		stat(paths->at[i], &st);
		all[i] = (struct candidate){.path = paths->at[i],
									.samples = strncmp(name, "gpus.", 5) == 0,
									.own = strncmp(name, boot, BOOT_ID_SHORT) == 0,
									.written = st.st_mtim};
		n += !all[i].samples;
	}
	if (paths->n)
		sort_rows(all, paths->n, sizeof(*all), by_worth);
	for (size_t i = 0; i < paths->n; i++)
		paths->at[i] = all[i].path;
	free(all);
	return n < TRACES ? (int)n : TRACES;
}

/* last_ns: only what ended in the last so many ns; 0: all. An enum status. */
static int look(const char *directory, int64_t last_ns, struct steps_seen *seen)
{
	const struct reduce_options how = {.no_replay = true,
									   .only_read = true,
									   .threads = 1,
									   .last_ns = last_ns,
									   .step = see,
									   .step_context = seen};
	struct paths paths = {0};
	struct reduction reduction;
	int status = STATUS_INPUT;
	const int error = paths_add(&paths, directory, false);
	const int n = error ? error : choose_traces(&paths);
	diag_quiet(true);
	if (n > 0)
		status = reduce_run(paths.at, (size_t)n, &how, &reduction);
	diag_quiet(false);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		reduction_free(&reduction);
	paths_free(&paths);
	return status;
}

/* ---- the copies ---- */

static char *copy_path(const char *directory, int number)
{
	char *path = NULL;
	return asprintf(&path, "%s/" OUTPUT_SLOW "%d", directory, number) < 0 ? NULL : path;
}

/* The one that this step would replace. */
static struct slow_copy *least(struct slow_steps *found)
{
	struct slow_copy *least = found->copies;
	for (int i = 1; i < COPIES; i++)
		if (found->copies[i].step_ns < least->step_ns)
			least = &found->copies[i];
	return least;
}

/* *number: the copy's. 0 or -errno. */
static int make_copy(const struct record_slow *slow, int *number)
{
	struct kept_copy copy = {0};
	int error = -EEXIST;
	for (*number = slow->found->last.number; error == -EEXIST && ++*number < NUMBERS;) {
		char *path = copy_path(slow->directory, *number);
		error = path ? kept_copy_make(slow->directory, path, &copy) : -ENOMEM;
		free(path);
	}
	return error;
}

/* The slow step as the copy has it: what --step takes for it, and how long it is there. */
static void find_in_copy(const struct record_slow *slow, int number, struct steps_seen *seen)
{
	char *path = copy_path(slow->directory, number);
	if (path)
		look(path, 0, seen);
	free(seen->ns);
	free(path);
}

/* `seen`: the step in the copy; NULL: it was not looked for. */
static void say(const struct record_slow *slow, const struct steps_seen *seen)
{
	const struct slow_copy *last = &slow->found->last;
	const bool known = seen && seen->slowest_ns > 0;
	const int64_t step_ns = known ? seen->slowest_ns : last->step_ns;
	const int decimals = figures_ms_decimals(step_ns);
	char *path = copy_path(slow->shown, last->number), option[40] = "";
	if (known)
		snprintf(option, sizeof(option), " --step %lld", (long long)seen->slowest);
	if (path)
		diag("a step took %.*f ms, usually %.*f: kept in %s        next: baton report %s%s",
			 decimals, (double)step_ns * 1e-6, decimals, (double)last->usual_ns * 1e-6, path,
			 shell_word(path).at, option);
	slow->found->told = last->number;
	free(path);
}

/* The copies are of the slowest steps: a slower one takes the place of the least slow. An enum
 * status. */
static int keep_step(const struct record_slow *slow, const struct steps_seen *seen,
					 int64_t usual_ns)
{
	struct slow_copy *replaced = least(slow->found);
	const struct slow_copy before = *replaced;
	struct slow_copy now = {.step_ns = seen->slowest_ns, .usual_ns = usual_ns};
	if (now.step_ns <= before.step_ns)
		return STATUS_OK;
	const int error = make_copy(slow, &now.number);
	if (error && !slow->found->failed)
		diag("a step took %.1f times as long as usual, but the traces cannot be copied: %s",
			 (double)now.step_ns / (double)usual_ns, strerror(-error));
	slow->found->failed = error != 0;
	if (error)
		return STATUS_OUTPUT;
	*replaced = slow->found->last = now;
	char *path = before.step_ns ? copy_path(slow->directory, before.number) : NULL;
	if (path)
		kept_copy_remove(AT_FDCWD, path);
	free(path);
	struct steps_seen in_copy = {.since_ns = seen->since_ns};
	find_in_copy(slow, now.number, &in_copy);
	say(slow, &in_copy);
	return STATUS_OK;
}

/* ---- the process beside the job ---- */

static int look_and_keep(void *of)
{
	const struct record_slow *slow = of;
	struct steps_seen seen = {.since_ns = slow->found->until_ns, .until_ns = slow->found->until_ns};
	const int64_t new_ns = seen.since_ns ? beside_now_ns() - seen.since_ns + S : 0;
	int status = look(slow->directory, new_ns > slow->keep_ns ? new_ns : slow->keep_ns, &seen);
	slow->found->looks++;
	if (!seen.error && seen.n >= LEAST_STEPS) {
		const int64_t usual_ns = figures_median(seen.ns, seen.n);
		slow->found->until_ns = seen.until_ns;
		status = STATUS_OK;
		if ((double)seen.slowest_ns > slow->times * (double)usual_ns)
			status = keep_step(slow, &seen, usual_ns);
	}
	free(seen.ns);
	return status;
}

/* Of tasks that share the directory one at a time. */
static void be_beside(void *of, pid_t parent)
{
	struct record_slow *slow = of;
	const int64_t every_ns = slow->keep_ns / 2;
	int lock = -1;
	for (int64_t next_ns = beside_now_ns() + every_ns; beside_goes_on(parent);) {
		beside_sleep_until(next_ns);
		const int64_t begin_ns = beside_now_ns();
		if (lock < 0)
			lock = output_lock_task(slow->directory, OUTPUT_SLOW_LOCK);
		if (lock >= 0)
			beside_turn(look_and_keep, slow, false);
		const int64_t end_ns = beside_now_ns(), rest_ns = IDLE_TIMES * (end_ns - begin_ns);
		next_ns = end_ns + (rest_ns > every_ns ? rest_ns : every_ns);
	}
}

void record_slow_begin(struct record_slow *slow)
{
	slow->beside = (struct beside){.option = "--keep-slow",
								   .without = "no copies of slow steps are kept",
								   .be = be_beside,
								   .of = slow};
	if (slow->times == 0)
		return;
	slow->found =
		mmap(NULL, sizeof(*slow->found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slow->found != MAP_FAILED)
		beside_begin(&slow->beside);
	else
		diag("--keep-slow: %s: %s", strerror(errno), slow->beside.without);
}

void record_slow_attend(struct record_slow *slow)
{
	beside_attend(&slow->beside);
}

/* What a copy that was interrupted left. The process that made it holds the lock until it is gone;
 * where another task is at work, that one clears at its end. */
static void clear(const struct record_slow *slow)
{
	const struct timespec pause = {0, LOCK_MS * 1000000};
	int lock = output_lock_task(slow->directory, OUTPUT_SLOW_LOCK);
	for (int i = 1; lock < 0 && i < LOCK_TRIES; i++) {
		nanosleep(&pause, NULL);
		lock = output_lock_task(slow->directory, OUTPUT_SLOW_LOCK);
	}
	DIR *dir = lock >= 0 ? opendir(slow->directory) : NULL;
	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		if (output_dir_is_half_copy(entry->d_name))
			kept_copy_remove(dirfd(dir), entry->d_name);
	if (dir) {
		unlinkat(dirfd(dir), OUTPUT_SLOW_LOCK, 0);
		closedir(dir);
	}
	if (lock >= 0)
		close(lock);
}

void record_slow_end(struct record_slow *slow)
{
	beside_end(&slow->beside);
	if (!slow->found || slow->found == MAP_FAILED) /* nothing was begun */
		return;
	clear(slow);
	if (slow->found->told != slow->found->last.number)
		say(slow, NULL);
	if (slow->found->looks > 0 && slow->found->until_ns == 0)
		diag("--keep-slow: there were too few steps in what was kept to tell a slow one");
}
