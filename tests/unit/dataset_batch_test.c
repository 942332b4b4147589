/* Rows of a table on their way to a file. Keeps out: texts that readers refuse because they are no UTF-8, numbers that lose their high
 * half in a 32-bit column, unsigned numbers that become negative. */
#include "export/dataset_batch.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static bool becomes(const char *from, const char *to)
{
	size_t bytes;
	char *text = batch_text((struct text){from, (uint32_t)strlen(from)}, &bytes);
	const bool same = text && strcmp(text, to) == 0 && bytes == strlen(to);
	free(text);
	return same;
}

static void test_texts(void)
{
	CHECK(becomes("", ""), "text");
	CHECK(becomes("a\xc3\xa4\xe2\x80\xa8z", "a\xc3\xa4\xe2\x80\xa8z"), "text");
	CHECK(becomes("bad \xff\xc0\x80.", "bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd."), "text");
	CHECK(becomes("cut \xe2\x80", "cut \xef\xbf\xbd\xef\xbf\xbd"), "text");
	CHECK(becomes("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"),
		  "text"); /* a surrogate */
}

static void test_rows(void)
{
	struct batch batch;
	struct cell row[STACK_COLUMNS] = {[STACK_RANK] = cell_int(3),
									  [STACK_NUMBER] = cell_unsigned(UINT64_MAX, 0),
									  [STACK_DEPTH] = cell_int((int64_t)1 << 32),
									  [STACK_FRAME] = cell_text("f")};
	CHECK(batch_open(&batch, &dataset_tables[DATASET_STACKS], 0) == 0, "rows");
	for (int i = 0; i < 1000; i++) {
		row[STACK_PID] = cell_unsigned((uint64_t)i, 0);
		CHECK(batch_add(&batch, row) == 0, "rows");
	}
	CHECK(batch.rows == 1000 && batch.text_bytes == 1, "rows");
	CHECK(batch.columns[STACK_RANK].values[999] == 3 && batch.columns[STACK_RANK].n_null == 0,
		  "rows");
	CHECK(batch.columns[STACK_NUMBER].n_null == 1000 && batch.columns[STACK_DEPTH].n_null == 1000,
		  "rows");
	CHECK(batch.columns[STACK_PID].n_null == 1 && !batch.columns[STACK_PID].known[0], "rows");
	CHECK(batch.columns[STACK_PID].values[999] == 999, "rows");
	CHECK(batch.columns[STACK_FRAME].texts.n == 2 && batch.columns[STACK_FRAME].values[7] == 1,
		  "rows");
	CHECK(batch.columns[STACK_FILE].n_null == 1000, "rows");
	batch_close(&batch);
}

int main(void)
{
	test_texts();
	test_rows();
	return finish();
}
