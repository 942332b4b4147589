#include "import/nsys/nsys_report.h"

#include "base/diag.h"
#include "import/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 }; /* older C libraries say so when there is no such program */

extern char **environ;

bool nsys_report_is(const unsigned char *head, size_t bytes)
{
	const size_t mark = sizeof(NSYS_REPORT_MARK) - 1;
	return bytes >= mark && memcmp(head, NSYS_REPORT_MARK, mark) == 0;
}

/* Signals wait while an import writes; they end nsys as usual. */
static int take_signals(posix_spawnattr_t *attributes)
{
	sigset_t none;
	sigemptyset(&none);
	int error = posix_spawnattr_setsigmask(attributes, &none);
	return error ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK);
}

/* Its progress is not shown. */
static int take_files(posix_spawn_file_actions_t *files)
{
	int error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
	return error ? error : posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0);
}

static int start(char *const arguments[], pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&files);
	if (error)
		return -error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		error = take_files(&files);
		error = error ? error : take_signals(&attributes);
		error = error ? error
					  : posix_spawnp(pid, arguments[0], &files, &attributes, arguments, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return -error;
}

static int run(char *const arguments[])
{
	pid_t pid;
	int status, error = start(arguments, &pid);
	if (error)
		return error;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
		return -ENOENT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

/* An argument that begins with '-' would be an option. */
static char *as_operand(const char *path)
{
	char *operand = malloc(strlen(path) + 3);
	if (operand) {
		strcpy(operand, path[0] == '-' ? "./" : "");
		strcat(operand, path);
	}
	return operand;
}

int nsys_report_export(const char *report, const char *out)
{
	char *from = as_operand(report), *to = as_operand(out);
	char *const with[] = {"nsys", "export", "-t", "sqlite", "--include-blobs=true",
						  "-o",   to,       from, NULL};
	char *const without[] = {"nsys", "export", "-t", "sqlite", "-o", to, from, NULL};
	int error = from && to ? 0 : -ENOMEM;
	if (!error) {
		diag("%s: nsys exports it", report);
		error = run(with);
		if (error == -EIO && access(to, F_OK) != 0)
			error = run(without);
		if (!error && access(to, F_OK) != 0)
			error = -EIO;
	}
	free(from);
	free(to);
	return error;
}
