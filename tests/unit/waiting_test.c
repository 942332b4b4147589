/* Threads come out by the begin of their calls, and only those that begin before. */
#include "attribute/waiting.h"
#include "check.h"

int main(void)
{
	enum { N = 1000 };
	struct waiting waiting = {0};
	uint32_t thread = 0;
	CHECK(!waiting_pop(&waiting, INT64_MAX, &thread), "nobody waits");
	for (uint32_t i = 0; i < N; i++)
		CHECK(waiting_push(&waiting, i * 617 % N / 2, i) == 0, "no memory");
	CHECK(!waiting_pop(&waiting, 0, &thread), "a call that begins then is not before it");
	for (int64_t to = 1; to <= N / 2; to += 1)
		for (int k = 0; k < 2; k++) {
			CHECK(waiting_pop(&waiting, to, &thread) && thread * 617 % N / 2 == to - 1,
				  "thread %u before %lld", thread, (long long)to);
		}
	CHECK(waiting.n == 0 && !waiting_pop(&waiting, INT64_MAX, &thread), "all are out");
	waiting_close(&waiting);
	return finish();
}
