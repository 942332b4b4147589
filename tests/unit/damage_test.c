/* The list of damage. Keeps out: damaged files that are not counted because one file before them has
 * more damage than is listed, or because another process found them. */
#include "check.h"
#include "base/diag.h"
#include "read/damage.h"

#include <stdio.h>

enum { PLACES = 3000, FILES = 40 };

int main(void)
{
	struct damage_log *log, *all;
	const struct damage_place *places;
	diag_quiet(true);
	CHECK(damage_log_open(&log) == 0 && damage_log_open(&all) == 0, "no memory");
	for (int turn = 0; turn < 2; turn++) /* a second look finds the same damage */
		for (uint64_t i = 0; i < PLACES; i++)
			damage_log_add(log, "first", 64 * i, "damaged");
	for (int i = 0; i < FILES; i++) {
		char name[16];
		snprintf(name, sizeof(name), "file %d", i);
		damage_log_add(log, name, 64, "damaged");
		damage_log_add(log, name, 128, "damaged");
	}
	CHECK(damage_log_files(log) == FILES + 1, "%llu files",
		  (unsigned long long)damage_log_files(log));
	const size_t n = damage_log_places(log, &places);
	CHECK(n < PLACES, "%zu places are listed", n);
	damage_log_join(all, places, n);
	CHECK(damage_log_files(all) == FILES + 1, "%llu files of another process",
		  (unsigned long long)damage_log_files(all));
	damage_log_close(log);
	damage_log_close(all);
	return finish();
}
