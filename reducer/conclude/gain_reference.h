/* What a step without a cause is compared with (docs/GRAPH.md, "Gains"). Pure. */
#ifndef CONCLUDE_GAIN_REFERENCE_H
#define CONCLUDE_GAIN_REFERENCE_H

enum gain_reference {
	REFERENCE_NONE,    /* nothing in the trace says how fast it should be */
	REFERENCE_REMOVAL, /* the time is gone */
	REFERENCE_STEPS,   /* what the same work takes in most steps */
	REFERENCE_CLASS,   /* the median of like collectives */
	REFERENCE_PEERS    /* the same work of other devices */
};

/* By the name of a cause. */
enum gain_reference gain_reference_of(const char *cause);
/* "peers"; NULL: REFERENCE_NONE. */
const char *gain_reference_name(enum gain_reference reference);
/* "compared with ..." */
const char *gain_reference_words(enum gain_reference reference);

#endif
