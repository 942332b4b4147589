/* What a run's step would be without some of its losses, one after the other. */
#ifndef GRAPH_WHATIF_H
#define GRAPH_WHATIF_H

#include "conclude/gain_reference.h"
#include "graph/replayed.h"
#include "graph/speeds.h"
#include "graph/whatif_words.h"

struct whatif {
	const char *dir, *host; /* host NULL: all */
	bool json;
	struct taken_list list;
	const char *like;                /* --like: its directory; or NULL */
	struct speeds speeds;            /* of that run */
	int64_t step_ns, unexplained_ns; /* as measured */
	bool sized;                      /* little enough is unexplained */
	int status;                      /* enum status: what was asked for is not in the run */
};

/* Fills the gains of the list; of an empty list what the replay finds. 0 or -errno. */
int whatif_ask(struct whatif *whatif, struct replayed *replayed);

/* The name of a unit's host. */
const char *whatif_host(const struct replayed *replayed, const struct unit *unit);
enum gain_reference whatif_reference(const struct taken *taken);
/* Is it about collectives, which it can change only where their members met? */
bool whatif_of_transfers(const struct taken *taken);

#endif
