/* baton classify: kernel names on stdin, their groups on stdout. */
#include "base/diag.h"
#include "base/plain.h"
#include "base/tty.h"
#include "classify/classify.h"
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_spec options[] = {
	{"taxonomy", 0, OPTION_TEXT, "NAME",
	 "'seed': the four groups of the nvprof study, bit for bit"},
	{"classes", 0, OPTION_TEXT, "FILE", "your own rules, tried first: lines 'REGEX CLASS'"},
	{0},
};

static const char *tensor_core_text(int tensor_core)
{
	if (tensor_core < 0)
		return "unknown";
	return tensor_core ? "yes" : "no";
}

static int run(const struct invocation *call)
{
	char message[512], *line = NULL;
	size_t room = 0;
	const bool terminal = tty_is_read(STDOUT_FILENO);
	struct classifier *classifier;
	int error =
		classifier_open(option_text(call, "taxonomy", NULL), option_text(call, "classes", NULL),
						message, sizeof(message), &classifier);
	if (error) {
		diag("%s", message);
		return STATUS_USAGE;
	}
	for (ssize_t n; (n = getline(&line, &room, stdin)) >= 0 && !ferror(stdout);) {
		struct kernel_class class;
		if (n > 0 && line[n - 1] == '\n')
			line[--n] = 0;
		classifier_name(classifier, line, (size_t)n, &class);
		if (terminal)
			plain_put(line, stdout);
		else
			fwrite(line, 1, (size_t)n, stdout); /* a program finds its names again */
		printf("\t%s\t%s\t%s\t%s\n", classifier_group_label(classifier, &class), class.class_name,
			   tensor_core_text(class.tensor_core), class.rule);
	}
	int status = ferror(stdin) ? STATUS_INPUT : STATUS_OK;
	if (status != STATUS_OK)
		diag("standard input: %s", strerror(errno));
	free(line);
	classifier_close(classifier);
	return status;
}

static const struct named_text examples[] = {
	{"baton classify <names.txt", "What baton takes each of these kernels for."},
	{"baton classify --classes mine.txt <names.txt",
	 "The same, with rules of your own that are tried first."},
	{0},
};
static const struct named_text choices[] = {
	{"taxonomy", "seed"},
	{0},
};

const struct command command_classify = {
	.name = "classify",
	.summary = "name the group and class of kernels, by their names on standard input",
	.details = "Prints one line per input line: name, group (matmul, memory, custom, nccl, other), "
			   "class, whether it "
			   "uses tensor cores (yes, no, unknown) and the rule that fired, separated by tabs.",
	.options = options,
	.examples = examples,
	.choices = choices,
	.run = run,
};
