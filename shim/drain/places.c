#include "drain/places.h"

#include "drain/trace.h"
#include "ring/dict.h"
#include "sources/cupti/cupti_contexts.h"
#include "sources/cupti/cupti_streams.h"
#include "sources/device/device.h"

#include <baton/format.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 64 };

static struct place {
	uint32_t device, context, stream, id;
} * places;
static uint32_t n_places, room;
static uint32_t device_ids[DEVICES];

static void write_device(uint32_t ordinal)
{
	struct device_facts facts;
	device_ask((int)ordinal, &facts);
	struct baton_r_device row = {.id = device_ids[ordinal],
								 .ordinal = (int32_t)ordinal,
								 .name = dict_string(facts.name, strlen(facts.name)),
								 .uuid = facts.uuid[0] ? dict_string(facts.uuid, strlen(facts.uuid))
													   : 0,
								 .memory_bytes = facts.memory_bytes,
								 .sm_count = facts.sm_count};
	trace_record(BATON_R_DEVICE, &row, sizeof(row));
}

uint32_t places_device(uint32_t ordinal)
{
	if (ordinal >= DEVICES)
		return 0;
	if (!device_ids[ordinal]) {
		device_ids[ordinal] = dict_id();
		write_device(ordinal);
	}
	return device_ids[ordinal];
}

static uint32_t add(struct place place)
{
	if (n_places == room) {
		struct place *larger = realloc(places, (room ? 2ul * room : 64) * sizeof(*larger));
		if (!larger)
			return 0;
		places = larger;
		room = room ? 2 * room : 64;
	}
	struct baton_r_stream row = {.id = place.id = dict_id(),
								 .device = places_device(place.device),
								 .context = place.context,
								 .stream = place.stream};
	trace_record(BATON_R_STREAM, &row, sizeof(row));
	struct baton_r_priority priority = {.stream = place.id};
	if (cupti_streams_priority(place.context, place.stream, &priority.priority, &priority.kind))
		trace_record(BATON_R_PRIORITY, &priority, sizeof(priority));
	places[n_places++] = place;
	return place.id;
}

uint32_t places_stream(uint32_t device, uint32_t context, uint32_t stream)
{
	for (uint32_t i = n_places; i-- > 0;)
		if (places[i].stream == stream && places[i].context == context &&
			places[i].device == device)
			return places[i].id;
	return add((struct place){device, context, stream, 0});
}

/* Numbers of contexts are the process's, not a device's. */
uint32_t places_stream_id(void *unused, uint32_t context, uint32_t stream)
{
	(void)unused;
	for (uint32_t i = n_places; i-- > 0;)
		if (places[i].stream == stream && places[i].context == context)
			return places[i].id;
	int device = cupti_contexts_device(context);
	return device < 0 ? 0 : add((struct place){(uint32_t)device, context, stream, 0});
}

uint32_t places_device_id(void *unused, uint32_t context)
{
	(void)unused;
	int device = cupti_contexts_many() ? cupti_contexts_device(context) : -1;
	return device < 0 ? 0 : places_device((uint32_t)device);
}

void places_forget(void)
{
	n_places = 0;
	memset(device_ids, 0, sizeof(device_ids));
}
