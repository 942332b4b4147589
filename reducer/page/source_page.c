/* A trace may come from anybody, and a page is sent to others: it must not carry what a trace makes
 * it open. So only regular files whose absolute path ends in .py are read, only as the trace names
 * them, and of each only the lines that the trace names. */
#include "page/source_page.h"

#include "render/json.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES_MOST = 500, LINE_BYTES = 160, FILE_MOST = 4 << 20 };

struct line {
	const char *path; /* ends before ":NUMBER" */
	int path_bytes;
	long number;
	bool done;
};

struct lines {
	struct line *at;
	size_t n;
};

/* "/home/u/train.py:20 loss". False: no line of an absolute Python file. */
static bool parse(const char *name, struct line *line)
{
	static const char ending[] = ".py:";
	const char *end = name[0] == '/' ? strstr(name, ending) : NULL;
	while (end && !isdigit((unsigned char)end[sizeof(ending) - 1]))
		end = strstr(end + 1, ending);
	if (!end)
		return false;
	end += sizeof(ending) - 2; /* at the colon */
	*line = (struct line){.path = name, .path_bytes = (int)(end - name)};
	line->number = strtol(end + 1, NULL, 10);
	return line->path_bytes < PATH_MAX && line->number > 0;
}

static bool is_of(const struct line *a, const struct line *b)
{
	return a->path_bytes == b->path_bytes && memcmp(a->path, b->path, (size_t)a->path_bytes) == 0;
}

/* A line launches in a forward and in a backward pass. */
static bool has_line(const struct lines *lines, const struct line *line)
{
	for (size_t i = 0; i < lines->n; i++)
		if (lines->at[i].number == line->number && is_of(&lines->at[i], line))
			return true;
	return false;
}

static int find_lines(struct lines *lines, const struct summary *summary)
{
	struct line line;
	lines->at = calloc(LINES_MOST, sizeof(*lines->at));
	if (!lines->at)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_sites && lines->n < LINES_MOST; i++)
		if (summary->sites[i].by == SITE_LINE &&
			parse(summary_text(summary, summary->sites[i].what), &line) && !has_line(lines, &line))
			lines->at[lines->n++] = line;
	return 0;
}

/* Whether links led to a Python file too: another user's x.py may be a link to a file with secrets. */
static bool is_python(int fd)
{
	static const char ending[] = ".py";
	char link[32], path[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	const ssize_t bytes = readlink(link, path, sizeof(path));
	return bytes > (ssize_t)strlen(ending) && bytes < (ssize_t)sizeof(path) &&
		   memcmp(path + bytes - strlen(ending), ending, strlen(ending)) == 0;
}

/* The file at `path`; NULL: it is no regular file, too large, or cannot be read. */
static FILE *open_source(const char *path, struct stat *about)
{
	if (stat(path, about) != 0 || !S_ISREG(about->st_mode))
		return NULL;
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *file = NULL;
	if (fd >= 0 && fstat(fd, about) == 0 && S_ISREG(about->st_mode) &&
		about->st_size <= FILE_MOST && is_python(fd))
		file = fdopen(fd, "r");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

static void put_line(struct json *j, const struct line *line, const char *text, bool changed)
{
	char cut[LINE_BYTES + 4], path[PATH_MAX];
	const char *from = text + strspn(text, " \t\f");
	const size_t bytes = strcspn(from, "\r\n");
	snprintf(cut, sizeof(cut), "%.*s%s", (int)(bytes < LINE_BYTES ? bytes : LINE_BYTES), from,
			 bytes > LINE_BYTES ? "..." : "");
	snprintf(path, sizeof(path), "%.*s", line->path_bytes, line->path);
	json_object(j, NULL);
	json_text(j, "file", path);
	json_number(j, "line", line->number);
	json_text(j, "text", cut);
	json_bool(j, "changed", changed);
	json_end_object(j);
}

/* All lines that are in the file of the one at `first`. */
static void put_file(struct json *j, struct lines *lines, size_t first, int64_t recorded)
{
	char path[PATH_MAX], *text = NULL;
	size_t room = 0;
	long last = 0; /* a file may grow while it is read */
	struct stat about;
	for (size_t i = first; i < lines->n; i++)
		if (is_of(&lines->at[i], &lines->at[first]) && lines->at[i].number > last)
			last = lines->at[i].number;
	snprintf(path, sizeof(path), "%.*s", lines->at[first].path_bytes, lines->at[first].path);
	FILE *file = open_source(path, &about);
	for (long number = 1; file && number <= last && getline(&text, &room, file) >= 0; number++)
		for (size_t i = first; i < lines->n; i++) {
			struct line *line = &lines->at[i];
			if (line->number != number || line->done || !is_of(line, &lines->at[first]))
				continue;
			line->done = true;
			put_line(j, line, text, recorded > 0 && about.st_mtime > recorded);
		}
	for (size_t i = first; i < lines->n; i++)
		if (is_of(&lines->at[i], &lines->at[first]))
			lines->at[i].done = true;
	free(text);
	if (file)
		fclose(file);
}

/* When the recording was last written to; 0: not known. */
static int64_t recorded_at(const struct source_page *page)
{
	int64_t last = 0;
	struct stat about;
	for (size_t i = 0; page->views->opened && i < page->views->scene.run.n_processes; i++)
		if (stat(page->views->scene.run.processes[i].path, &about) == 0 && about.st_mtime > last)
			last = about.st_mtime;
	return last;
}

int source_page_write(const void *of, FILE *out)
{
	const struct source_page *page = of;
	struct json json = {.out = out}, *j = &json;
	struct lines lines = {0};
	const int error = page->off ? 0 : find_lines(&lines, page->summary);
	const int64_t recorded = recorded_at(page);
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.source/0");
	json_bool(j, "off", page->off);
	json_array(j, "lines");
	for (size_t i = 0; i < lines.n && !error; i++)
		if (!lines.at[i].done)
			put_file(j, &lines, i, recorded);
	json_end_array(j);
	json_end_object(j);
	free(lines.at);
	return error;
}
