/* The commands of baton without its start: commands reads lines DIRECTORY tab SECONDS tab ERRORS tab
 * ARGUMENT tab ..., and runs each in a child that it forks, in that directory, with stderr into the
 * file ERRORS and SIGALRM after so long. For each it prints the wait status, the CPU time in ns and
 * the most memory in KiB. The start of a program with sanitizers costs more than most commands. */
int baton_main(int argc, char **argv);
#define main baton_main
#include "main.c" /* reducer's */
#undef main
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 1 << 14, WORDS = 64 };

/* The words of a line, which are cut where its tabs are. */
static int words_of(char *line, char **words)
{
	int n = 0;
	line[strcspn(line, "\n")] = '\0';
	for (char *rest = line, *word; n < WORDS - 1 && (word = strsep(&rest, "\t"));)
		words[n++] = word;
	words[n] = NULL;
	return n;
}

static void opened(int as, const char *path, int how)
{
	int fd = open(path, how, 0600);
	if (fd < 0 || dup2(fd, as) < 0)
		_exit(125);
	if (fd != as)
		close(fd);
}

static void run(int n, char **words)
{
	opened(STDIN_FILENO, "/dev/null", O_RDONLY);
	opened(STDOUT_FILENO, "/dev/null", O_WRONLY);
	opened(STDERR_FILENO, words[2], O_WRONLY | O_CREAT | O_TRUNC);
	if (chdir(words[0]) != 0)
		_exit(125);
	alarm((unsigned)atoi(words[1]));
	words[2] = "baton";
	exit(baton_main(n - 2, words + 2));
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

int main(void)
{
	static char line[LINE];
	char *words[WORDS];
	while (fgets(line, sizeof(line), stdin)) {
		int n = words_of(line, words), status = 0;
		struct rusage usage;
		fflush(stdout);
		pid_t pid = n > 3 ? fork() : -1;
		if (pid == 0)
			run(n, words);
		if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
			return 1;
		printf("%d %llu %ld\n", status,
			   (unsigned long long)(nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)),
			   usage.ru_maxrss);
		fflush(stdout);
	}
	return 0;
}
