#!/bin/sh
# The attribution against the slow reference, leaf by leaf: N random traces (first argument), then every sample trace. Then
# against the truth of simulated runs. ACCURACY_SCENARIOS=quick: a few of them (default), full: all. The random family is
# run.sh's last part; FAMILY is more of its options (--seed 7).
set -eu
cd "$(dirname "$0")/../.."
seeds=${1:-1000}
baton=${BATON:-build/release/baton}
sim=${SIM:-$(dirname "$baton")/baton-sim}
python=${PYTHON:-python3}
data=${BATON_DATA:-../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runs=
if [ -d "$data/kineto" ]; then
	for file in "$data"/kineto/*.json.gz "$data"/nsys/*.sqlite; do
		name=$(basename "$file" | sed 's/\..*//')
		"$baton" import "$file" -o "$work/$name" 2>/dev/null || [ $? = 4 ]
		runs="$runs $work/$name"
	done
else
	echo "no sample traces at $data: random traces only"
fi
[ -n "$runs" ] && set -- --run $runs || set --
"$python" tests/accuracy/agreement.py --baton "$baton" --seeds "1:$((seeds + 1))" "$@"
if [ "${ACCURACY_SCENARIOS:-quick}" = full ]; then
	status=0
	"$python" tests/accuracy/score.py --baton "$baton" --sim "$sim" ${ACCURACY_WRITE:+--write "$ACCURACY_WRITE"} || status=1
	# shellcheck disable=SC2086
	"$python" tests/accuracy/family.py --baton "$baton" --sim "$sim" --keep-going ${ACCURACY_WRITE:+--write "$ACCURACY_WRITE"} \
		${FAMILY:-} || status=1
	exit $status
else
	"$python" tests/accuracy/score.py --baton "$baton" --sim "$sim" --quick
	"$python" tests/accuracy/family.py --baton "$baton" --sim "$sim" --quick --seed 2 --jobs 16 --healthy 4 --most-ranks 3
fi
# Who is to blame: right rank, class and size against the same job without the fault.
if [ "${ACCURACY_SCENARIOS:-quick}" = full ]; then
	"$python" tests/accuracy/culprit.py --baton "$baton" --sim "$sim" --full
else
	"$python" tests/accuracy/culprit.py --baton "$baton" --sim "$sim"
fi
# Whom and what does a comparison charge with the loss: the same truth.
if [ "${ACCURACY_SCENARIOS:-quick}" = full ]; then
	"$python" tests/accuracy/charged.py --baton "$baton" --sim "$sim"
else
	"$python" tests/accuracy/charged.py --baton "$baton" --sim "$sim" --jobs 5 --twins 2 --most-ranks 4
fi
