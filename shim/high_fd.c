#include "high_fd.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int high_fd(int fd)
{
	struct rlimit limit;
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fd;
	rlim_t top = limit.rlim_cur < 1 << 16 ? limit.rlim_cur : 1 << 16;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)(top - top / 8));
	if (high < 0)
		return fd;
	close(fd);
	return high;
}
