#include "base/high_fd.h"

#include "base/own_thread.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FROM_THE_TOP = 4, LEAST_TABLE = 64 };

/* The size of the process's descriptor table. Beyond it the kernel makes a larger one and waits for
 * all CPUs to have seen it: some 10 ms on the thread that asks. */
static int table_size(void)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *line = strstr(text, "\nFDSize:");
	int size = line ? atoi(line + strlen("\nFDSize:")) : 0;
	return size > LEAST_TABLE ? size : LEAST_TABLE;
}

int high_fd(int fd)
{
	if (fd < 0 || own_thread_files())
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, table_size() - FROM_THE_TOP);
	if (high < 0)
		high = fcntl(fd, F_DUPFD_CLOEXEC, LEAST_TABLE / 2); /* a low limit */
	if (high < 0)
		return fd;
	close(fd);
	return high;
}
