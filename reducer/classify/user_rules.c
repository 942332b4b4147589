#include "classify/user_rules.h"

#include "base/room.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify/host_classes.h"
#include "classify/match.h"

enum { NAME_MOST = 64 << 10, COST_MOST = 1 << 14, ANCHORS_MOST = 16, STACKED_MOST = 4 };

struct parser {
	const char *path;
	size_t line;
	char *message;
	size_t message_bytes;
};

static int complain(const struct parser *parser, const char *what, const char *detail)
{
	snprintf(parser->message, parser->message_bytes, "%s:%zu: %s%s", parser->path, parser->line,
			 what, detail);
	return -EINVAL;
}

/* The most copies that the repetition which begins at `at` makes of what stands before it; *end is
 * where it ends. */
static size_t copies(const char *at, const char **end)
{
	char *after;
	*end = at + 1;
	if (*at && strchr(")+*?}", *at) && at[1] == '+') /* a group, or a repetition itself */
		return 2;
	if (*at != '{')
		return 1;
	const unsigned long least = strtoul(at + 1, &after, 10);
	const unsigned long most = *after == ',' ? strtoul(after + 1, &after, 10) : least;
	*end = after;
	const unsigned long n = least > most ? least : most;
	return n > COST_MOST ? COST_MOST + 1 : 1 + n;
}

/* Does a repetition begin at `at`, of a group or of another repetition? */
static bool is_stacked(const char *pattern, const char *at)
{
	return at > pattern && strchr("*+?{", *at) && strchr(")*+?}", at[-1]) &&
		   !(at - pattern > 1 && at[-2] == '\\');
}

/* What regcomp() makes of a pattern grows with the product of repetitions within each other, and
 * much faster with its anchors: a line of 200 bytes took 19 GB and two minutes, ^a******+++ more
 * than one. */
static bool too_costly(const char *pattern)
{
	static const char anchors[] = "bB<>`'";
	size_t times = 1, n_anchors = 0, stacked = 0, in_a_row = 0;
	for (const char *at = pattern, *next; *at; at = next) {
		const bool escaped = *at == '\\' && at[1];
		const size_t n = escaped ? 1 : copies(at, &next);
		next = escaped ? at + 2 : next;
		const bool negates = at > pattern && at[-1] == '['; /* [^x] */
		n_anchors +=
			escaped ? strchr(anchors, at[1]) != NULL : *at == '$' || (*at == '^' && !negates);
		times *= n;
		in_a_row = escaped || !strchr(")*+?{}", *at) ? 0 : in_a_row + is_stacked(pattern, at);
		stacked = in_a_row > stacked ? in_a_row : stacked;
		if (times > COST_MOST)
			return true;
	}
	return strlen(pattern) * times > COST_MOST || n_anchors > ANCHORS_MOST ||
		   n_anchors * times > 8 * ANCHORS_MOST || (n_anchors && stacked > STACKED_MOST);
}

static int add_rule(struct user_rules *rules, const char *pattern, struct user_rule made,
					const struct parser *parser)
{
	if (too_costly(pattern))
		return complain(parser, "bad pattern: it is too long, or repeats too much of itself", "");
	if (room_next((void **)&rules->rules, rules->n, sizeof(*rules->rules)) != 0)
		return -ENOMEM;
	struct user_rule *rule = &rules->rules[rules->n];
	*rule = made;
	snprintf(rule->id, sizeof(rule->id), "user:%zu", parser->line);
	int error = regcomp(&rule->pattern, pattern, REG_EXTENDED | REG_NOSUB);
	if (error) {
		char why[128];
		regerror(error, &rule->pattern, why, sizeof(why));
		return complain(parser, "bad pattern: ", why);
	}
	rules->n++;
	return 0;
}

/* A kernel class; or call:, range: or frame: and one of host_classes.h. */
static int read_class(const char *word, const struct parser *parser, struct user_rule *made)
{
	static const struct {
		const char *prefix;
		enum user_names of;
	} prefixes[] = {{"call:", USER_CALLS}, {"range:", USER_RANGES}, {"frame:", USER_FRAMES}};
	*made = (struct user_rule){.of = USER_KERNELS};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const size_t bytes = strlen(prefixes[i].prefix);
		if (strncmp(word, prefixes[i].prefix, bytes) != 0)
			continue;
		made->of = prefixes[i].of;
		if (host_class_find(word + bytes, made->of == USER_CALLS, &made->mask))
			return 0;
		complain(parser, "unknown class ", word);
		size_t used = strlen(parser->message);
		snprintf(parser->message + used, parser->message_bytes - used, " (there are: %s)",
				 host_class_names);
		return -EINVAL;
	}
	int class = class_find(word, strlen(word));
	made->class = class < 0 ? CLASS_OTHER : (enum class_id) class;
	return class < 0 ? complain(parser, "unknown class ", word) : 0;
}

/* PATTERN blanks class; the class is the last word of the line, so a pattern may hold single blanks
 * too. */
static int read_line(struct user_rules *rules, char *line, const struct parser *parser)
{
	static const char blanks[] = " \t\r\n";
	line += strspn(line, blanks);
	size_t n = strlen(line);
	while (n && strchr(blanks, line[n - 1]))
		line[--n] = 0;
	if (n == 0 || *line == '#')
		return 0;
	size_t split = n;
	while (split && !strchr(blanks, line[split - 1]))
		split--;
	if (split == 0)
		return complain(parser, "expected PATTERN and a class", "");
	struct user_rule made;
	int error = read_class(line + split, parser, &made);
	if (error)
		return error;
	while (split && strchr(blanks, line[split - 1]))
		line[--split] = 0;
	return add_rule(rules, line, made, parser);
}

int user_rules_read(struct user_rules *rules, const char *path, char *message, size_t message_bytes)
{
	struct parser parser = {.path = path, .message = message, .message_bytes = message_bytes};
	FILE *file = fopen(path, "re");
	if (!file) {
		int error = errno;
		snprintf(message, message_bytes, "%s: %s", path, strerror(error));
		return -error;
	}
	char *line = NULL;
	size_t room = 0;
	int error = 0;
	while (!error && getline(&line, &room, file) >= 0) {
		parser.line++;
		error = read_line(rules, line, &parser);
	}
	if (!error && ferror(file)) {
		error = -EIO;
		snprintf(message, message_bytes, "%s: cannot be read", path);
	} else if (error == -ENOMEM) {
		snprintf(message, message_bytes, "%s: out of memory", path);
	}
	free(line);
	fclose(file);
	return error;
}

void user_rules_free(struct user_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		regfree(&rules->rules[i].pattern);
	free(rules->rules);
	*rules = (struct user_rules){0};
}

const struct user_rule *user_rules_find(const struct user_rules *rules,
										const struct user_name *name)
{
	if (rules->n == 0)
		return NULL;
	const struct user_rule *found = NULL;
	char *text = strndup(name->at, name->bytes < NAME_MOST ? name->bytes : NAME_MOST);
	for (size_t i = 0; text && !found && i < rules->n; i++)
		if (rules->rules[i].of == name->of && match(&rules->rules[i].pattern, text, NULL, 0))
			found = &rules->rules[i];
	free(text);
	return found;
}
