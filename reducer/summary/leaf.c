#include "summary/leaf.h"

#include <string.h>

enum { LONGEST = 64 };

uint64_t leaf_names_under(const char *prefix)
{
	size_t n = strlen(prefix);
	uint64_t leaves = 0;
	n -= n > 0 && prefix[n - 1] == '.';
	for (int leaf = 0; n > 0 && leaf < LEAF_COUNT; leaf++) {
		const char *name = leaf_name((enum leaf)leaf);
		if (strncmp(name, prefix, n) == 0 && (name[n] == 0 || name[n] == '.'))
			leaves |= LEAF_BIT(leaf);
	}
	return leaves;
}

/* Letters to change, add or leave out between the two (Levenshtein); only the first 63 count. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[LONGEST];
	size_t n = strnlen(b, LONGEST - 1);
	for (size_t k = 0; k <= n; k++)
		row[k] = (unsigned)k;
	for (size_t i = 0; a[i] && i < LONGEST - 1; i++) {
		unsigned diagonal = row[0]++;
		for (size_t k = 0; k < n; k++) {
			unsigned change = diagonal + (a[i] != b[k]);
			unsigned other = 1 + (row[k] < row[k + 1] ? row[k] : row[k + 1]);
			diagonal = row[k + 1];
			row[k + 1] = change < other ? change : other;
		}
	}
	return row[n];
}

/* People leave out the beginning: "input" is meant as "idle.host.input". */
static unsigned unlikeness(const char *typed, const char *name)
{
	unsigned least = 2 * distance(typed, name);
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		unsigned tail = 2 * distance(typed, dot + 1) + 1;
		least = tail < least ? tail : least;
	}
	return least;
}

const char *leaf_names_nearest(const char *typed, uint64_t leaves)
{
	const char *nearest = "";
	unsigned least = ~0u;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		const char *name = leaf_name((enum leaf)leaf);
		unsigned unlike = unlikeness(typed, name);
		if (!(leaves & LEAF_BIT(leaf)) || unlike >= least)
			continue;
		nearest = name;
		least = unlike;
	}
	return nearest;
}
