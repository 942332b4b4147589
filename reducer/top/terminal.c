#include "top/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[2J"
#define LEAVE "\033[0m\033[?25h\033[?1049l"

static const int waited_for[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static struct termios before;
static volatile sig_atomic_t entered;
static int wake[2] = {-1, -1};
static char *shown; /* what is on the screen */

static void note(int signal)
{
	const int error = errno;
	const unsigned char byte = (unsigned char)signal;
	ssize_t ignored = write(wake[1], &byte, 1); /* full: many are waiting to be read */
	(void)ignored;
	errno = error;
}

/* Only what a signal handler may call. */
static void give_back(void)
{
	if (!entered)
		return;
	entered = 0;
	ssize_t ignored = write(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1);
	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void crash(int signal)
{
	give_back();
	raise(signal); /* by now it has its default again */
}

static int take(void)
{
	struct termios raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL); /* Ctrl-S would hold the screen for good */
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
		return -errno;
	entered = 1;
	free(shown);
	shown = NULL;
	return write(STDOUT_FILENO, ENTER, sizeof(ENTER) - 1) < 0 ? -errno : 0;
}

bool terminal_can_draw(void)
{
	const char *kind = getenv("TERM");
	return kind && kind[0] && strcmp(kind, "dumb") != 0;
}

bool terminal_is_live(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal_can_draw();
}

int terminal_enter(void)
{
	const struct sigaction notes = {.sa_handler = note};
	const struct sigaction crashes = {.sa_handler = crash, .sa_flags = (int)SA_RESETHAND};
	struct sigaction was;
	if (tcgetattr(STDIN_FILENO, &before) != 0 || pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	atexit(terminal_leave);
	for (size_t i = 0; i < sizeof(waited_for) / sizeof(waited_for[0]); i++)
		if (sigaction(waited_for[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaction(waited_for[i], &notes, NULL);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaction(fatal[i], &crashes, NULL);
	return take();
}

void terminal_leave(void)
{
	give_back();
}

void terminal_restore(int fd, const struct termios *modes)
{
	ssize_t ignored = write(fd, LEAVE, sizeof(LEAVE) - 1);
	(void)ignored;
	tcsetattr(fd, TCSADRAIN, modes);
}

int terminal_signals(void)
{
	return wake[0];
}

int terminal_signal(void)
{
	unsigned char byte;
	return read(wake[0], &byte, 1) == 1 ? byte : 0;
}

void terminal_stop(void)
{
	give_back();
	raise(SIGSTOP);
	terminal_again();
}

void terminal_again(void)
{
	take();
}

void terminal_resized(void)
{
	static const char clear[] = "\033[2J";
	ssize_t ignored = write(STDOUT_FILENO, clear, sizeof(clear) - 1);
	(void)ignored;
	free(shown);
	shown = NULL;
}

void terminal_size(int *width, int *height)
{
	struct winsize size = {0};
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*width = size.ws_col ? size.ws_col : 80;
	*height = size.ws_row ? size.ws_row : 24;
}

/* Line `n` of a text, without its line feed; NULL: it has fewer. */
static const char *line_of(const char *text, int n, size_t *bytes)
{
	for (; text && n > 0; n--) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	*bytes = text ? strcspn(text, "\n") : 0;
	return text;
}

static int write_all(const char *text, size_t bytes)
{
	while (bytes > 0) {
		const ssize_t n = write(STDOUT_FILENO, text, bytes);
		if (n < 0 && errno != EAGAIN)
			return -errno; /* EINTR too: a signal may want to end this */
		if (n < 0) {
			usleep(1000);
			continue;
		}
		text += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* One write of the lines that changed: the screen is never seen without them. */
int terminal_show(const char *text)
{
	char *out = NULL;
	size_t bytes = 0;
	int width, height, error;
	FILE *file = open_memstream(&out, &bytes);
	if (!file)
		return -ENOMEM;
	terminal_size(&width, &height);
	for (int i = 0; i < height; i++) {
		size_t now_bytes, was_bytes;
		const char *now = line_of(text, i, &now_bytes), *was = line_of(shown, i, &was_bytes);
		if (was && now && now_bytes == was_bytes && memcmp(now, was, now_bytes) == 0)
			continue;
		if (now || was)
			fprintf(file, "\033[%d;1H%.*s\033[K", i + 1, (int)now_bytes, now ? now : "");
	}
	error = fclose(file) == 0 ? write_all(out, bytes) : -ENOMEM;
	free(out);
	free(shown);
	shown = error ? NULL : strdup(text);
	return error == -EINTR ? 0 : error;
}
