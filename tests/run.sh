#!/usr/bin/env bash
# Runs the tests: every program in build/*/tests, every script in tests/*/ that is a case. 0 pass, 1 fail, 77 skip with a reason
# on its last line. Ends with "N passed, N failed, N skipped"; a run in which nothing passed fails.
#   tests/run.sh [PART]...   (none: all of $parts)
# SEEDS=N: how many random traces the attribution is compared on (1000).
set -u
parts="floors unit format shim double probe cli fuzz names torch accuracy"
cd "$(dirname "$0")/.." || exit 1
export BUILD=${BUILD:-build/release} PYTHON=${PYTHON:-python3}
export BATON=$PWD/$BUILD/baton DIGEST=$PWD/$BUILD/digest
export BATON_DATA=${BATON_DATA:-$PWD/../shared/data}
export NO_COLOR=1 LC_ALL=C PYTHONDONTWRITEBYTECODE=1
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

try() { # try NAME COMMAND...
	local name=$1 status
	shift
	timeout 1200 "$@" >"$log" 2>&1
	status=$?
	case $status in
	0) passed=$((passed + 1)) && echo "ok      $name   $(tail -n 1 "$log" | cut -c 1-110)" ;;
	77) skipped=$((skipped + 1)) && echo "skip    $name   $(tail -n 1 "$log" | cut -c 1-110)" ;;
	*)
		failed=$((failed + 1))
		[ "$status" = 124 ] && status="124: still running after 20 minutes"
		echo "FAIL    $name (status $status)"
		tail -n 40 "$log" | sed 's/^/        /'
		;;
	esac
}

floors() {
	try floors/includes "$PYTHON" tests/floors/floors.py
	try floors/planted "$PYTHON" tests/floors/floors_test.py
}
unit() { for t in "$BUILD"/tests/*_test; do try "unit/$(basename "$t")" "$t"; done; }
format() {
	try format/second_reader "$PYTHON" tests/format/second_reader_test.py
	try format/golden bash tests/format/golden.sh
}
cli() { for t in tests/cli/*_case.sh; do try "cli/$(basename "$t" _case.sh)" bash "$t"; done; }
fuzz() { try fuzz/differential "$PYTHON" tests/fuzz/differential.py --digest "$DIGEST" --seed 1 --count 2000; }
names() { for t in tests/names/*_case.sh; do try "names/$(basename "$t" _case.sh)" bash "$t"; done; }
shim() { for t in tests/shim/*_case.sh; do try "shim/$(basename "$t" _case.sh)" bash "$t"; done; }
double() {
	for t in tests/double/*_case.sh; do try "double/$(basename "$t" _case.sh)" bash "$t"; done
	try double/cupti_layouts "$PYTHON" tests/cupti/layouts_test.py
}
probe() {
	try probe/fixture "$BUILD/probe/fixture_test"
	try probe/sections bash tests/gpu/probe/probe_case.sh
	try probe/run bash tests/gpu/run_case.sh
}
torch() { for t in tests/torch/*_case.sh; do try "torch/$(basename "$t" _case.sh)" bash "$t"; done; }
accuracy() {
	try accuracy/reference "$PYTHON" tests/accuracy/reference_test.py
	try accuracy/score "$PYTHON" tests/accuracy/score_test.py
	try accuracy/agreement sh tests/accuracy/run.sh "${SEEDS:-1000}"
}


for part in ${@:-$parts}; do
	case " $parts " in
	*" $part "*) "$part" ;;
	*) echo "run.sh: no part '$part'; there are: $parts" && exit 2 ;;
	esac
done
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
