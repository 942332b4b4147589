#include "part_wanted.h"

#include "base/diag.h"
#include "base/rank_list.h"
#include "read/run.h"

#include <string.h>

bool part_is_asked(const struct reduce_options *options)
{
	return options->only_ranks || options->only_device || options->only_steps;
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
