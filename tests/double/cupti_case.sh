#!/bin/sh
# The libcupti double, every case under every release that it models, against a driver that only does what the test says.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=$BUILD/tests/double/cupti_test
[ -x "$program" ] || { echo "not built: $program"; exit 1; }
export LD_LIBRARY_PATH="$BUILD/tests/double"
n=0 failed=0
for release in ${RELEASES:-11.8 12.0 12.3 12.4 12.8 13.0 13.1 13.2 13.3 13.5}; do
	for case in $("$program" list); do
		n=$((n + 1))
		timeout 60 "$program" "$BUILD/simgpu" "$release" "$case" >"$BUILD/tests/double/log" 2>&1 && continue
		echo "$release $case: status $?"
		cat "$BUILD/tests/double/log"
		failed=$((failed + 1))
	done
done
echo "$n cases, $failed failed"
[ "$failed" = 0 ]
