#include "page/page.h"

#include "base/progress.h"
#include "page/template.h"
#include "render/out_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char marker[] = "<!--DOCUMENTS-->";

/* JSON inside of <script>: without '<' nothing in it ends the element or begins a comment. All that
 * is replaced stands inside of JSON's strings only, so what is read is the same. */
static void put_escaped(FILE *out, const char *json, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		const unsigned char c = (unsigned char)json[i];
		const bool separator = c == 0xe2 && i + 2 < bytes && (unsigned char)json[i + 1] == 0x80 &&
							   ((unsigned char)json[i + 2] & 0xfe) == 0xa8;
		if (c == '<' || c == '>' || c == '&') {
			fprintf(out, "\\u%04x", c);
		} else if (separator) { /* U+2028 and U+2029, which end a line of a script */
			fprintf(out, "\\u20%02x", (unsigned char)json[i + 2] - 0x80);
			i += 2;
		} else {
			fputc(c, out);
		}
	}
}

/* What stdio knows of a failed write only while errno is still that of the write. */
static int put_bytes(FILE *out, const char *at, size_t bytes)
{
	errno = 0;
	if (fwrite(at, 1, bytes, out) == bytes)
		return 0;
	return errno ? -errno : -EIO;
}

/* What the page has room for beside what is in `out` already and the end of the template. */
static size_t bytes_left(FILE *out, size_t end)
{
	const long written = ftell(out);
	const size_t taken = (size_t)(written > 0 ? written : 0) + end;
	return taken < PAGE_BYTES ? PAGE_BYTES - taken : 0;
}

static int put_document(FILE *out, const struct page_document *document, size_t end)
{
	char *json = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&json, &bytes);
	if (!memory)
		return -ENOMEM;
	int error = document->write_within
					? document->write_within(document->of, bytes_left(out, end), memory)
					: document->write(document->of, memory);
	if (fclose(memory) != 0 && !error)
		error = -ENOMEM;
	if (!error) {
		fprintf(out, "<script type=\"application/json\" id=\"%s\">", document->id);
		errno = 0;
		put_escaped(out, json, bytes);
		fputs("</script>\n", out);
		if (ferror(out))
			error = errno ? -errno : -EIO;
	}
	free(json);
	return error;
}

/* What is there already may be a recording whose path was given twice. A page, or nothing, it is
 * not. */
static bool is_something_else(const char *path)
{
	static const char begin[] = "<!doctype html";
	char found[sizeof(begin) - 1];
	FILE *file = fopen(path, "rb");
	if (!file)
		return false;
	const size_t bytes = fread(found, 1, sizeof(found), file);
	fclose(file);
	return bytes > 0 && (bytes < sizeof(found) || memcmp(found, begin, sizeof(found)) != 0);
}

static int write_all(const char *path, const struct page_document *documents, size_t n)
{
	struct out_file file;
	const size_t bytes = (size_t)(page_template_end - page_template);
	const char *at = memmem(page_template, bytes, marker, sizeof(marker) - 1);
	int error = at ? out_file_open_path(&file, path) : -ENOTSUP;
	if (error)
		return error;
	error = put_bytes(file.out, page_template, (size_t)(at - page_template));
	at += sizeof(marker) - 1;
	const size_t end = (size_t)(page_template_end - at);
	for (size_t i = 0; i < n && !error; i++) {
		progress_begin("page", "parts", n); /* a part may have the run read, a stage of its own */
		progress_reach(i);
		error = put_document(file.out, &documents[i], end);
	}
	progress_end();
	if (!error)
		error = put_bytes(file.out, at, end);
	return out_file_close(&file, error);
}

enum status page_write(const char *path, const struct page_document *documents, size_t n)
{
	if (is_something_else(path)) {
		diag("%s: holds something else than a page, and is left as it is", path);
		return STATUS_OUTPUT;
	}
	const int error = write_all(path, documents, n);
	if (error)
		diag("%s: %s", path, error == -EEXIST ? "no plain file" : strerror(-error));
	return error ? STATUS_OUTPUT : STATUS_OK;
}
