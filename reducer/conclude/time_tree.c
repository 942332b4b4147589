#include "conclude/time_tree.h"

const struct time_row time_tree[TIME_ROWS] = {
#define HEAD(id, label, leaves) [TIME_##id] = {label, leaves, TIME_HEAD},
#define GROUP(id, label, leaves) [TIME_##id] = {label, leaves, TIME_ROW},
#define ROW(id, label) [TIME_##id] = {label, LEAF_BIT(LEAF_##id), TIME_ROW},
#define PART(id, label) [TIME_##id] = {label, LEAF_BIT(LEAF_##id), TIME_PART},
	TIME_TREE(HEAD, GROUP, ROW, PART)
#undef HEAD
#undef GROUP
#undef ROW
#undef PART
};

/* Masks that cover every leaf and add up to as much have no leaf in common. */
#define NOTHING(...)
#define ANY_LEAVES(id, label, leaves) | (leaves)
#define ADD_LEAVES(id, label, leaves) +(leaves)
#define ANY_LEAF(id, label) | LEAF_BIT(LEAF_##id)
#define ADD_LEAF(id, label) +LEAF_BIT(LEAF_##id)
_Static_assert((0 TIME_TREE(ANY_LEAVES, NOTHING, NOTHING, NOTHING)) == LEAVES_ALL,
			   "a leaf is below no heading: the report does not add up");
_Static_assert((0 TIME_TREE(ADD_LEAVES, NOTHING, NOTHING, NOTHING)) == LEAVES_ALL,
			   "a leaf is below two headings: the report counts it twice");
_Static_assert((0 TIME_TREE(NOTHING, NOTHING, ANY_LEAF, ANY_LEAF)) == LEAVES_ALL,
			   "a leaf has no row");
_Static_assert((0 TIME_TREE(NOTHING, NOTHING, ADD_LEAF, ADD_LEAF)) == LEAVES_ALL,
			   "a leaf has two rows");

const char *time_label(enum leaf leaf)
{
	static const char *const labels[LEAF_COUNT] = {
#define GATHERING(...)
#define LABEL(id, label) [LEAF_##id] = label,
		TIME_TREE(GATHERING, GATHERING, LABEL, LABEL)
#undef GATHERING
#undef LABEL
	};
	return labels[leaf];
}
