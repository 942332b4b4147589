#include "stacks/packages.h"

#include <stdio.h>
#include <string.h>

enum { MODULE_BYTES = 4096 };

static const char *text_of(const struct stacks *s, uint32_t text)
{
	return strings_get(&s->trace->strings, text).at;
}

static bool lies_in(const struct stacks *s, size_t i, const char *file)
{
	return strncmp(file, text_of(s, s->packages[i].file), s->packages[i].bytes) == 0;
}

static void add(struct stacks *s, uint32_t file)
{
	const size_t bytes = origin_torch_root(text_of(s, file));
	if (bytes == 0 || s->n_packages == STACKS_PACKAGES)
		return;
	for (uint32_t i = 0; i < s->n_packages; i++)
		if (s->packages[i].bytes == bytes && lies_in(s, i, text_of(s, file)))
			return;
	s->packages[s->n_packages].file = file;
	s->packages[s->n_packages++].bytes = bytes;
}

/* The file of the program: its script is the outermost frame that is not of Python's own library,
 * and <module>. NULL: the stack does not say. */
static const char *script_of(const struct stacks *s, uint32_t index)
{
	char module[MODULE_BYTES];
	for (uint32_t i = stacks_frames(s, index); i-- > 0;) {
		const char *file = stacks_python_file(s, index, i);
		const char *function = stacks_python_function(s, index, i);
		if (!file)
			continue;
		const enum origin origin = origin_of(file, function, module, sizeof(module));
		if (origin == ORIGIN_LIBRARY && strcmp(module, "python") == 0)
			continue;
		return origin == ORIGIN_PROJECT && strcmp(function, "<module>") == 0 ? file : NULL;
	}
	return NULL;
}

void packages_find(struct stacks *s)
{
	for (uint32_t i = 1; i < s->n_codes; i++)
		if (s->codes[i].file)
			add(s, s->codes[i].file);
	for (uint32_t i = 1; i < s->n_stacks && s->n_packages; i++) {
		const char *script = script_of(s, i);
		for (uint32_t k = s->n_packages; script && k-- > 0;)
			if (lies_in(s, k, script)) /* installed into the project: the others may be its own */
				s->packages[k] = s->packages[--s->n_packages];
	}
}

enum origin packages_origin(const struct stacks *s, uint32_t index, uint32_t frame, char *module,
							size_t room)
{
	const char *file = stacks_python_file(s, index, frame);
	enum origin origin = origin_of(file, stacks_python_function(s, index, frame), module, room);
	for (uint32_t i = 0; i < s->n_packages && origin == ORIGIN_PROJECT; i++) {
		if (!lies_in(s, i, file))
			continue;
		const char *name = file + s->packages[i].bytes;
		size_t bytes = strcspn(name, "/");
		if (!name[bytes] && bytes > 3 && strcmp(name + bytes - 3, ".py") == 0)
			bytes -= 3;
		snprintf(module, room, "%.*s", (int)bytes, name);
		origin = ORIGIN_LIBRARY;
	}
	return origin;
}

const char *packages_cut(const struct stacks *s, const char *text)
{
	static const char end[] = "-packages/";
	const char *last = text;
	for (const char *next = text; (next = strstr(next, end));)
		last = next += sizeof(end) - 1;
	for (uint32_t i = 0; i < s->n_packages && last == text; i++)
		if (lies_in(s, i, text))
			last = text + s->packages[i].bytes;
	return last;
}
