#!/bin/sh
# The libcupti double, every case under every release that it models, against a driver that only does what the test says. The releases at
# once: the cases hardly compute, most of their time is periods and deadlines that they let pass.
set -u
cd "$(dirname "$0")/../.." || exit 1
program=$BUILD/tests/double/cupti_test
[ -x "$program" ] || { echo "not built: $program"; exit 1; }
export LD_LIBRARY_PATH="$BUILD/tests/double"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

under() { # under RELEASE: a line a case in RELEASE.cases; those that failed in RELEASE.failed, what they said in RELEASE.said
	for case in $("$program" list); do
		echo "$case" >>"$work/$1.cases"
		timeout 60 "$program" "$BUILD/simgpu" "$1" "$case" >"$work/$1.log" 2>&1 && continue
		echo "$1 $case: status $?" | tee -a "$work/$1.failed" >>"$work/$1.said"
		cat "$work/$1.log" >>"$work/$1.said"
	done
}
wanted=0 each=$("$program" list | wc -w)
for release in ${RELEASES:-11.8 12.0 12.3 12.4 12.8 13.0 13.1 13.2 13.3 13.5}; do
	under "$release" &
	wanted=$((wanted + each))
done
wait
cat "$work"/*.said 2>/dev/null
tried=$(cat "$work"/*.cases | wc -l) failed=$(cat "$work"/*.failed 2>/dev/null | wc -l)
echo "$tried of $wanted cases, $failed failed"
[ "$failed" = 0 ] && [ "$tried" -gt 0 ] && [ "$tried" = "$wanted" ]
