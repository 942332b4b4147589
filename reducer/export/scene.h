/* What of a run goes into a timeline: its processes, the window of time of each, idle time and steps
 * of its devices, and one clock for all hosts. It holds idle time and steps of the windows only. */
#ifndef EXPORT_SCENE_H
#define EXPORT_SCENE_H

#include "base/saturate.h"
#include "export/job.h"
#include "graph/host_clocks.h"
#include "read/run.h"

struct scene_idle {
	int64_t from_ns, to_ns; /* on the clock of the device's host */
	uint32_t device;        /* index in the run */
	uint32_t leaf;
};

struct scene_step {
	int64_t begin_ns, end_ns;       /* of the launches */
	int64_t window_from, window_to; /* of the device's work */
	int64_t number;                 /* of its marker, else its place from 0 */
	uint32_t device;
};

struct scene {
	const struct export_job *job; /* not owned */
	struct run run;
	uint32_t *order;           /* the processes by (rank, pid) */
	bool *taken;               /* by process: is it among those that are asked for? */
	bool *drives;              /* by process: the device that is asked for, if one is */
	int64_t *from_ns, *to_ns;  /* by process: rows that begin in [from, to) count; its own clock */
	uint32_t *host_of;         /* by process */
	struct host_offset *hosts; /* by host: its clock on that of the first one */
	uint32_t n_hosts;
	struct scene_idle *idle;
	size_t n_idle, idle_room;
	struct scene_step *steps;
	size_t n_steps, steps_room;
	uint32_t last_device;  /* found last */
	int64_t origin_ns;     /* the run's first event, on the clock of all: the timeline's 0 */
	uint64_t slices, left; /* in the windows, and left out of them by the limit */
	int64_t cut_ns;        /* since the origin: from here on they are left out; INT64_MAX: none */
	int error;             /* of a callback */
	int status;
};

/* 0: call scene_close(); else an enum status, and what is wrong was said. */
int scene_open(struct scene *scene, const struct export_job *job);
/* The same without idle time and steps; windows are those of the ranks that are wanted, whatever
 * the other filters say. */
int scene_open_bare(struct scene *scene, const struct export_job *job);
/* Without idle time, steps and limits: the windows are all of each process. 0: call scene_close();
 * else an enum status, and what is wrong was said. */
int scene_open_frame(struct scene *scene, const struct export_job *job);
void scene_close(struct scene *scene);

/* The index in the run of the device with this key; UINT32_MAX: none. *last: the one found last. */
uint32_t scene_device(const struct run *run, const char *key, uint32_t *last);
/* The process with whose clock and window a device goes; false: none of its ranks is wanted. */
bool scene_device_process(const struct scene *scene, uint32_t device, uint32_t *process);

/* Counts the slices in the windows, those that scene->idle holds too. Where there are more than
 * `most` (0: no limit), ends the windows of all processes at the last moment before which there are
 * not more. 0 or -errno. */
int scene_cut(struct scene *scene, uint64_t most);

/* A time of a process, on the clock of all, since the origin; at most BATON_TIME_LIMIT_NS from it.
 */
static inline int64_t scene_time(const struct scene *scene, size_t process, int64_t ns)
{
	const int64_t own = host_offset_time(&scene->hosts[scene->host_of[process]], ns);
	const int64_t since = saturate_sub(own, scene->origin_ns);
	return since < -BATON_TIME_LIMIT_NS  ? -BATON_TIME_LIMIT_NS
		   : since > BATON_TIME_LIMIT_NS ? BATON_TIME_LIMIT_NS
										 : since;
}
/* Says that the run has no step that --step asks for. */
void scene_say_no_step(const struct export_job *job);
/* What may be said of the common clock: "one host: one clock", ... Returns `text`. */
const char *scene_clock_words(const struct scene *scene, char text[CLOCK_WORDS]);

#endif
