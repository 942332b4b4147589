#include "virtual/machine/meeting.h"

#include "engine/agenda.h"
#include "engine/room.h"
#include "virtual/draw/rng.h"

#include <stdlib.h>

void meetings_open(struct meetings *meetings)
{
	*meetings = (struct meetings){.n_buckets = 4096};
	pthread_mutex_init(&meetings->lock, NULL);
	meetings->buckets = must(calloc(meetings->n_buckets, sizeof(struct meeting *)));
}

static void free_list(struct meeting *list)
{
	for (struct meeting *next; list; list = next) {
		next = list->next;
		free(list->members);
		free(list);
	}
}

void meetings_close(struct meetings *meetings)
{
	for (uint32_t i = 0; i < meetings->n_buckets; i++)
		free_list(meetings->buckets[i]);
	free_list(meetings->free);
	free(meetings->buckets);
	pthread_mutex_destroy(&meetings->lock);
}

static struct meeting *meeting_new(struct meetings *meetings, struct meeting_key key, uint32_t size)
{
	struct meeting *meeting = meetings->free;
	struct meeting_member *members = NULL;
	if (meeting) {
		meetings->free = meeting->next;
		members = meeting->members;
	} else {
		meeting = must(malloc(sizeof(*meeting)));
	}
	*meeting = (struct meeting){.key = key, .size = size, .last_ns = INT64_MIN};
	meeting->members = must(realloc(members, size * sizeof(*members)));
	meetings->open++;
	return meeting;
}

static struct meeting **slot_of(struct meetings *meetings, struct meeting_key key)
{
	uint64_t hash = rng_hash(1, key.comm, key.pair, key.sequence);
	struct meeting **at = &meetings->buckets[hash % meetings->n_buckets];
	while (*at && ((*at)->key.comm != key.comm || (*at)->key.pair != key.pair ||
				   (*at)->key.sequence != key.sequence))
		at = &(*at)->next;
	return at;
}

struct meeting *meetings_arrive(struct meetings *meetings, struct meeting_key key, uint32_t size,
								struct meeting_member who, int64_t at_ns, int64_t transfer_ns)
{
	pthread_mutex_lock(&meetings->lock);
	struct meeting **at = slot_of(meetings, key), *meeting = *at;
	if (!meeting)
		*at = meeting = meeting_new(meetings, key, size);
	if (at_ns > meeting->last_ns || (at_ns == meeting->last_ns && who.host < meeting->last_host)) {
		meeting->last_ns = at_ns;
		meeting->last_host = who.host;
		meeting->last_device = who.device;
	}
	if (transfer_ns > meeting->transfer_ns)
		meeting->transfer_ns = transfer_ns;
	meeting->members[meeting->arrived++] = who;
	if (meeting->arrived < meeting->size)
		meeting = NULL;
	else
		*at = meeting->next;
	pthread_mutex_unlock(&meetings->lock);
	return meeting;
}

void meetings_done(struct meetings *meetings, struct meeting *meeting)
{
	pthread_mutex_lock(&meetings->lock);
	meeting->next = meetings->free;
	meetings->free = meeting;
	meetings->open--;
	pthread_mutex_unlock(&meetings->lock);
}
