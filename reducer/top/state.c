#include "top/state.h"

#include "base/boot.h"
#include "base/started.h"
#include "read/process.h"

#include <baton/format.h>
#include <string.h>
#include <sys/stat.h>

static const int64_t S = 1000000000;
enum {
	GONE_S = 3,   /* a process that is not in /proc may live in another pid namespace, and writes */
	SILENT_S = 10 /* a recorder writes every second; clocks of hosts may differ by a few */
};

const char *top_state_name(enum top_state state)
{
	static const char *const names[] = {[TOP_RUNS] = "runs",
										[TOP_STALLS] = "stalls",
										[TOP_SILENT] = "silent",
										[TOP_ENDED] = "ended",
										[TOP_KILLED] = "killed"};
	return names[state];
}

/* The name of a trace begins with its host's boot id, a dot after it. */
static bool is_here(const char *path)
{
	char boot[BOOT_ID_CHARS + 1];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return boot_id_read(boot) == 0 && strncmp(name, boot, BOOT_ID_SHORT) == 0 &&
		   name[BOOT_ID_SHORT] == '.';
}

bool top_state_is_here(const struct run_process *process)
{
	const uint64_t started = started_at((uint64_t)process->pid);
	return is_here(process->path) && started != 0 && started == process->start_time;
}

enum top_state top_state_of(const struct run_process *process, int64_t now_ns, int64_t *quiet_ns)
{
	struct stat st;
	*quiet_ns = -1;
	if (process->closed)
		return process->losses[BATON_LOSS_IN_FLIGHT] ? TOP_KILLED : TOP_ENDED;
	if (stat(process->path, &st) == 0)
		*quiet_ns = now_ns - (st.st_mtim.tv_sec * S + st.st_mtim.tv_nsec);
	if (is_here(process->path) && *quiet_ns > GONE_S * S) {
		const uint64_t started = started_at((uint64_t)process->pid);
		if (started == 0 || started != process->start_time)
			return TOP_KILLED;
	}
	return *quiet_ns > SILENT_S * S ? TOP_SILENT : TOP_RUNS;
}
