/* Prints what a fixture of the GPU probe holds: fixture_dump FILE. Status 3: not a sound one. */
#include "fixture.h"

#include <inttypes.h>

static void dump_buffer(const struct fixture_view *view)
{
	printf("buffer: %" PRIu64 " of %" PRIu64 " bytes, %u records, stream %u, asked by %u, done by "
		   "%u at %" PRId64 "\n",
		   view->head.valid, view->head.size, view->head.records, view->head.stream,
		   view->head.request_tid, view->head.done_tid, view->head.done_ns);
}

int main(int argc, char **argv)
{
	struct fixture f;
	char why[600];
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: fixture_dump FILE\n");
		return 2;
	}
	if (fixture_load(&f, argv[1], why, sizeof(why)) != 0) {
		fprintf(stderr, "fixture_dump: %s\n", why);
		return 3;
	}
	printf("CUPTI %u, driver %u\n%.*s", f.header.cupti_version, f.header.driver_version,
		   (int)f.meta_bytes, f.meta);
	printf("%zu buffers, %zu names, %zu calls\n", f.buffer_count, f.name_count, f.call_count);
	for (i = 0; i < f.buffer_count; i++)
		dump_buffer(&f.buffers[i]);
	fixture_free(&f);
	return fflush(stdout) || ferror(stdout) ? 5 : 0;
}
