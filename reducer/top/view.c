#include "top/view.h"

#include "base/sort.h"
#include "conclude/stragglers.h"
#include "read/run.h"
#include "render/report.h"

#include <errno.h>
#include <string.h>

static const int64_t S = 1000000000;
enum {
	FEW_STEPS = 4,
	STALL_S = 10,     /* no work for so long and ... */
	STALL_STEPS = 2,  /* ... so many steps more */
	LEAST_LATE = 100, /* a rank is the slowest if the others wait for it 1/LEAST_LATE of a step */
	LONGER = 50       /* the slowest row has steps longer than the median's by 1/LONGER of it */
};

/* ---- the rows of an open run ---- */

static const char *text_of(const struct run *run, uint32_t id)
{
	return strings_get(&run->pool, id).at;
}

static struct top_row *add_row(struct top_view *view, const struct run *run,
							   const struct run_process *process, const struct run_device *device)
{
	const char *gpu = device ? text_of(run, device->key) : "";
	struct top_row *row = &view->rows[view->n_rows++];
	*row = (struct top_row){.rank = process->rank, .pid = process->pid, .late_ns = 0};
	snprintf(row->gpu, sizeof(row->gpu), "%s", gpu);
	snprintf(row->host, sizeof(row->host), "%s", text_of(run, process->host));
	for (int i = 0; i < TOP_READINGS; i++)
		row->readings[i] = -1;
	row->state = top_state_of(process, view->at_ns, &row->quiet_ns);
	row->worked_ns = process->worked_ns;
	top_place_find(&row->place, run, device, process);
	return row;
}

/* Of a job that was restarted the newest process drives the device now. */
static const struct run_process *newest_of(const struct run *run, const struct run_device *device)
{
	const struct run_process *newest = &run->processes[device->processes[0]];
	for (uint32_t i = 1; i < device->n_processes; i++) {
		const struct run_process *process = &run->processes[device->processes[i]];
		if (process->generation > newest->generation || process->worked_ns > newest->worked_ns)
			newest = process;
	}
	return newest;
}

static void add_device(struct top_view *view, const struct run *run,
					   const struct run_device *device, bool *drives)
{
	struct top_row *row = add_row(view, run, newest_of(run, device), device);
	for (uint32_t i = 0; i < device->n_processes; i++) {
		drives[device->processes[i]] = true;
		row->lost += run->processes[device->processes[i]].losses[BATON_LOSS_DROPPED];
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	const uint32_t i = (uint32_t)x->rank, k = (uint32_t)y->rank; /* -1 comes last */
	return i != k ? (i < k ? -1 : 1) : strcmp(x->gpu, y->gpu);
}

struct top_view *top_view_empty(int64_t now_ns)
{
	struct top_view *view = calloc(1, sizeof(*view));
	if (view)
		*view = (struct top_view){.at_ns = now_ns, .world_size = -1, .tool_ns = -1};
	return view;
}

struct top_view *top_view_open(const struct run *run, int64_t now_ns)
{
	const size_t rows = run->n_devices + run->n_processes;
	struct top_view *view = calloc(1, sizeof(*view) + rows * sizeof(view->rows[0]));
	bool *drives = calloc(run->n_processes + 1, sizeof(*drives));
	if (!view || !drives) {
		free(view);
		free(drives);
		return NULL;
	}
	*view = (struct top_view){.at_ns = now_ns, .world_size = -1, .tool_ns = -1, .whole = true};
	for (size_t i = 0; i < run->n_devices; i++)
		add_device(view, run, &run->devices[i], drives);
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *process = &run->processes[i];
		if (!drives[i])
			add_row(view, run, process, NULL)->lost = process->losses[BATON_LOSS_DROPPED];
		view->lost += process->losses[BATON_LOSS_DROPPED];
		view->whole &= !process->began_ns || process->began_ns >= process->since_ns;
		if (process->worked_ns > view->worked_ns)
			view->worked_ns = process->worked_ns;
	}
	free(drives);
	sort_rows(view->rows, view->n_rows, sizeof(view->rows[0]), by_rank);
	return view;
}

size_t top_view_bytes(const struct top_view *view)
{
	return sizeof(*view) + view->n_rows * sizeof(view->rows[0]);
}

/* ---- figures ---- */

static void take_readings(struct top_row *row, const struct reading *of)
{
	static const struct {
		enum top_reading which;
		enum reading_kind kind;
		int64_t times, divisor;
	} kinds[] = {{TOP_MHZ, READING_SM_MHZ, 1, 1},
				 {TOP_WATTS, READING_POWER_MW, 1, 1000},
				 {TOP_CELSIUS, READING_TEMPERATURE_C, 1, 1},
				 {TOP_MEMORY_MB, READING_MEMORY_USED_BYTES, 1, 1000000},
				 {TOP_SLOWED, READING_SLOWED, 100, 1}};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct reading *reading = &of[kinds[i].kind];
		if (reading->looks)
			row->readings[kinds[i].which] =
				(int64_t)((double)reading->sum * (double)kinds[i].times / (double)reading->looks /
						  (double)kinds[i].divisor);
	}
}

/* A run without steps is summed as one, which is no step that is shown or compared. */
static void take_device(struct top_row *row, const struct device_summary *d, bool has_steps)
{
	row->measured = d->window_ns > 0;
	row->steps = has_steps ? d->steps : 0;
	row->window_ns = d->window_ns;
	row->step_ns = row->steps > 0 ? d->window_ns / row->steps : 0;
	row->launches = d->launches;
	memcpy(row->time_ns, d->time_ns, sizeof(row->time_ns));
	take_readings(row, d->readings);
}

/* The row of a device; NULL: it came since the rows were made. */
static struct top_row *row_of(struct top_view *view, const char *key)
{
	for (uint32_t i = 0; i < view->n_rows; i++)
		if (strncmp(view->rows[i].gpu, key, sizeof(view->rows[i].gpu) - 1) == 0)
			return &view->rows[i];
	return NULL;
}

static void take_late(struct top_view *view, const struct summary *s,
					  const struct stragglers *stragglers)
{
	struct top_row *worst = NULL;
	for (size_t k = 0; k < stragglers->n; k++) {
		const struct straggler *straggler = &stragglers->at[k];
		for (size_t i = 0; i < s->n_devices && !straggler->missing; i++) {
			if (!straggler_has(straggler, s, i))
				continue;
			struct top_row *row = row_of(view, summary_text(s, s->devices[i].key));
			if (!row)
				continue;
			row->late_ns += straggler->late_ns;
			worst = !worst || row->late_ns > worst->late_ns ? row : worst;
		}
	}
	if (!worst || worst->late_ns * LEAST_LATE < view->figures.step_ns)
		return;
	for (uint32_t i = 0; i < view->n_rows; i++)
		view->rows[i].slowest = view->rows[i].late_ns == worst->late_ns;
}

/* Where no rank is waited for: the one whose steps are longer than those of the others. */
static int take_longest(struct top_view *view)
{
	int64_t *steps = malloc((view->n_rows + 1) * sizeof(*steps));
	struct top_row *longest = NULL;
	size_t n = 0;
	if (!steps)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->n_rows; i++) {
		struct top_row *row = &view->rows[i];
		if (row->slowest || row->step_ns == 0)
			continue;
		steps[n++] = row->step_ns;
		longest = !longest || row->step_ns > longest->step_ns ? row : longest;
	}
	const int64_t median = figures_median(steps, n);
	if (n > 1 && n == view->n_rows && longest->step_ns - median > median / LONGER)
		longest->slowest = true;
	free(steps);
	return 0;
}

/* A GPU that ended its last op long ago, though its process writes its trace. */
static void find_stalls(struct top_view *view)
{
	const int64_t step_ns = view->figures.has_steps ? view->figures.step_ns : 0;
	for (uint32_t i = 0; i < view->n_rows; i++) {
		struct top_row *row = &view->rows[i];
		const int64_t quiet_ns = view->at_ns - row->worked_ns;
		if (row->state != TOP_RUNS || row->worked_ns == 0 ||
			quiet_ns < STALL_S * S + STALL_STEPS * step_ns)
			continue;
		row->state = TOP_STALLS;
		row->quiet_ns = quiet_ns;
	}
}

static int take_answer(struct top_view *view, const struct reduction *reduction, char *const *dir)
{
	struct findings findings;
	FILE *out = fmemopen(view->answer, sizeof(view->answer), "w");
	if (!out)
		return -ENOMEM;
	int error = findings_make(&reduction->summary, &view->figures, &findings);
	const struct report report = {.dirs = dir,
								  .n_dirs = 1,
								  .reduction = reduction,
								  .figures = &view->figures,
								  .findings = &findings};
	if (!error) {
		report_answer(&report, false, out);
		findings_free(&findings);
	}
	fclose(out);
	view->answer[sizeof(view->answer) - 1] = 0;
	view->answer[strcspn(view->answer, "\n")] = 0;
	return error ? -ENOMEM : 0;
}

static void take_run(struct top_view *view, const struct summary *s)
{
	const struct quality *q = &s->quality;
	view->reduced = true;
	view->world_size = s->run.world_size;
	view->hosts = s->run.hosts;
	view->missing_ranks = s->run.n_missing_ranks;
	view->first_missing = s->run.n_missing_ranks ? s->run.missing_ranks[0] : -1;
	view->launches = q->launches;
	view->tool_ns = q->tool_ns >= 0 && q->launches ? q->tool_ns / (int64_t)q->launches : -1;
	if (s->n_devices && s->devices[0].name)
		snprintf(view->gpu, sizeof(view->gpu), "%s", summary_text(s, s->devices[0].name));
}

int top_view_take(struct top_view *view, const struct reduction *reduction, char *const *dir)
{
	const struct summary *s = &reduction->summary;
	struct stragglers stragglers;
	figures_compute(s, &view->figures);
	take_run(view, s);
	for (size_t i = 0; i < s->n_devices; i++) {
		struct top_row *row = row_of(view, summary_text(s, s->devices[i].key));
		if (row)
			take_device(row, &s->devices[i], view->figures.has_steps);
	}
	int error = stragglers_open(&stragglers, s, &view->figures);
	if (!error)
		take_late(view, s, &stragglers);
	stragglers_close(&stragglers);
	if (!error)
		error = take_longest(view);
	if (!error)
		error = take_answer(view, reduction, dir);
	find_stalls(view);
	return error;
}

/* ---- what is asked of it ---- */

bool top_view_is_narrow(const struct top_view *view)
{
	const bool few = !view->figures.has_steps || view->figures.steps < FEW_STEPS;
	return view->reduced && !view->whole && few;
}

bool top_view_over(const struct top_view *view)
{
	for (uint32_t i = 0; i < view->n_rows; i++)
		if (view->rows[i].state != TOP_ENDED && view->rows[i].state != TOP_KILLED)
			return false;
	return view->n_rows > 0;
}

double top_row_percent(const struct top_row *row, uint64_t leaves)
{
	int64_t ns = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		ns += leaves & LEAF_BIT(leaf) ? row->time_ns[leaf] : 0;
	return row->window_ns > 0 ? 100.0 * (double)ns / (double)row->window_ns : 0;
}

enum leaf top_row_idle(const struct top_row *row)
{
	enum leaf largest = LEAF_COUNT;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (LEAVES_IDLE & LEAF_BIT(leaf) && row->time_ns[leaf] > 0 &&
			(largest == LEAF_COUNT || row->time_ns[leaf] > row->time_ns[largest]))
			largest = (enum leaf)leaf;
	return largest;
}
