#include "import/importer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool seat_taken(const struct import_run *run, const char *host, const int32_t *ordinals,
                       size_t n)
{
	for (size_t i = 0; i < run->n_seats; i++)
		for (size_t k = 0; k < n; k++)
			if (run->seats[i].ordinal == ordinals[k] && strcmp(run->seats[i].host, host) == 0)
				return true;
	return false;
}

static void append(char host[64], const char *what, long long n)
{
	char tail[32];
	int bytes = snprintf(tail, sizeof(tail), "-%s%lld", what, n);
	size_t keep = strlen(host), most = 63 - (size_t)bytes;
	keep = keep < most ? keep : most;
	memcpy(host + keep, tail, (size_t)bytes + 1);
}

int import_take_seats(struct import_run *run, char host[64], const int32_t *ordinals, size_t n,
                      int32_t rank)
{
	if (rank >= 0 && seat_taken(run, host, ordinals, n))
		append(host, "rank", rank);
	for (uint64_t file = run->files_out + 1; seat_taken(run, host, ordinals, n); file++)
		append(host, "file", (long long)file);
	if (n == 0)
		return 0;
	struct import_seat *larger = realloc(run->seats, (run->n_seats + n) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	run->seats = larger;
	for (size_t k = 0; k < n; k++) {
		struct import_seat *seat = &run->seats[run->n_seats++];
		memcpy(seat->host, host, sizeof(seat->host));
		seat->ordinal = ordinals[k];
	}
	return 0;
}
