#include "record/launch.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <xxhash.h>

/* A launcher tells each of its tasks which it is, of how many. SLURM_NTASKS would not do: it is
 * also set outside of srun. */
static const struct {
	const char *rank, *size;
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
				 {"PMI_RANK", "PMI_SIZE"},
				 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

/* In order; `part` tells launches of one job apart, where there is such a variable. */
static const struct source {
	const char *id, *part, *restart;
} sources[] = {
	{"BATON_RUN_ID", NULL, NULL},   {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"},
	{"PMIX_NAMESPACE", NULL, NULL}, {"PALS_APID", NULL, NULL},
	{"PBS_JOBID", NULL, NULL},      {"LSB_JOBID", NULL, NULL}};

static const char *set(const char *name)
{
	const char *value = name ? getenv(name) : NULL;
	return value && *value ? value : NULL;
}

static int number(const char *name)
{
	const char *value = set(name);
	char *end;
	long n = value ? strtol(value, &end, 10) : -1;
	return value && *end == 0 && n >= 0 && n < 1 << 30 ? (int)n : -1;
}

static void read_id(struct launch *launch)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct source *from = &sources[i];
		const char *id = set(from->id), *part = set(from->part), *restart = set(from->restart);
		char text[sizeof(launch->id)];
		if (!id)
			continue;
		snprintf(text, sizeof(text), "%s%s%s%s%s", id, part ? "." : "", part ? part : "",
				 restart ? "-" : "", restart ? restart : "");
		launch->key = XXH3_64bits_withSeed(text, strlen(text), launch->key);
		if (!launch->is_shared)
			memcpy(launch->id, text, sizeof(text));
		launch->is_shared = true;
	}
}

void launch_read(struct launch *launch)
{
	uint64_t random;
	*launch = (struct launch){.size = 1};
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]) && launch->size <= 1; i++) {
		int rank = number(launchers[i].rank), size = number(launchers[i].size);
		if (rank >= 0 && rank < size) {
			launch->rank = rank;
			launch->size = size;
		}
	}
	read_id(launch);
	if (launch->is_shared)
		return;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint64_t)getpid();
	snprintf(launch->id, sizeof(launch->id), "%016" PRIx64, random);
}
