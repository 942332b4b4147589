/* The C reader's side of the differential fuzz: file names on stdin, per file NAME, VERDICT, LINES
 * and the CRC-32 of its dump without the first line, as tests/format/second_reader.py --digest
 * prints them. One process for all files. */
#include "read/dump.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void digest(const char *path)
{
	char *text = NULL;
	size_t bytes = 0;
	struct dump_result result;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory)
		abort();
	dump_file(path, true, memory, &result);
	fclose(memory);
	if (result.error) {
		fprintf(stderr, "%s: %s\n", path, strerror(-result.error));
		exit(1);
	}
	const char *from = text;
	if (result.verdict != DUMP_UNREADABLE)
		from = strchr(text, '\n') + 1;
	size_t left = bytes - (size_t)(from - text), lines = 0;
	for (size_t i = 0; i < left; i++)
		lines += from[i] == '\n';
	printf("%s\t%s\t%zu\t%08lx\n", path, dump_verdict_name(result.verdict), lines,
		   crc32_z(0, (const Bytef *)from, left));
	fflush(stdout); /* whoever asks may wait for this file's answer */
	free(text);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
		line[strcspn(line, "\n")] = 0;
		digest(line);
	}
	free(line);
	return fflush(stdout) == 0 ? 0 : 1;
}
