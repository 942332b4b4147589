#include "classify/demangle.h"

#include "classify/mangled.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

enum {
	MANGLED_MOST_BYTES = 512,
	REFERENCES_MOST = 16 /* each can double what is printed */
};

/* References to an earlier part of the name ("S0_", "T_"): a few nested ones print gigabytes. */
static unsigned references(const char *name)
{
	unsigned n = 0;
	for (; *name; name++)
		n += (*name == 'S' || *name == 'T') &&
			 (name[1] == '_' || (name[1] >= '0' && name[1] <= '9') ||
			  (*name == 'S' && name[1] >= 'A' && name[1] <= 'Z'));
	return n;
}

void demangle(const char *name, char *out, size_t room)
{
	size_t bytes = strlen(name);
	bool mangled = strncmp(name, "_Z", 2) == 0;
	char *text = NULL;
	if (mangled && bytes <= MANGLED_MOST_BYTES && references(name) <= REFERENCES_MOST)
		text = __cxa_demangle(name, NULL, NULL, NULL);
	if (text)
		snprintf(out, room, "%s", text);
	else if (!mangled || !mangled_text(name, bytes, out, room))
		snprintf(out, room, "%s", name);
	free(text);
}
