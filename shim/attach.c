/* The doors by which libbaton.so comes into a process, all leading to one state:
 *   LD_PRELOAD              the constructor: reads the environment, nothing else
 *   CUDA_INJECTION64_PATH   InitializeInjection, called by the driver inside the first cuInit:
 *                           CUPTI starts here
 *   NVTX_INJECTION64_PATH   InitializeInjectionNvtx2 (sources/nvtx/nvtx.c), called by each module
 *                           that uses NVTX
 * The constructor sets the last two when they are free; a tool that holds them keeps them. */
#include "base/clock.h"
#include "base/config.h"
#include "base/guard.h"
#include "base/message.h"
#include "base/recording.h"
#include "session.h"
#include "sources/cupti/cupti.h"
#include "window.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

SHIM_EXPORT int InitializeInjection(void);

/* False: another tool holds it. */
static bool open_door(const char *variable, const char *path)
{
	const char *held = getenv(variable);
	if (held && strcmp(held, path) != 0)
		message_detail("%s is %s: another tool's, left alone", variable, held);
	else if (!held)
		setenv(variable, path, 0);
	return !held || strcmp(held, path) == 0;
}

__attribute__((constructor)) static void attach(void)
{
	Dl_info self;
	session_configure();
	if (!config.cuda)
		recording_mark(RECORDING_NO_CUDA);
	if (!config.out[0] || !config.nccl)
		recording_mark(RECORDING_NO_NCCL);
	if (config.out[0])
		clock_open();
	if (!config.out[0] || dladdr((void *)(uintptr_t)&attach, &self) == 0)
		return;
	/* LD_PRELOAD may name it by a relative path, and the job may change its directory */
	char path[PATH_MAX];
	if (!realpath(self.dli_fname, path))
		return;
	if (config.cuda)
		config.cuda_held = !open_door("CUDA_INJECTION64_PATH", path);
	if (config.nvtx)
		open_door("NVTX_INJECTION64_PATH", path);
}

int InitializeInjection(void)
{
	int saved_errno, cancel_state;
	if (!config.out[0] || window_missed() || !guard_enter(&saved_errno))
		return 1;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	bool first = !cupti_tried();
	bool attached = session_fits() && cupti_attach();
	if (first)
		window_cupti_tried();
	if (attached)
		session_ends_before_driver();
	else if (first && !recording.windowed)
		session_may_stay_deaf();
	if (recording.windowed) /* somebody has to wait for it */
		session_begin();
	pthread_setcancelstate(cancel_state, NULL);
	guard_leave(saved_errno);
	return 1;
}
