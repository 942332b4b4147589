#!/usr/bin/env bash
# The golden files, good and bad: `baton dump --json` prints what the second reader wrote beside them. Keeps out: a change of the
# format, or of either reader, that nobody meant.
set -u
differing=0 n=0
for file in tests/golden/format/*.baton; do
	expected=tests/golden/format/expected/$(basename "$file" .baton).jsonl
	n=$((n + 1))
	if ! "$BATON" dump --json "$file" 2>/dev/null | cmp -s - "$expected"; then
		differing=$((differing + 1))
		echo "differs: $file"
	fi
done
echo "$n golden files, $differing differ"
[ "$n" -gt 100 ] && [ "$differing" = 0 ]
