/* A libnvidia-ml.so.1 for tests of `baton record`. FAKE_NVML says how it goes: "mute" has two GPUs
 * that answer nothing but who they are, "fails" does not start, "hangs" never comes back from its
 * start, nor from its end. FAKE_NVML_MARK: a file that is made when somebody loads it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *what)
{
	const char *wanted = getenv("FAKE_NVML");
	return wanted && strcmp(wanted, what) == 0;
}

__attribute__((constructor)) static void loaded(void)
{
	const char *mark = getenv("FAKE_NVML_MARK");
	int fd = mark ? open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd >= 0)
		close(fd);
}

static void hang(void)
{
	while (is("hangs"))
		pause();
}

__attribute__((destructor)) static void unloaded(void)
{
	hang();
}

int nvmlInit_v2(void)
{
	hang();
	return is("fails") ? 9 : 0; /* NVML_ERROR_DRIVER_NOT_LOADED */
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = 2;
	return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
	*device = (char *)NULL + index + 1;
	return 0;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned bytes)
{
	snprintf(uuid, bytes, "GPU-%08x-5a5a-5a5a-5a5a-5a5a5a5a5a5a",
			 (unsigned)((char *)device - (char *)NULL - 1));
	return 0;
}

/* The second one alone has a clock: the first says that it is not supported. */
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = 1410;
	return device == (char *)NULL + 2 && type == 1 ? 0 : 3;
}
