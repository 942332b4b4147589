/* The ring of correlation ids: the newest N are found, older ones are gone, ids may repeat after that. */
#include "attribute/corr_ring.h"
#include "check.h"

struct item {
	struct corr_head head;
	uint64_t value;
};

enum { ROOM = 64 };

static void newest_are_found(struct corr_ring *ring)
{
	for (uint64_t id = 1; id <= 1000; id++) {
		struct item *item = corr_ring_put(ring, id);
		item->value = 3 * id;
	}
	for (uint64_t id = 1; id <= 1000; id++) {
		const struct item *item = corr_ring_get(ring, id);
		if (id <= 1000 - ROOM)
			CHECK(item == NULL, "id %llu should have fallen out", (unsigned long long)id);
		else
			CHECK(item && item->value == 3 * id, "id %llu is lost or wrong",
				  (unsigned long long)id);
		if (item)
			CHECK(corr_ring_at(ring, item->head.index, id) == item &&
					  !corr_ring_at(ring, item->head.index, id + 1),
				  "the place of id %llu", (unsigned long long)id);
	}
	corr_ring_clear(ring);
	CHECK(corr_ring_get(ring, 1000) == NULL, "something survives clear");
	CHECK(corr_ring_at(ring, 5, 1000 - ROOM + 6) == NULL, "a place survives clear");
}

/* Ids that share their low bits (as a hostile file may choose them) do not share a chain. */
static void chains_stay_short(void)
{
	enum { MANY = 1 << 14 };
	struct corr_ring ring;
	CHECK(corr_ring_open(&ring, MANY, sizeof(struct item), NULL) == 0, "open");
	for (uint64_t i = 0; i < MANY; i++)
		corr_ring_put(&ring, i << 48 | i << CORR_RUN_BITS);
	unsigned longest = 0;
	for (uint32_t h = 0; h < MANY; h++) {
		unsigned n = 0;
		for (uint32_t i = ring.heads[h]; i; i = corr_ring_element(&ring, i - 1)->next)
			n++;
		longest = n > longest ? n : longest;
	}
	CHECK(longest < MANY / 64, "a chain of %u", longest);
	corr_ring_close(&ring, NULL);
}

int main(void)
{
	struct corr_ring ring, other;
	struct corr_store store = {0};
	CHECK(corr_ring_open(&ring, ROOM, sizeof(struct item), &store) == 0, "open");
	newest_are_found(&ring);
	corr_ring_put(&ring, 7);
	corr_ring_close(&ring, &store);
	CHECK(store.kept[0].elements != NULL, "memory is not kept");
	CHECK(corr_ring_open(&other, 2 * ROOM, sizeof(struct item), &store) == 0, "open another");
	CHECK(store.kept[0].elements != NULL, "a ring of another size took the memory");
	CHECK(corr_ring_open(&ring, ROOM, sizeof(struct item), &store) == 0, "open again");
	CHECK(store.kept[0].elements == NULL, "kept memory is not used");
	CHECK(corr_ring_get(&ring, 7) == NULL, "something survives in kept memory");
	newest_are_found(&ring);
	corr_ring_close(&other, &store);
	corr_ring_close(&ring, &store);
	corr_store_free(&store);
	chains_stay_short();
	return finish();
}
