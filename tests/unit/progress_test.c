/* The line of progress: amounts, rate and time left; nothing that is not known yet. */
#include "check.h"
#include "base/progress.h"

#include <string.h>

static void says(const struct progress_state *state, const char *expected)
{
	char text[160];
	progress_text(state, text, sizeof(text));
	CHECK(strcmp(text, expected) == 0, "\"%s\", not \"%s\"", text, expected);
}

int main(void)
{
	const int64_t s = 1000000000;
	says(&(struct progress_state){"reduce runs/x", "GPUs", 587, 960, 2 * s},
		 "reduce runs/x   61 %   587 of 960 GPUs   294/s   1.3 s left");
	says(&(struct progress_state){"import a.json", NULL, 412000000, 980000000, 5 * s},
		 "import a.json   42 %   412.0 MB of 980.0 MB   82.4 MB/s   6.9 s left");
	/* no total: no percent, no time left */
	says(&(struct progress_state){"import -", NULL, 3000000, 0, 3 * s},
		 "import -   3.0 MB   1.0 MB/s");
	/* too early for a rate */
	says(&(struct progress_state){"merge", "parts", 1, 8, s / 10}, "merge   12 %   1 of 8 parts");
	says(&(struct progress_state){"merge", "parts", 0, 8, 9 * s}, "merge   0 %   0 of 8 parts");
	says(&(struct progress_state){"merge", NULL, 0, 0, 9 * s}, "merge");
	/* a slow rate keeps a digit; an estimate that was too low never says 100 % or a negative time */
	says(&(struct progress_state){"x", "files", 3, 6, 2 * s},
		 "x   50 %   3 of 6 files   1.5/s   2.0 s left");
	says(&(struct progress_state){"x", "files", 7, 6, 7 * s}, "x   99 %   7 of 6 files   1.0/s");
	says(&(struct progress_state){"x", "rows", UINT64_MAX, UINT64_MAX, s},
		 "x   99 %   18,446,744,073,709,551,615 of 18,446,744,073,709,551,615 rows   "
		 "18446744073709551616/s");
	char small[12];
	progress_text(&(struct progress_state){"a long name of a run", "GPUs", 1, 2, s}, small,
				  sizeof(small));
	CHECK(strcmp(small, "a long name") == 0, "\"%s\"", small);
	return finish();
}
