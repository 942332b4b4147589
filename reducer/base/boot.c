#include "base/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int boot_id_read(char text[BOOT_ID_CHARS + 1])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, BOOT_ID_CHARS);
	if (fd >= 0)
		close(fd);
	text[n == BOOT_ID_CHARS ? n : 0] = 0;
	return n == BOOT_ID_CHARS ? 0 : -EINVAL;
}
