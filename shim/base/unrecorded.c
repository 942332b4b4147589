#include "base/unrecorded.h"

#include "base/config.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Where not even that can be written, the reason has been said on stderr. */
void unrecorded_note(void)
{
	char path[sizeof(config.out) + 64];
	snprintf(path, sizeof(path), "%s/.baton-recording", config.out);
	if (access(path, F_OK) != 0) /* without `baton record` nobody would remove it */
		return;
	snprintf(path, sizeof(path), "%s/.baton-unrecorded-%d", config.out, (int)getpid());
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}
