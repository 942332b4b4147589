#include "virtual/account/waits.h"

#include "engine/room.h"

enum { MOST_HOPS = 16 };

struct walk {
	struct waits *waits;
	const struct account *const *all;
};

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void add(struct waits *waits, struct waits_piece piece)
{
	struct waits_piece *last = waits->n ? &waits->at[waits->n - 1] : NULL;
	if (piece.to_ns <= piece.from_ns)
		return;
	if (last && last->to_ns == piece.from_ns && last->kind == piece.kind &&
		last->cause == piece.cause && last->device == piece.device) {
		last->to_ns = piece.to_ns;
		return;
	}
	waits->at = room_for(waits->at, waits->n, &waits->room, 64, sizeof(*waits->at));
	waits->at[waits->n++] = piece;
}

/* The first piece of idle time, span or meeting that ends after at_ns. */
static size_t first_after(const void *at, size_t n, size_t size, size_t end_at, int64_t at_ns)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *entry = (const char *)at + middle * size;
		if (*(const int64_t *)(const void *)(entry + end_at) <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#define FIRST_AFTER(at, n, end, at_ns) \
	first_after(at, n, sizeof(*(at)), offsetof(__typeof__(*(at)), end), at_ns)

/* At from_ns: the meeting that is under way, one that moves its data before one that waits, the
 * first that began before others. *until_ns: how long that holds. NULL: none runs. */
static const struct account_meeting *meeting_at(const struct account *a, int64_t from_ns,
												int64_t *until_ns)
{
	const struct account_meeting *best = NULL;
	for (size_t i = FIRST_AFTER(a->meetings, a->n_meetings, end_ns, from_ns);
		 i < a->n_meetings && a->meetings[i].end_ns - a->longest_ns <= *until_ns; i++) {
		const struct account_meeting *m = &a->meetings[i];
		if (m->start_ns > from_ns) {
			*until_ns = earlier(*until_ns, m->start_ns);
			continue;
		}
		bool moves = m->last_ns <= from_ns;
		*until_ns = earlier(*until_ns, moves ? m->end_ns : m->last_ns);
		if (!best || (moves && best->last_ns > from_ns) ||
			(moves == (best->last_ns <= from_ns) && m->start_ns < best->start_ns))
			best = m;
	}
	return best;
}

static void follow(const struct walk *walk, uint32_t device, struct waits_piece span, int hops);

/* The device runs collectives alone in the span. */
static void exposed(const struct walk *walk, uint32_t device, struct waits_piece span, int hops)
{
	while (span.from_ns < span.to_ns) {
		int64_t until = span.to_ns;
		const struct account_meeting *m = meeting_at(walk->all[device], span.from_ns, &until);
		struct waits_piece piece = {span.from_ns, until, WAITS_TRANSFER, CAUSE_NONE, device};
		if (m && m->last_ns > span.from_ns && m->last != device)
			follow(walk, m->last, piece, hops + 1);
		else
			add(walk->waits, piece);
		span.from_ns = until;
	}
}

/* What the device did in the span. */
static void follow(const struct walk *walk, uint32_t device, struct waits_piece span, int hops)
{
	const struct account *a = walk->all[device];
	if (hops > MOST_HOPS) {
		span.kind = WAITS_CIRCLE, span.device = device;
		add(walk->waits, span);
		return;
	}
	size_t i = FIRST_AFTER(a->idle, a->n, to_ns, span.from_ns);
	size_t e = FIRST_AFTER(a->exposed, a->n_exposed, to_ns, span.from_ns);
	while (span.from_ns < span.to_ns) {
		int64_t idle = i < a->n ? a->idle[i].from_ns : INT64_MAX;
		int64_t bare = e < a->n_exposed ? a->exposed[e].from_ns : INT64_MAX;
		struct waits_piece piece = {span.from_ns, span.to_ns, WAITS_WORK, CAUSE_NONE, device};
		if (later(span.from_ns, earlier(idle, bare)) > span.from_ns) { /* neither yet */
			piece.to_ns = earlier(span.to_ns, earlier(idle, bare));
			add(walk->waits, piece);
		} else if (idle <= span.from_ns) {
			piece.to_ns = earlier(span.to_ns, a->idle[i].to_ns);
			piece.kind = WAITS_IDLE, piece.cause = (enum cause)a->idle[i++].cause;
			add(walk->waits, piece);
		} else {
			piece.to_ns = earlier(span.to_ns, a->exposed[e++].to_ns);
			exposed(walk, device, piece, hops);
		}
		span.from_ns = piece.to_ns;
	}
}

void waits_of(struct waits *waits, const struct account *const *all, uint32_t index)
{
	const struct walk walk = {waits, all};
	const struct account *a = all[index];
	for (size_t i = 0; i < a->n_exposed; i++)
		exposed(&walk, index,
				(struct waits_piece){a->exposed[i].from_ns, a->exposed[i].to_ns, WAITS_TRANSFER,
									 CAUSE_NONE, index},
				0);
}
