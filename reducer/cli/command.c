#include "cli/command.h"

#include "base/diag.h"
#include "base/progress.h"
#include "base/tty.h"
#include "cli/pager.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_OPTIONS = 40 /* with the common ones */,
	HELP_COLUMN = 29 /* of what an option does */,
	HELP_WIDTH = 100
};

enum { COMMON_COLOR, COMMON_NO_PAGER, COMMON_QUIET, COMMON_HELP, COMMON };

const struct option_spec command_common[] = {
	[COMMON_COLOR] = {"color", 0, OPTION_TEXT, "WHEN",
					  "auto (on a terminal, the default), always or never"},
	[COMMON_NO_PAGER] = {"no-pager", 0, OPTION_FLAG, NULL, "no pager for long output"},
	[COMMON_QUIET] = {"quiet", 0, OPTION_FLAG, NULL, "no line of progress on stderr"},
	[COMMON_HELP] = {"help", 'h', OPTION_FLAG, NULL, "this text"},
	[COMMON] = {0},
};
const struct named_text command_common_choices[] = {{"color", "auto always never"}, {0}};
const struct named_text command_common_environment[] = {
	{"BATON_COLOR", "auto, always or never, as --color"},
	{"NO_COLOR", "when it is set and not empty, no colours, unless the two above say always"},
	{"BATON_PAGER, PAGER",
	 "the pager of long output on a terminal (default: less, with LESS=FRX where LESS is not set); "
	 "empty or cat: none"},
	{0},
};

size_t command_options(const struct command *command)
{
	size_t n = 0;
	while (command->options && command->options[n].name)
		n++;
	return n;
}

/* Its own options come first, then the common ones. */
static const struct option_spec *option_at(const struct command *command, size_t i)
{
	const size_t n = command_options(command);
	return i < n ? &command->options[i] : &command_common[i - n];
}

static size_t find_option(const struct invocation *call, const char *name)
{
	size_t n = command_options(call->command);
	for (size_t i = 0; i < n; i++)
		if (strcmp(call->options[i].name, name) == 0)
			return i;
	abort(); /* a command asked for an option it did not list */
}

bool option_given(const struct invocation *call, const char *name)
{
	return call->texts[find_option(call, name)] != NULL;
}

const char *option_text(const struct invocation *call, const char *name, const char *otherwise)
{
	const char *text = call->texts[find_option(call, name)];
	return text ? text : otherwise;
}

const char *option_output(const struct invocation *call)
{
	const char *path = option_text(call, "output", NULL);
	return path && strcmp(path, "-") == 0 ? NULL : path;
}

/* A file called `-` is what nobody wants who writes `-o -`. */
static int check_dashes(const struct command *command, const char *const *texts)
{
	static const char *const names[] = {"html", "svg", "steps-csv", "output"};
	for (size_t i = 0; command->options && command->options[i].name; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			if (!texts[i] || strcmp(texts[i], "-") != 0 ||
				strcmp(command->options[i].name, names[k]) != 0 ||
				(command->prints_output && strcmp(names[k], "output") == 0))
				continue;
			diag("%s: --%s wants a name, and '-' is not standard output here (./- is a file called "
				 "-)",
				 command->name, names[k]);
			return STATUS_USAGE;
		}
	return STATUS_OK;
}

long long option_number(const struct invocation *call, const char *name, long long otherwise)
{
	const char *text = call->texts[find_option(call, name)];
	return text ? strtoll(text, NULL, 10) : otherwise;
}

static int check_number(const struct option_spec *option, const char *text)
{
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno == 0 && end != text && *end == 0 && value >= 0)
		return STATUS_OK;
	diag("--%s wants a whole number, not '%s'", option->name, text);
	return STATUS_USAGE;
}

static int check_switch(const struct option_spec *option, const char *text)
{
	if (!*text || strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
		return STATUS_OK;
	diag("--%s wants true or false, not '%s'", option->name, text);
	return STATUS_USAGE;
}

static int argument_of(const struct option_spec *spec)
{
	return spec->kind == OPTION_FLAG     ? no_argument
		   : spec->kind == OPTION_SWITCH ? optional_argument
										 : required_argument;
}

static void fill_getopt(const struct command *command, struct option *longs, char *shorts)
{
	size_t n = command_options(command);
	if (command->operands && strstr(command->operands, "--"))
		*shorts++ = '+'; /* what comes after the program is its own */
	*shorts++ = ':';
	for (size_t i = 0; i < n + COMMON; i++) {
		const struct option_spec *spec = option_at(command, i);
		longs[i] = (struct option){spec->name, argument_of(spec), NULL, 256 + (int)i};
		if (!spec->letter)
			continue;
		*shorts++ = spec->letter;
		if (argument_of(spec) == required_argument)
			*shorts++ = ':';
	}
	*shorts = 0;
}

static size_t option_index(const struct command *command, int code)
{
	size_t n = command_options(command);
	if (code >= 256)
		return (size_t)code - 256;
	for (size_t i = 0; i < n; i++)
		if (command->options[i].letter == code)
			return i;
	return n + COMMON_HELP;
}

static int take_common(const char *const *texts)
{
	const char *when = texts[COMMON_COLOR];
	const enum tty_colour colour = when ? tty_colour_named(when) : TTY_COLOURS;
	if (when && colour == TTY_COLOURS) {
		diag("--color must be auto, always or never, not '%s'", when);
		return STATUS_USAGE;
	}
	tty_colour_choose(colour);
	if (texts[COMMON_NO_PAGER])
		pager_refuse();
	if (texts[COMMON_QUIET])
		progress_silence();
	return STATUS_OK;
}

int command_run(const struct command *command, int argc, char **argv)
{
	struct option longs[MAX_OPTIONS + 1] = {0};
	char shorts[2 * MAX_OPTIONS + 3];
	const char *texts[MAX_OPTIONS] = {NULL};
	size_t n = command_options(command);
	fill_getopt(command, longs, shorts);
	opterr = 0;
	optind = 1;
	for (int code; (code = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
		if (code == '?' || code == ':') {
			diag("%s: %s '%s' (see baton %s --help)", command->name,
				 code == ':' ? "missing value after" : "unknown option", argv[optind - 1],
				 command->name);
			return STATUS_USAGE;
		}
		size_t i = option_index(command, code);
		if (i == n + COMMON_HELP) {
			command_help(command);
			return finish_stdout(STATUS_OK);
		}
		const struct option_spec *spec = option_at(command, i);
		texts[i] = optarg ? optarg : "";
		if (spec->kind == OPTION_NUMBER && check_number(spec, optarg))
			return STATUS_USAGE;
		if (spec->kind == OPTION_SWITCH && check_switch(spec, texts[i]))
			return STATUS_USAGE;
	}
	if (take_common(texts + n) != STATUS_OK || check_dashes(command, texts) != STATUS_OK)
		return STATUS_USAGE;
	struct invocation call = {command, command->options, texts, argc - optind, argv + optind};
	if (call.operands < command->least_operands || (!command->operands && call.operands > 0)) {
		diag("usage: baton %s [OPTION...] %s", command->name,
			 command->operands ? command->operands : "");
		return STATUS_USAGE;
	}
	const int prepared = command->prepare ? command->prepare(&call) : STATUS_OK;
	if (prepared != STATUS_OK && prepared != STATUS_PARTIAL)
		return prepared;
	int status = command->run(&call); /* of `record` it is the job's: any number */
	if (prepared == STATUS_PARTIAL)
		status = (int)status_worse(STATUS_PARTIAL, (enum status)status);
	return finish_stdout(status);
}

/* Ends a line that has `column` characters with the text; where it would grow beyond HELP_WIDTH it
 * goes on in the next one, behind `hang` blanks. Lines of the text stay lines. */
static void print_wrapped(const char *text, int column, int hang)
{
	while (*text) {
		int word = (int)strcspn(text, " \n");
		if (column > hang && column + word > HELP_WIDTH) {
			printf("\n%*s", hang, "");
			column = hang;
		}
		printf("%.*s", word, text);
		column += word;
		text += word;
		if (*text == '\n') {
			putchar('\n');
			column = 0;
			text++;
		} else if (*text == ' ') {
			if (column + 1 + (int)strcspn(text + 1, " \n") <= HELP_WIDTH)
				putchar(' ');
			column++;
			text++;
		}
	}
	putchar('\n');
}

static void help_option_line(const struct option_spec *spec)
{
	char left[64];
	snprintf(left, sizeof(left), "%s%c%s --%s%s%s", spec->letter ? "-" : " ",
			 spec->letter ? spec->letter : ' ', spec->letter ? "," : " ", spec->name,
			 spec->value ? " " : "", spec->value ? spec->value : "");
	print_wrapped(spec->help, printf("  %-26s ", left), HELP_COLUMN);
}

void command_help(const struct command *command)
{
	size_t n = command_options(command);
	printf("usage: baton %s [OPTION...] %s\n\n%s\n", command->name,
		   command->operands ? command->operands : "", command->summary);
	if (command->details) {
		printf("\n");
		print_wrapped(command->details, 0, 0);
	}
	printf("\n");
	for (size_t i = 0; i < n; i++)
		help_option_line(&command->options[i]);
	for (size_t i = 0; i < COMMON; i++)
		help_option_line(&command_common[i]);
}

/* Standard output is a pipe that nobody reads any more. */
static bool reader_is_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int finish_stdout(int status)
{
	const bool failed = fflush(stdout) != 0;
	const int error = errno;
	if ((!failed && !ferror(stdout)) || pager_is_on()) /* who leaves the pager has read enough */
		return status;
	if (!reader_is_gone()) /* `baton dump ... | head` has read what it wanted */
		diag("standard output: %s", strerror(error));
	return STATUS_OUTPUT;
}
