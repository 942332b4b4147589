#include "export/formats.h"

#include "export/nsys.h"

#include <stddef.h>
#include <string.h>

const struct export_format export_formats[] = {
	{"nsys-sqlite", "the SQLite file that `nsys export -t sqlite` makes", nsys_export},
	{NULL, NULL, NULL},
};

const struct export_format *export_format_find(const char *name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
