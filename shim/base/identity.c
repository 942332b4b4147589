#include "base/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_file(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, to, room - 1);
	int error = n < 0 ? -errno : 0;
	close(fd);
	to[n > 0 ? n : 0] = 0;
	return error;
}

/* The first of these variables that holds a number; launchers by how often they are met. */
static int32_t number(const char *const *names)
{
	for (; *names; names++) {
		const char *value = getenv(*names);
		char *end;
		long n = value && *value ? strtol(value, &end, 10) : -1;
		if (n >= 0 && n <= INT32_MAX && *end == 0)
			return (int32_t)n;
	}
	return -1;
}

static int read_start_time(uint64_t *start_time)
{
	char text[1024];
	int error = read_file("/proc/self/stat", text, sizeof(text));
	if (error)
		return error;
	const char *at = strrchr(text, ')'); /* the name before it may hold anything */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -EINVAL;
	*start_time = strtoull(at, NULL, 10);
	return 0;
}

static int read_boot_id(struct identity *identity)
{
	char text[64];
	int error = read_file("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	if (error)
		return error;
	int digits = 0;
	for (const char *c = text; *c && digits < 32; c++) {
		int v = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;
		if (v < 0)
			continue;
		identity->boot_id[digits / 2] = (uint8_t)(identity->boot_id[digits / 2] << 4 | v);
		if (digits < 8)
			identity->boot8[digits] = *c;
		digits++;
	}
	return digits == 32 ? 0 : -EINVAL;
}

int identity_read(struct identity *identity)
{
	static const char *const rank[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
									   "PMI_RANK", "SLURM_PROCID",         NULL};
	static const char *const world[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
										"SLURM_NTASKS", NULL};
	static const char *const local[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
										"MPI_LOCALRANKID", "SLURM_LOCALID", NULL};
	static const char *const restarts[] = {"TORCHELASTIC_RESTART_COUNT", NULL};
	int32_t restarted = number(restarts);
	*identity = (struct identity){.pid = getpid(),
								  .rank = number(rank),
								  .world_size = number(world),
								  .local_rank = number(local),
								  .restarts = restarted > 0 ? (uint32_t)restarted : 0};
	gethostname(identity->host, sizeof(identity->host) - 1);
	int error = read_start_time(&identity->start_time);
	return error ? error : read_boot_id(identity);
}

void identity_name(const struct identity *identity, uint32_t generation, char name[64])
{
	snprintf(name, 64, "%s.%" PRId64 ".%" PRIu64 ".%" PRIu32, identity->boot8, identity->pid,
			 identity->start_time, generation);
}
