#include "import/foreign.h"

#include <string.h>

struct foreign {
	size_t at; /* of the mark; ANYWHERE: somewhere in the head */
	const char *mark;
	size_t bytes;
	const char *words;
};

#define ANYWHERE ((size_t)-1)
#define MARK(text) text, sizeof(text) - 1

/* The first that fits. */
static const struct foreign known[] = {
	{0, MARK(NSYS_REPORT_MARK),
	 "a report of nsys as it was recorded: export it first, nsys export -t sqlite FILE (where "
	 "nsys is in PATH, that is done)"},
	{0, MARK("QDSTRM"),
	 "the raw data of nsys: make a report of it (QdstrmImporter), then nsys "
	 "export -t sqlite"},
	{0, MARK("version https://git-lfs."), "a Git LFS pointer, not the file itself: git lfs pull"},
	{0, MARK("PK\003\004"), "a zip archive: unpack it first"},
	{257, MARK("ustar"), "a tar archive: unpack it first"},
	{0, MARK("\x28\xb5\x2f\xfd"), "compressed with zstd: decompress it first"},
	{0,
	 MARK("\xfd"
		  "7zXZ"),
	 "compressed with xz: decompress it first"},
	{0, MARK("BZh"), "compressed with bzip2: decompress it first"},
	{0, MARK("\x04\x22\x4d\x18"), "compressed with lz4: decompress it first"},
	{0, MARK("PAR1"), "a Parquet file: of nsys the SQLite export is read (nsys export -t sqlite)"},
	{0, MARK("ARROW1"), "an Arrow file: of nsys the SQLite export is read (nsys export -t sqlite)"},
	{0, MARK("\x89HDF\r\n"),
	 "an HDF5 file: of nsys the SQLite export is read (nsys export -t sqlite)"},
	{0, MARK("NVR\0"),
	 "a report of Nsight Compute: it has single kernels, not their times in a job"},
	{0, MARK("\xff\xfe"), "text in UTF-16: write it as UTF-8"},
	{ANYWHERE, MARK("\"rocprofiler-sdk-tool\""),
	 "what rocprofv3 writes: a profile of the PyTorch profiler is read"},
	{ANYWHERE, MARK("[pytorch|profiler|execution_trace"),
	 "an execution trace of PyTorch: the trace of torch.profiler (export_chrome_trace) is read"},
};

static int fits(const struct foreign *foreign, const unsigned char *head, size_t bytes)
{
	if (foreign->at == ANYWHERE)
		return memmem(head, bytes, foreign->mark, foreign->bytes) != NULL;
	return bytes >= foreign->at + foreign->bytes &&
		   memcmp(head + foreign->at, foreign->mark, foreign->bytes) == 0;
}

const char *foreign_words(const unsigned char *head, size_t bytes)
{
	if (bytes == 0)
		return "an empty file";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (fits(&known[i], head, bytes))
			return known[i].words;
	return NULL;
}
