/* Work of the devices of a process, with the flows that lead to it. */
#include "export/walking.h"

#include "base/room.h"
#include "base/saturate.h"
#include "export/op_words.h"
#include "export/together.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_ROOM = 1024 };

static int tell_flow(struct walking *w, enum walk_flow_kind kind, struct walk_place from,
					 struct walk_place to)
{
	const struct walk_flow flow = {w->next_flow++, kind, from, to};
	return w->sink->flow(w->sink->of, &flow);
}

/* From the member that was shown before, by the earlier start. */
static int meet(struct walking *w, uint64_t id, struct walk_place here)
{
	const enum walk_flow_kind kind = id >= PEERS_BITS ? FLOW_SEND : FLOW_COLLECTIVE;
	const size_t before = w->n_meetings;
	struct shown_meeting *m =
		table_row(&w->meeting_ids, TABLE_ROWS(w->meetings, w->n_meetings, id), &id);
	int error = 0;
	if (!m)
		return -ENOMEM;
	const struct walk_place there = {(uint32_t)m->track, m->ns};
	if (w->n_meetings == before)
		error =
			there.ns <= here.ns ? tell_flow(w, kind, there, here) : tell_flow(w, kind, here, there);
	m->ns = here.ns;
	m->track = here.track;
	return error;
}

static int tell_flows(struct walking *w, const struct walk_slice *s, const struct launch *launch)
{
	const struct walk_place here = {s->track, s->start_ns};
	int error = 0;
	if (!w->sink->flow || !s->track)
		return 0;
	if (launch->call.track)
		error = tell_flow(w, FLOW_LAUNCH, launch->call, here);
	if (!error && launch->meeting)
		error = meet(w, launch->meeting, here);
	for (size_t i = 0; !error && i < s->n_peers; i++)
		error = meet(w, s->peers[i].meeting, here);
	return error;
}

/* What was launched and has not ended. */
static int note_queue(struct walking *w, const struct walk_slice *s, int64_t launched,
					  uint32_t device)
{
	for (int i = 0; i < 2; i++) {
		if (room_for((void **)&w->queue, w->n_queue, &w->queue_room, LEAST_ROOM,
					 sizeof(*w->queue)) != 0)
			return -ENOMEM;
		w->queue[w->n_queue++] =
			i ? (struct queue_change){saturate_add(s->start_ns, s->dur_ns), -1, device}
			  : (struct queue_change){launched, 1, device};
	}
	return 0;
}

static const char *op_category(int64_t kind)
{
	static const char *const names[] = {"op", "kernel", "memcpy", "memset", "graph"};
	return names[kind >= 0 && kind < 5 ? kind : 0];
}

static int put_op(struct walking *w, const struct walk_row *row)
{
	char text[OP_WORDS_BYTES];
	const struct launch *launch = launches_find(&w->launches, (uint64_t)row->value[OP_CORRELATION]);
	const uint32_t stream = idmap_get(&w->trace->stream_ids, (uint64_t)row->value[OP_STREAM]);
	struct walk_slice s = {.kind = WALK_OP, .row = row, .trace = w->trace};
	s.start_ns = scene_time(w->scene, w->process, row->value[ROW_START]);
	s.dur_ns = row->value[ROW_DUR];
	s.name = op_words(row, w->trace, text);
	s.category = op_category(row->value[OP_KIND]);
	if (launch && launch->call.track) {
		s.flows[0] = w->launches.first_flow + (uint64_t)(launch - w->launches.at);
		s.op_number = launch->op_number;
	}
	if (launch) {
		s.flows[1] = launch->meeting;
		s.n_peers = peers_of(&w->peers, w->process, launch->correlation, &s.peers);
		s.coll = launch->coll ? &w->launches.colls[launch->coll - 1] : NULL;
	}
	int error = walking_put(w, &w->lanes[stream], &s);
	if (!error && launch)
		error = tell_flows(w, &s, launch);
	if (!error && launch && launch->call.track && w->sink->counter)
		error = note_queue(w, &s, launch->call.ns, w->trace->streams[stream].device);
	return error;
}

static void name_streams(struct walking *w)
{
	for (uint32_t i = 0; i < w->trace->n_streams; i++) {
		const struct trace_stream *stream = &w->trace->streams[i];
		struct walk_track *track = &w->lanes[i].of;
		*track = (struct walk_track){.kind = TRACK_STREAM,
									 .process = w->position,
									 .device = w->trace->devices[stream->device].ordinal,
									 .number = stream->stream,
									 .unit = ""};
		snprintf(track->name, sizeof(track->name), "GPU %d stream %" PRId64, track->device,
				 stream->stream);
	}
}

static int put_ops(struct walking *w)
{
	static const unsigned kind = BATON_OP;
	struct together t = {.from_ns = w->scene->from_ns[w->process],
						 .to_ns = w->scene->to_ns[w->process]};
	int error = together_open(&t, w->trace, &kind, 1);
	while (!error) {
		error = together_next(&t);
		if (error || t.n == 0)
			break;
		for (size_t i = 0; !error && i < t.n; i++)
			error = put_op(w, &t.at[i].row);
	}
	together_close(&t);
	return error;
}

int walk_ops(struct walking *w)
{
	w->lanes = calloc(w->trace->n_streams, sizeof(*w->lanes));
	if (!w->lanes)
		return -ENOMEM;
	name_streams(w);
	int error = put_ops(w);
	for (uint32_t i = 0; i < w->trace->n_streams; i++) {
		const int closed = lanes_close(&w->lanes[i], w->sink);
		error = error ? error : closed;
	}
	free(w->lanes);
	w->lanes = NULL;
	return error;
}
