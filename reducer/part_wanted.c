#include "part_wanted.h"

#include "base/diag.h"
#include "base/rank_list.h"
#include "base/saturate.h"
#include "read/run.h"
#include "read/trace.h"

#include <string.h>

bool part_is_asked(const struct reduce_options *options)
{
	return options->only_ranks || options->only_device || options->only_steps || options->only_time;
}

/* What was lost within the time, and nothing of what --keep-last left out. A process's losses
 * before its first event belong to that. */
static int settle_process(struct run_process *process, const struct time_span *time)
{
	struct trace_losses losses;
	struct trace trace;
	const int error = run_process_open(process, &trace, NULL);
	if (error)
		return error;
	const bool first = process->first_ns >= time->from_ns && process->first_ns < time->to_ns;
	trace_losses_within(&trace, first ? INT64_MIN : time->from_ns, time->to_ns, &losses);
	memcpy(process->losses, losses.by_kind, sizeof(process->losses));
	process->cost_ns = losses.cost_ns;
	process->kept = (struct kept_part){0};
	trace_close(&trace);
	return 0;
}

int part_settle_time(struct run *run, struct time_span *time)
{
	int error = 0;
	int64_t first_ns = INT64_MAX;
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].first_ns < first_ns)
			first_ns = run->processes[i].first_ns;
	if (time->since_start && first_ns != INT64_MAX) {
		time->from_ns = saturate_add(first_ns, time->from_ns);
		time->to_ns = saturate_add(first_ns, time->to_ns);
	}
	time->since_start = false;
	for (size_t i = 0; time->adds && i < run->n_processes; i++)
		if (run->processes[i].kept.from_ns > time->from_ns)
			time->from_ns = run->processes[i].kept.from_ns;
	for (size_t i = 0; !error && i < run->n_processes; i++)
		error = settle_process(&run->processes[i], time);
	if (time->margin_ns && time->from_ns > time->margin_ns)
		run_keep_since(run, time->from_ns - time->margin_ns);
	return error;
}

void part_say_no_step(const struct reduce_options *options, const char *dir)
{
	if (options->only_time && options->time.text)
		diag("%s: no step of it begins within --time %s", dir, options->time.text);
	else if (options->only_time)
		diag("%s: no step of it begins after those that were counted", dir);
	else if (options->steps.from == options->steps.to)
		diag("%s: it has no step %lld", dir, (long long)options->steps.from);
	else
		diag("%s: it has none of the steps %lld..%lld", dir, (long long)options->steps.from,
			 (long long)options->steps.to);
}

bool part_wants(const struct run *run, size_t i, const struct reduce_options *options)
{
	const struct run_device *device = &run->devices[i];
	const char *key = strings_get(&run->pool, device->key).at, *name = options->only_device;
	const char *slash = strrchr(key, '/'), *id = slash ? slash + 1 : key;
	const size_t n = name ? strlen(name) : 0;
	bool wanted = !options->only_ranks;
	for (uint32_t k = 0; !wanted && k < device->n_processes; k++)
		wanted = rank_list_has(options->only_ranks, run->processes[device->processes[k]].rank);
	if (!wanted || !name)
		return wanted;
	if (strcmp(key, name) == 0 || strcmp(id, name) == 0)
		return true;
	if (slash && (size_t)(slash - key) == n && memcmp(key, name, n) == 0)
		return true; /* all of a host */
	return strncmp(id, "GPU-", 4) == 0 && n > 4 && strncmp(id, name, n) == 0;
}

bool part_is_absent(const struct run *run, const char *dir, const struct reduce_options *options)
{
	size_t n = 0;
	for (size_t i = 0; i < run->n_devices; i++)
		n += part_wants(run, i, options);
	if (n > 0 || run->n_devices == 0)
		return false;
	if (options->only_device)
		diag("%s: no GPU of it is device %s%s%s", dir, options->only_device,
			 options->only_ranks ? " of rank " : "",
			 options->only_ranks ? options->only_ranks : "");
	else
		diag("%s: no rank of --rank %s is in it", dir, options->only_ranks);
	return true;
}
