#include "steps/cycles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_BACK = 8, /* how many false occurrences in a row are passed over */
	GAIN = 3,      /* an occurrence outweighs that many missing ones */
	NEAR = 16,     /* so far back the begin of a turn is put when its first places are lost */
	AROUND = 3,    /* so many places the first occurrence may be off the begin of a turn */
	FAR = 4,       /* so many times the usual distance is too far */
};

struct occurrence {
	uint32_t at;
	uint32_t launch;
	uint32_t strangers; /* positions before it with tokens of no member */
	uint32_t place;
	int64_t score;
	uint32_t before; /* index of the occurrence before it in the chain; its own: none */
	uint32_t turn;
	bool burst; /* it ends a burst, which may end early */
	bool kept;
	bool torn; /* much more than usual lies between it and the next */
};

/* place[p] = 1 + the number, in the motif, of the member that occurs at p; 0 none */
static void put_members(const struct recurrences *r, const struct motif *motif, uint32_t *place)
{
	for (uint32_t m = 0; m < motif->n; m++) {
		const struct recurrence *recurrence = &r->list[motif->members[m]];
		for (uint32_t i = 0; i < recurrence->n; i++)
			place[r->at[recurrence->first + i]] = m + 1;
	}
}

/* member[p]: is the token at p one of the motif's. */
static void mark_tokens(const struct recurrences *r, const struct motif *motif, bool *member)
{
	for (uint32_t m = 0; m < motif->n; m++) {
		const struct recurrence *recurrence = &r->list[motif->members[m]];
		while (recurrence > r->list && recurrence[-1].token == recurrence->token)
			recurrence--; /* its first: all occurrences */
		for (uint32_t i = 0; i < recurrence->n; i++)
			member[r->at[recurrence->first + i]] = true;
	}
}

/* The fullest interval between two positions of the pivot: the one to take the order from. */
static struct cycle fullest(const struct recurrences *r, const struct recurrence *pivot,
							const uint32_t *place, uint32_t *seen_in)
{
	const uint32_t *at = r->at + pivot->first;
	struct cycle best = {0, 0};
	uint32_t most = 0;
	for (uint32_t i = 0; i + 1 < pivot->n; i++) {
		uint32_t members = 0;
		for (uint32_t p = at[i]; p < at[i + 1]; p++) {
			members += place[p] && seen_in[place[p]] != i + 1;
			seen_in[place[p]] = i + 1;
		}
		if (members > most) {
			most = members;
			best = (struct cycle){at[i], at[i + 1]};
		}
	}
	return best;
}

/* Replaces member numbers by places in the order of one interval; members not in it fall away. */
static size_t order_members(const struct recurrences *r, const struct motif *motif, uint32_t *place,
							uint32_t *scratch, bool *burst)
{
	struct cycle model = fullest(r, &r->list[motif->pivot], place, scratch);
	size_t places = 0;
	for (size_t m = 0; m <= motif->n; m++)
		scratch[m] = 0;
	for (uint32_t p = model.begin; p < model.end; p++)
		if (place[p] && !scratch[place[p]])
			scratch[place[p]] = (uint32_t)++places;
	for (uint32_t p = 0; p < r->positions; p++)
		place[p] = scratch[place[p]]; /* scratch[0] is 0 */
	for (uint32_t m = 0; m < motif->n; m++) {
		const struct recurrence *recurrence = &r->list[motif->members[m]];
		burst[scratch[m + 1]] = recurrence->n < recurrence->weight;
	}
	return places;
}

/* The chain of occurrences that goes round the order with the fewest left out: each may follow one
 * of the few before it, and pays for the places it skips. */
static uint32_t chain_occurrences(struct occurrence *occurrences, uint32_t n, uint32_t places)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < n; i++) {
		occurrences[i].score = GAIN;
		occurrences[i].before = i;
		for (uint32_t k = i; k-- > 0 && i - k <= LOOK_BACK;) {
			uint32_t skipped = (occurrences[i].place + places - occurrences[k].place - 1) % places;
			int64_t score = occurrences[k].score + GAIN - skipped;
			if (score <= occurrences[i].score)
				continue;
			occurrences[i].score = score;
			occurrences[i].before = k;
		}
		if (occurrences[i].score > occurrences[best].score)
			best = i;
	}
	return best;
}

/* How many places on the next occurrence is. */
static uint32_t places_ahead(const struct occurrence *occurrence, uint32_t places)
{
	return (occurrence[1].place + places - occurrence->place - 1) % places + 1;
}

/* Launches between an occurrence and the next. */
static uint32_t apart(const struct occurrence *occurrence)
{
	return occurrence[1].launch - occurrence->launch - 1;
}

/* far[place] = the most launches that may lie between an occurrence of this place and the next, if
 * that is of the next place: several times the usual, and a good part of a turn. */
static void measure_gaps(const struct occurrence *occurrences, uint32_t n, uint32_t places,
						 uint64_t *far)
{
	uint64_t *times = far + places,
			 around = n ? (occurrences[n - 1].launch - occurrences[0].launch) : 0;
	around = n > places ? around * places / n : around;
	memset(far, 0, 2 * (size_t)places * sizeof(*far));
	for (uint32_t i = 0; i + 1 < n; i++) {
		if (places_ahead(&occurrences[i], places) > 1)
			continue;
		far[occurrences[i].place] += apart(&occurrences[i]);
		times[occurrences[i].place]++;
	}
	for (uint32_t p = 0; p < places; p++)
		far[p] = times[p] ? FAR * far[p] / times[p] + around / 8 + FAR : UINT32_MAX;
}

static bool torn(const struct occurrence *occurrence, const uint64_t *far, uint32_t places)
{
	uint64_t most = 0;
	uint32_t ahead = places_ahead(occurrence, places);
	for (uint32_t k = 0; k < ahead; k++)
		most += far[(occurrence->place + k) % places];
	return apart(occurrence) > (occurrence->burst ? 2 * most : most);
}

/* Launches of kernels outside the motif between two occurrences. */
static uint32_t strange(const struct occurrence *occurrence)
{
	return occurrence[1].strangers - occurrence->strangers;
}

/* The place a turn begins with: that of the first occurrence, unless most of the launches of other
 * kernels come before a place nearby (the first turn lost its front, or something stands before
 * it). */
static uint32_t first_place(const struct occurrence *occurrences, uint32_t n, uint32_t places)
{
	uint64_t sum[2 * AROUND + 1] = {0}, total = 0;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t ahead =
			(occurrences[i].place + places - occurrences[0].place % places + AROUND) % places;
		if (places_ahead(&occurrences[i - 1], places) > 2)
			continue;
		total += strange(&occurrences[i - 1]);
		if (ahead <= 2 * AROUND)
			sum[ahead] += strange(&occurrences[i - 1]);
	}
	uint32_t best = AROUND;
	for (uint32_t k = 0; k <= 2 * AROUND && k < places; k++)
		if (sum[k] * 5 > total * 3 && total * places * 4 > n)
			best = k;
	return (occurrences[0].place + places * AROUND + best - AROUND) % places;
}

/* Moves the chain that ends at occurrences[last] to the front and numbers the turns; a turn begins
 * with the place the chain begins with. Returns the length of the chain. */
static uint32_t unwind(struct occurrence *occurrences, uint32_t last, uint32_t places,
					   uint64_t *far, struct cycles *out)
{
	uint32_t length = 0;
	for (uint32_t i = last;; i = occurrences[i].before) {
		occurrences[i].kept = true;
		if (occurrences[i].before == i)
			break;
	}
	for (uint32_t i = 0; i <= last; i++)
		if (occurrences[i].kept)
			occurrences[length++] = occurrences[i];
	measure_gaps(occurrences, length, places, far);
	uint32_t stray = 0; /* what does not lead into the first turn: a warm-up that shares kernels */
	for (uint32_t i = 0; i + 1 < length && i < LOOK_BACK; i++)
		if (torn(&occurrences[i], far, places) ||
			(i == stray && places_ahead(&occurrences[i], places) > 2))
			stray = i + 1;
	length -= stray;
	memmove(occurrences, occurrences + stray, length * sizeof(*occurrences));
	uint32_t first =
		out->from_first ? occurrences[0].place : first_place(occurrences, length, places);
	out->first = occurrences[0].at;
	uint64_t place = (occurrences[0].place + places - first) % places;
	occurrences[0].turn = 0;
	for (uint32_t i = 1; i < length; i++) {
		uint32_t ahead = places_ahead(&occurrences[i - 1], places);
		place += ahead;
		occurrences[i].turn = (uint32_t)(place / places);
		out->in_order += ahead == 1;
	}
	for (uint32_t i = 0; i < length; i++) {
		occurrences[i].torn = i + 1 < length && torn(&occurrences[i], far, places);
		occurrences[i].place = (occurrences[i].place + places - first) % places;
	}
	return length;
}

/* Where a turn begins: after what, in its first half, stands far before the rest. */
static uint32_t turn_begin(const struct occurrence *occurrences, uint32_t from, uint32_t to,
						   uint32_t places)
{
	uint32_t begin = from;
	for (uint32_t i = from; i + 1 < to && occurrences[i].place < places / 2; i++)
		if (occurrences[i].torn)
			begin = i + 1;
	return begin;
}

/* Where a turn ends: before what, in its second half, stands far after the rest. Of the last layer
 * of a step that may be a part of the next step's first one. */
static uint32_t turn_end(const struct occurrence *occurrences, uint32_t from, uint32_t to,
						 uint32_t places)
{
	for (uint32_t i = from; i + 1 < to; i++)
		if (occurrences[i].torn && occurrences[i].place >= places / 2)
			return i + 1;
	return to;
}

/* lead[place] = how many positions after the begin of a turn this place comes as a rule. */
static void measure_leads(const struct occurrence *occurrences, uint32_t n, uint32_t places,
						  uint64_t *lead)
{
	uint64_t *times = lead + places;
	memset(lead, 0, 2 * (size_t)places * sizeof(*lead));
	for (uint32_t i = 1; i < n; i++) {
		if (occurrences[i].place != occurrences[i - 1].place + 1)
			continue;
		lead[occurrences[i].place] += occurrences[i].at - occurrences[i - 1].at;
		times[occurrences[i].place]++;
	}
	for (uint32_t p = 1; p < places; p++)
		lead[p] = lead[p - 1] + (times[p] ? lead[p] / times[p] : 1);
}

/* Where the turn begins whose first occurrence is occurrences[i]. One lost launch takes all tokens
 * with it that span it: when the first places are missing, as far before the occurrence as they
 * take but for that launch, and after the turn before. */
static uint32_t begin_of(const struct occurrence *occurrences, uint32_t i, uint32_t span,
						 const uint64_t *lead)
{
	uint64_t back = lead[occurrences[i].place] ? lead[occurrences[i].place] - 1 : 0;
	uint32_t room = i ? occurrences[i].at - occurrences[i - 1].at - 1 : 0;
	if (span == 1 || back > NEAR || (i && occurrences[i - 1].turn == occurrences[i].turn))
		return occurrences[i].at;
	return occurrences[i].at - (back < room ? (uint32_t)back : room);
}

/* A turn counts when a quarter of its places occur and its end does. Without the end it is no
 * cycle: when most of it is there it is the front of the next one (micro-batches), else it is
 * something that shares the first kernels (evaluation). */
static void count_turns(const struct occurrence *occurrences, uint32_t n, uint32_t places,
						uint32_t span, uint64_t *lead, struct cycles *out)
{
	uint32_t ending = places / 8 < 2 * span + 3 ? 2 * span + 3 : places / 8, late, begin, next;
	uint32_t turns = occurrences[n - 1].turn + 1;
	bool check = ending * 3 <= places, joined = false;
	uint64_t least =
		places < 8 ? (places + 3) / 4 : 2 * (uint64_t)n / ((places < 12 ? 4 : 5) * (uint64_t)turns);
	measure_leads(occurrences, n, places, lead);
	for (uint32_t i = 0, front = 0; i < n; i = next) {
		for (next = i, late = 0; next < n && occurrences[next].turn == occurrences[i].turn; next++)
			late += occurrences[next].place >= places - ending;
		begin = turn_begin(occurrences, i, next, places);
		if (next - begin < least)
			continue;
		if (check && late * 3 < (turns < 12 ? ending : 1)) {
			front = joined ? front : begin;
			joined = (next - begin) * 2 > places;
			continue;
		}
		out->list[out->n++] =
			(struct cycle){begin_of(occurrences, joined ? front : begin, span, lead),
						   occurrences[turn_end(occurrences, begin, next, places) - 1].at};
		joined = false;
	}
}

int cycles_find(const struct recurrences *recurrences, const struct motif *motif, bool from_first,
				struct cycles *out)
{
	uint32_t *place = calloc((size_t)recurrences->positions + 1, sizeof(*place));
	uint32_t *scratch = calloc(motif->n + 2, sizeof(*scratch));
	bool *member = calloc((size_t)recurrences->positions + 1, sizeof(*member));
	bool *burst = calloc(motif->n + 2, sizeof(*burst));
	uint64_t *far = calloc(2 * motif->n + 2, sizeof(*far));
	struct occurrence *occurrences =
		malloc(((size_t)recurrences->positions + 1) * sizeof(*occurrences));
	*out =
		(struct cycles){.list = malloc(((size_t)recurrences->positions + 1) * sizeof(*out->list)),

						.from_first = from_first};
	int error =
		place && scratch && burst && member && far && occurrences && out->list ? 0 : -ENOMEM;
	if (!error && motif->n) {
		put_members(recurrences, motif, place);
		out->places = order_members(recurrences, motif, place, scratch, burst);
		uint32_t n = 0, strangers = 0;
		mark_tokens(recurrences, motif, member);
		for (uint32_t p = 0; p < recurrences->positions; p++) {
			strangers += !member[p];
			if (place[p])
				occurrences[n++] = (struct occurrence){.at = p,
													   .launch = recurrences->launch[p],
													   .strangers = strangers,
													   .place = place[p] - 1,
													   .burst = burst[place[p]]};
		}
		out->occurrences = n;
		if (n) {
			uint32_t places = (uint32_t)out->places;
			n = unwind(occurrences, chain_occurrences(occurrences, n, places), places, far, out);
			count_turns(occurrences, n, places, recurrences->span, far, out);
		}
	}
	free(place);
	free(scratch);
	free(burst);
	free(member);
	free(far);
	free(occurrences);
	return error;
}

void cycles_free(struct cycles *cycles)
{
	free(cycles->list);
}
