/* Runs a command and tells what it took: `peak FILE COMMAND...` writes its peak RSS in KiB and its
 * CPU seconds to FILE, and ends with its status (128 and the signal, where one ended it). A process
 * that Python starts shows at least the peak of Python, which the kernel keeps through exec. One
 * that this small program starts does not. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status = 0;
	if (argc < 3) {
		fprintf(stderr, "usage: peak FILE COMMAND...\n");
		return 2;
	}
	const pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("peak");
		return 1;
	}
	FILE *file = fopen(argv[1], "w");
	if (!file)
		return 1;
	fprintf(file, "%ld %.6f\n", usage.ru_maxrss, seconds(usage.ru_utime) + seconds(usage.ru_stime));
	if (fclose(file) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
