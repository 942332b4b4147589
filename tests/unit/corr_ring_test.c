/* The ring of correlation ids: the newest N are found, older ones are gone, ids may repeat after that. */
#include "attribute/corr_ring.h"
#include "check.h"

struct item {
	struct corr_head head;
	uint64_t value;
};

int main(void)
{
	enum { ROOM = 64 };
	struct corr_ring ring;
	CHECK(corr_ring_open(&ring, ROOM, sizeof(struct item)) == 0, "open");
	for (uint64_t id = 1; id <= 1000; id++) {
		struct item *item = corr_ring_put(&ring, id);
		CHECK(item->value == 0, "a reused element is not zeroed");
		item->value = 3 * id;
	}
	for (uint64_t id = 1; id <= 1000; id++) {
		const struct item *item = corr_ring_get(&ring, id);
		if (id <= 1000 - ROOM)
			CHECK(item == NULL, "id %llu should have fallen out", (unsigned long long)id);
		else
			CHECK(item && item->value == 3 * id, "id %llu is lost or wrong", (unsigned long long)id);
	}
	corr_ring_clear(&ring);
	CHECK(corr_ring_get(&ring, 1000) == NULL, "something survives clear");
	corr_ring_close(&ring);
	return finish();
}
