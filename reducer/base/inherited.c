#include "base/inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

static const int failed_writes[] = {SIGPIPE, SIGXFSZ};
enum { FAILED_WRITES = sizeof(failed_writes) / sizeof(failed_writes[0]) };

static bool was_closed[3];
static struct rlimit open_files;
static struct sigaction before[FAILED_WRITES];

/* A closed stdin, stdout or stderr must not hand its number to a file that we write: it reads as
 * empty, and writing to it fails as it would have. */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd < 3; fd++) {
		was_closed[fd] = fcntl(fd, F_GETFD) < 0;
		if (was_closed[fd])
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	}
}

/* A device that many processes share has one file each. */
static void raise_file_limit(void)
{
	if (getrlimit(RLIMIT_NOFILE, &open_files) != 0)
		return;
	struct rlimit most = {open_files.rlim_max, open_files.rlim_max};
	setrlimit(RLIMIT_NOFILE, &most);
}

void inherited_change(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	fill_standard_streams();
	raise_file_limit();
	/* a closed pipe and a file size limit are output errors like any other */
	for (int i = 0; i < FAILED_WRITES; i++)
		sigaction(failed_writes[i], &ignore, &before[i]);
}

void inherited_restore(void)
{
	for (int i = 0; i < FAILED_WRITES; i++)
		sigaction(failed_writes[i], &before[i], NULL);
	if (open_files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &open_files);
	for (int fd = 0; fd < 3; fd++)
		if (was_closed[fd])
			close(fd);
}
