#include "page/step_view.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { LEAST_ROOM = 256 };

void step_view_free(struct step_view *view)
{
	for (uint32_t i = 0; view->rows && i < view->n_rows; i++)
		free(view->rows[i].cells);
	for (uint32_t i = 0; i < view->n_processes; i++) {
		struct view_process *process = &view->processes[i];
		for (size_t k = 0; k < process->n_tracks; k++)
			free(process->tracks[k].at);
		free(process->tracks);
	}
	free(view->order);
	free(view->devices);
	free(view->rows);
	free(view->nccl);
}

void step_view_fill(struct step_view *view, uint32_t device, enum leaf leaf, int64_t from_ns,
					int64_t to_ns)
{
	if (view->devices[device].row == UINT32_MAX)
		return;
	struct view_row *row = &view->rows[view->devices[device].row];
	from_ns = from_ns > 0 ? from_ns : 0;
	to_ns = to_ns < view->to_ns ? to_ns : view->to_ns;
	while (from_ns < to_ns) {
		const int64_t cell = from_ns / view->cell_ns, end = (cell + 1) * view->cell_ns;
		const int64_t until = end < to_ns ? end : to_ns;
		row->cells[cell][leaf] += until - from_ns;
		from_ns = until;
	}
}

static int longest_first(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x < *y) - (*x > *y);
}

/* Of those that are as long as the shortest that stay, `equal` stay: the first ones. */
static void leave_out(struct view_track *track, int64_t least_ns, size_t *equal)
{
	size_t kept = 0;
	for (size_t i = 0; i < track->n; i++) {
		const int64_t ns = track->at[i].dur_ns;
		const bool stays = ns > least_ns || (ns == least_ns && *equal > 0);
		*equal -= stays && ns == least_ns;
		if (stays) {
			track->at[kept++] = track->at[i];
		} else {
			track->left++;
			track->left_ns += ns;
		}
	}
	track->n = kept;
}

int step_view_trim(struct view_process *process, size_t most)
{
	size_t n = 0, equal = 0;
	if (process->n_events <= most)
		return 0;
	int64_t *lengths = malloc(process->n_events * sizeof(*lengths));
	if (!lengths)
		return -ENOMEM;
	for (size_t k = 0; k < process->n_tracks; k++)
		for (size_t i = 0; i < process->tracks[k].n; i++)
			lengths[n++] = process->tracks[k].at[i].dur_ns;
	sort_rows(lengths, n, sizeof(*lengths), longest_first);
	const int64_t least_ns = most > 0 ? lengths[most - 1] : INT64_MAX;
	for (size_t i = most; i > 0 && lengths[i - 1] == least_ns; i--)
		equal++;
	free(lengths);
	for (size_t k = 0; k < process->n_tracks; k++)
		leave_out(&process->tracks[k], least_ns, &equal);
	process->n_events = most;
	return 0;
}

int step_view_add(struct view_process *process, size_t track, const struct view_event *event)
{
	int error = 0;
	if (process->n_events >= 2 * (size_t)VIEW_EVENTS)
		error = step_view_trim(process, VIEW_EVENTS);
	struct view_track *to = &process->tracks[track];
	if (!error)
		error = room_for((void **)&to->at, to->n, &to->room, LEAST_ROOM, sizeof(*to->at));
	if (error)
		return error;
	to->at[to->n++] = *event;
	process->n_events++;
	return 0;
}
