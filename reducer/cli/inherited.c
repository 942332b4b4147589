#include "cli/inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/* A closed pipe and a file size limit are output errors like any other. */
static const int ignored[] = {SIGPIPE, SIGXFSZ};
enum { IGNORED = sizeof(ignored) / sizeof(ignored[0]) };

static struct sigaction before[IGNORED];
static struct rlimit files_before;
static bool files_raised;

/* A closed stdin, stdout or stderr must not hand its number to a file that we write: it reads as
 * empty, and writing to it fails as it would have. A program that we start finds it closed. */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* A device that many processes share has one file each. */
static void raise_file_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &files_before) != 0)
		return;
	limit = files_before;
	limit.rlim_cur = limit.rlim_max;
	files_raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

void inherited_change(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	fill_standard_streams();
	raise_file_limit();
	for (int i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &ignore, &before[i]);
}

void inherited_restore(void)
{
	for (int i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &before[i], NULL);
	if (files_raised)
		setrlimit(RLIMIT_NOFILE, &files_before);
}
