#include "export/dataset_old.h"

#include "export/dataset.h"

#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { DESCRIPTORS = 8 };

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_part(const char *name)
{
	static const struct dataset_form *const forms[] = {&dataset_csv, &dataset_parquet,
													   &dataset_arrow};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(dot + 1, forms[i]->suffix) == 0)
			return has_prefix(name, "part-");
	return false;
}

static bool is_table(const char *name)
{
	for (unsigned kind = 0; kind < DATASET_TABLES; kind++)
		if (strcmp(name, dataset_tables[kind].name) == 0)
			return true;
	return false;
}

/* 0, or 1 for an entry that is not of a data set, which ends the walk. */
static int check_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	const char *name = path + at->base;
	(void)status;
	if (at->level == 0)
		return kind != FTW_D;
	if (at->level == 1)
		return kind == FTW_D ? !is_table(name) : kind != FTW_F || strcmp(name, "_baton.json") != 0;
	if (kind == FTW_D)
		return !has_prefix(name, "rank=") && !has_prefix(name, "step=");
	return kind != FTW_F || !is_part(name);
}

/* The schema stands first in the file. */
static bool has_about(const char *dir)
{
	static const char schema[] = "{\"schema\":\"baton.tables/";
	char path[PATH_MAX], begin[sizeof(schema) - 1];
	struct stat status;
	if (snprintf(path, sizeof(path), "%s/_baton.json", dir) >= (int)sizeof(path) ||
		lstat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	FILE *in = fopen(path, "re");
	const bool good = in && fread(begin, 1, sizeof(begin), in) == sizeof(begin) &&
					  memcmp(begin, schema, sizeof(begin)) == 0;
	if (in)
		fclose(in);
	return good;
}

bool dataset_is_old(const char *dir)
{
	char path[PATH_MAX]; /* with "/.", so that a link to the directory is followed */
	return has_about(dir) && snprintf(path, sizeof(path), "%s/.", dir) < (int)sizeof(path) &&
		   nftw(path, check_entry, DESCRIPTORS, FTW_PHYS) == 0;
}
