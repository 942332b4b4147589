#include "import/nsys/nsys_report.h"

#include "base/diag.h"
#include "import/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 };

bool nsys_report_is(const unsigned char *head, size_t bytes)
{
	const size_t mark = sizeof(NSYS_REPORT_MARK) - 1;
	return bytes >= mark && memcmp(head, NSYS_REPORT_MARK, mark) == 0;
}

/* Signals wait while an import writes; they end nsys as usual, and so does the end of baton. Its
 * progress is not shown. */
static void __attribute__((noreturn)) become(char *const arguments[])
{
	sigset_t none;
	const int read_end = open("/dev/null", O_RDONLY), write_end = open("/dev/null", O_WRONLY);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (dup2(read_end, STDIN_FILENO) >= 0 && dup2(write_end, STDOUT_FILENO) >= 0)
		execvp(arguments[0], arguments);
	_exit(NOT_STARTED);
}

static int run(char *const arguments[])
{
	int status;
	const pid_t pid = fork();
	if (pid == 0)
		become(arguments);
	if (pid < 0)
		return -errno;
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
