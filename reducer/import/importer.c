#include "import/importer.h"

#include "base/room.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool one_run(const struct import_device *device, const struct import_claim *claim)
{
	if (device->world_size >= 0 && claim->world_size >= 0 &&
		device->world_size != claim->world_size)
		return false;
	return device->t_min_ns - IMPORT_REACH_NS <= claim->t_max_ns &&
		   claim->t_min_ns - IMPORT_REACH_NS <= device->t_max_ns;
}

static bool device_taken(const struct import_run *run, const char *host,
						 const struct import_claim *claim)
{
	for (size_t i = 0; i < run->n_taken; i++)
		for (size_t k = 0; k < claim->n; k++)
			if (run->taken[i].ordinal == claim->ordinals[k] &&
				strcmp(run->taken[i].host, host) == 0 && one_run(&run->taken[i], claim))
				return true;
	return false;
}

static void append(char host[64], const char *what, long long n)
{
	char tail[32];
	int bytes = snprintf(tail, sizeof(tail), "-%s%lld", what, n);
	size_t keep = strlen(host), most = 63 - (size_t)bytes;
	keep = keep < most ? keep : most;
	memcpy(host + keep, tail, (size_t)bytes + 1);
}

int import_take_devices(struct import_run *run, char host[64], const struct import_claim *claim)
{
	if (claim->rank >= 0 && device_taken(run, host, claim))
		append(host, "rank", claim->rank);
	for (uint64_t file = run->files_out + 1; device_taken(run, host, claim); file++)
		append(host, "file", (long long)file);
	for (size_t k = 0; k < claim->n; k++) {
		if (room_next((void **)&run->taken, run->n_taken, sizeof(*run->taken)) != 0)
			return -ENOMEM;
		struct import_device *device = &run->taken[run->n_taken++];
		*device = (struct import_device){.ordinal = claim->ordinals[k],
										 .world_size = claim->world_size,
										 .t_min_ns = claim->t_min_ns,
										 .t_max_ns = claim->t_max_ns};
		memcpy(device->host, host, sizeof(device->host));
	}
	return 0;
}
