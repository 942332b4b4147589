/* Perfetto's TracePackets (protos/perfetto/trace of that project): TrackEvents on tracks, names
 * interned, one packet a time. */
#include "export/timeline_files.h"

#include "export/proto.h"
#include "export/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER_OF = 8,
	TRACK_ORDERING = 11,
	TRACK_RANK = 12,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	PROCESS_LABELS = 8,
	COUNTER_UNIT_NAME = 6,
	EVENT_CATEGORY = 3,
	EVENT_DEBUG = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOWS = 47,
	INTERNED_CATEGORY = 1,
	INTERNED_NAME = 2,
	INTERNED_DEBUG_NAME = 3,
	INTERNED_IID = 1,
	INTERNED_TEXT = 2,
	DEBUG_NAME = 1,
	DEBUG_UINT = 3
};

enum { SLICE_BEGIN = 1, SLICE_END = 2, COUNTER = 4 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2, SEQUENCE = 1, EXPLICIT = 3 };

/* The tracks of processes have numbers of their own. */
#define PROCESS_UUID ((uint64_t)1 << 40)

enum { FACTS = 4, FRESH_MOST = FACTS + 2 };

struct fresh { /* an interned text that the packet at hand uses first */
	unsigned field;
	uint64_t iid;
	const char *text;
};

struct perfetto {
	FILE *out;
	const struct scene *scene;
	struct proto packet;
	size_t in_packet;
	struct strings names, categories, debug_names; /* each with iids from 1 */
	struct fresh fresh[FRESH_MOST];
	size_t n_fresh;
	bool begun;
};

static void begin_packet(struct perfetto *p)
{
	p->packet.n = 0;
	p->in_packet = proto_begin(&p->packet, TRACE_PACKET);
	proto_varint(&p->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_varint(&p->packet, PACKET_FLAGS, p->begun ? NEEDS_STATE : NEEDS_STATE | STATE_CLEARED);
	p->begun = true;
}

static int end_packet(struct perfetto *p)
{
	proto_end(&p->packet, p->in_packet);
	if (p->packet.error)
		return p->packet.error;
	errno = 0;
	if (fwrite(p->packet.at, 1, p->packet.n, p->out) != p->packet.n)
		return errno ? -errno : -EIO;
	return 0;
}

/* The iid of a text. A new one is noted: a packet has one place for all that are new in it. */
static uint64_t intern(struct perfetto *p, struct strings *pool, unsigned field, const char *text)
{
	uint32_t id = 0;
	int is_new = 0;
	text = *text ? text : "(unnamed)";
	if (strings_add(pool, text, strlen(text), &id, &is_new) != 0)
		p->packet.error = -ENOMEM;
	if (is_new)
		p->fresh[p->n_fresh++] = (struct fresh){field, id, strings_get(pool, id).at};
	return id;
}

static void put_fresh(struct perfetto *p)
{
	if (!p->n_fresh)
		return;
	const size_t data = proto_begin(&p->packet, PACKET_INTERNED);
	for (size_t i = 0; i < p->n_fresh; i++) {
		const size_t entry = proto_begin(&p->packet, p->fresh[i].field);
		proto_varint(&p->packet, INTERNED_IID, p->fresh[i].iid);
		proto_text(&p->packet, INTERNED_TEXT, p->fresh[i].text);
		proto_end(&p->packet, entry);
	}
	proto_end(&p->packet, data);
	p->n_fresh = 0;
}

static uint64_t debug_name(struct perfetto *p, const char *name)
{
	return intern(p, &p->debug_names, INTERNED_DEBUG_NAME, name);
}

static void put_process_name(struct perfetto *p, const struct walk_process *process)
{
	char name[512];
	if (process->rank >= 0)
		snprintf(name, sizeof(name), "rank %d (%s, pid %lld)", process->rank, process->host,
				 (long long)process->pid);
	else
		snprintf(name, sizeof(name), "%s, pid %lld", process->host, (long long)process->pid);
	proto_text(&p->packet, PROCESS_NAME, name);
}

/* Processes of two hosts may have one pid, so it is their position in the order of ranks, from 1. */
static int put_process(void *of, const struct walk_process *process)
{
	struct perfetto *p = of;
	char words[CLOCK_WORDS];
	begin_packet(p);
	const size_t track = proto_begin(&p->packet, PACKET_TRACK);
	proto_varint(&p->packet, TRACK_UUID, PROCESS_UUID + process->position);
	proto_varint(&p->packet, TRACK_ORDERING, EXPLICIT);
	const size_t descriptor = proto_begin(&p->packet, TRACK_PROCESS);
	proto_varint(&p->packet, PROCESS_PID, process->position + 1);
	put_process_name(p, process);
	proto_text(&p->packet, PROCESS_LABELS, scene_clock_words(p->scene, words));
	proto_end(&p->packet, descriptor);
	proto_end(&p->packet, track);
	return end_packet(p);
}

static int put_track(void *of, const struct walk_track *track)
{
	struct perfetto *p = of;
	begin_packet(p);
	const size_t place = proto_begin(&p->packet, PACKET_TRACK);
	proto_varint(&p->packet, TRACK_UUID, track->id);
	proto_varint(&p->packet, TRACK_PARENT, PROCESS_UUID + track->process);
	proto_text(&p->packet, TRACK_NAME, track->name);
	proto_varint(&p->packet, TRACK_RANK, track->kind);
	if (track->kind == TRACK_COUNTER) {
		const size_t counter = proto_begin(&p->packet, TRACK_COUNTER_OF);
		if (*track->unit)
			proto_text(&p->packet, COUNTER_UNIT_NAME, track->unit);
		proto_end(&p->packet, counter);
	}
	proto_end(&p->packet, place);
	return end_packet(p);
}

struct fact {
	uint64_t name;
	int64_t value;
};

/* What is worth a look when a slice is selected. */
static size_t facts_of(struct perfetto *p, const struct walk_slice *s, struct fact facts[FACTS])
{
	size_t n = 0;
	const struct walk_row *row = s->row;
	if (!row)
		return 0;
	if (row->table == BATON_OP || row->table == BATON_CALL)
		facts[n++] = (struct fact){debug_name(p, "correlation"), row->value[OP_CORRELATION]};
	if (row->table == BATON_OP && row->present >> OP_BYTES & 1)
		facts[n++] = (struct fact){debug_name(p, "bytes"), row->value[OP_BYTES]};
	if (s->coll && s->coll->present >> COLL_BYTES & 1)
		facts[n++] = (struct fact){debug_name(p, "collective bytes"), s->coll->value[COLL_BYTES]};
	if (s->coll && s->coll->present >> COLL_SEQUENCE & 1)
		facts[n++] = (struct fact){debug_name(p, "sequence"), s->coll->value[COLL_SEQUENCE]};
	return n;
}

_Static_assert((int)OP_CORRELATION == (int)CALL_CORRELATION, "one column of both tables");

static int put_begin(void *of, const struct walk_slice *s)
{
	struct perfetto *p = of;
	struct fact facts[FACTS];
	begin_packet(p);
	const uint64_t name = intern(p, &p->names, INTERNED_NAME, s->name);
	const uint64_t category = intern(p, &p->categories, INTERNED_CATEGORY, s->category);
	const size_t n = facts_of(p, s, facts);
	put_fresh(p);
	proto_varint(&p->packet, PACKET_TIMESTAMP, (uint64_t)s->start_ns);
	const size_t event = proto_begin(&p->packet, PACKET_EVENT);
	proto_varint(&p->packet, EVENT_TYPE, SLICE_BEGIN);
	proto_varint(&p->packet, EVENT_TRACK, s->track);
	proto_varint(&p->packet, EVENT_NAME, name);
	proto_varint(&p->packet, EVENT_CATEGORY, category);
	for (int i = 0; i < 2; i++)
		if (s->flows[i])
			proto_fixed64(&p->packet, EVENT_FLOWS, s->flows[i]);
	for (size_t i = 0; i < s->n_peers; i++)
		proto_fixed64(&p->packet, EVENT_FLOWS, s->peers[i].meeting);
	for (size_t i = 0; i < n; i++) {
		const size_t debug = proto_begin(&p->packet, EVENT_DEBUG);
		proto_varint(&p->packet, DEBUG_NAME, facts[i].name);
		proto_varint(&p->packet, DEBUG_UINT, (uint64_t)facts[i].value);
		proto_end(&p->packet, debug);
	}
	proto_end(&p->packet, event);
	return end_packet(p);
}

static int put_end(void *of, uint32_t track, int64_t ns)
{
	struct perfetto *p = of;
	begin_packet(p);
	proto_varint(&p->packet, PACKET_TIMESTAMP, (uint64_t)ns);
	const size_t event = proto_begin(&p->packet, PACKET_EVENT);
	proto_varint(&p->packet, EVENT_TYPE, SLICE_END);
	proto_varint(&p->packet, EVENT_TRACK, track);
	proto_end(&p->packet, event);
	return end_packet(p);
}

static int put_counter(void *of, uint32_t track, int64_t ns, int64_t value)
{
	struct perfetto *p = of;
	begin_packet(p);
	proto_varint(&p->packet, PACKET_TIMESTAMP, (uint64_t)ns);
	const size_t event = proto_begin(&p->packet, PACKET_EVENT);
	proto_varint(&p->packet, EVENT_TYPE, COUNTER);
	proto_varint(&p->packet, EVENT_TRACK, track);
	proto_varint(&p->packet, EVENT_COUNTER_VALUE, (uint64_t)value);
	proto_end(&p->packet, event);
	return end_packet(p);
}

static int write_perfetto(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded)
{
	struct perfetto p = {.out = out, .scene = scene};
	const struct walk_sink sink = {.of = &p,
								   .sends = true,
								   .process = put_process,
								   .track = put_track,
								   .begin = put_begin,
								   .end = put_end,
								   .counter = put_counter};
	(void)dir;
	int error = strings_init(&p.names);
	if (!error)
		error = strings_init(&p.categories);
	if (!error)
		error = strings_init(&p.debug_names);
	if (!error)
		error = walk(scene, &sink, crowded);
	strings_free(&p.names);
	strings_free(&p.categories);
	strings_free(&p.debug_names);
	free(p.packet.at);
	return error;
}

int timeline_perfetto(const struct export_job *job)
{
	static const struct timeline_form form = {.directory = false, .write = write_perfetto};
	return timeline_write(job, &form);
}
