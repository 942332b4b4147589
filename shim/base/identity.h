/* Who this process is: what its files are called and what the process record says. */
#ifndef SHIM_IDENTITY_H
#define SHIM_IDENTITY_H

#include <baton/format.h>

struct identity {
	int64_t pid;
	uint64_t start_time; /* clock ticks since boot, field 22 of /proc/PID/stat */
	uint8_t boot_id[16];
	char boot8[9];
	char host[65];
	int32_t rank, world_size, local_rank; /* -1 unknown */
	uint32_t restarts; /* of the job before this process, as torchrun counts them */
};

/* Reads /proc and the launcher's variables. 0 or -errno. */
int identity_read(struct identity *identity);
/* BOOT8.PID.STARTTIME.GEN, at most 64 bytes. */
void identity_name(const struct identity *identity, uint32_t generation, char name[64]);

#endif
