/* Counts what the simulated driver executed, by its own account: preloaded or linked, it appends
 * to the file SIMGPU_COUNTS names, when the process ends, lines
 *   PID launches TID N      PID ops DEVICE STREAM N      PID kernels NAME N
 * A test compares them with what a recorder says. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "doubles/observe.h"

enum { ROOM = 4096, TEXT = 1 << 23, SETTLE_MS = 10000 };

static struct sim_count counts[ROOM];
static struct sim_name_count names[ROOM];
static char text[TEXT];

static size_t add_lines(size_t at, const char *what, unsigned n)
{
	for (unsigned i = 0; i < n && i < ROOM && at < TEXT - 128; i++) {
		unsigned long long key = counts[i].key, count = counts[i].n;

		if (what[0] == 'l')
			at += (size_t)snprintf(text + at, TEXT - at, "%d launches %llu %llu\n", (int)getpid(),
								   key, count);
		else
			at += (size_t)snprintf(text + at, TEXT - at, "%d ops %llu %llu %llu\n", (int)getpid(),
								   key >> 32, key & 0xffffffff, count);
	}
	return at;
}

static size_t add_names(size_t at, unsigned n)
{
	for (unsigned i = 0; i < n && i < ROOM && at < TEXT / 2; i++)
		at += (size_t)snprintf(text + at, TEXT - at, "%d kernels %.4096s %llu\n", (int)getpid(),
							   names[i].name, (unsigned long long)names[i].n);
	return at;
}

/* By hand: the driver may have been opened late and out of sight. */
__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("SIMGPU_COUNTS");
	void *driver = path ? dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY) : NULL;
	__typeof__(simgpu_launches) *launches, *ops;
	__typeof__(simgpu_names) *kernels;
	__typeof__(simgpu_settle) *settle;
	__typeof__(simgpu_ready) *ready;
	size_t at;
	int fd;

	if (!driver)
		return;
	*(void **)&launches = dlsym(driver, "simgpu_launches");
	*(void **)&ops = dlsym(driver, "simgpu_ops");
	*(void **)&kernels = dlsym(driver, "simgpu_names");
	*(void **)&settle = dlsym(driver, "simgpu_settle");
	*(void **)&ready = dlsym(driver, "simgpu_ready");
	if (!launches || !ops || !kernels || !settle || !ready)
		return;
	/* The driver ends before us, and has then finished what it had. */
	if (ready() && !settle(SETTLE_MS))
		fprintf(stderr, "count: work is left on the devices\n");
	at = add_lines(0, "launches", launches(counts, ROOM));
	at = add_lines(at, "ops", ops(counts, ROOM));
	at = add_names(at, kernels(names, ROOM));
	if (!at)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, at) != (ssize_t)at)
		fprintf(stderr, "count: cannot write %s\n", path);
	if (fd >= 0)
		close(fd);
}
