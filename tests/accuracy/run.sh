#!/bin/sh
# run.sh [N [random|agreement|truth]]: the attribution against the slow reference, leaf by leaf: N random traces (random), then every
# sample trace, which takes Python two minutes (both: agreement). Then against the truth of simulated runs (truth). Without a second
# argument all. ACCURACY_SCENARIOS=quick: a few of the runs (default), full: all. FAMILY: more options of the random family (--seed 7).
set -eu
cd "$(dirname "$0")/../.."
seeds=${1:-1000} only=${2:-}
case $only in "" | random | agreement | truth) ;; *) echo "run.sh: no part '$only'" >&2 && exit 2 ;; esac
baton=${BATON:-build/release/baton}
sim=${SIM:-$(dirname "$baton")/baton-sim}
python=${PYTHON:-python3}
data=${BATON_DATA:-../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

agree() {
	runs=
	if [ "$only" = random ]; then
		:
	elif [ -d "$data/kineto" ]; then
		for file in "$data"/kineto/*.json.gz "$data"/nsys/*.sqlite; do
			name=$(basename "$file" | sed 's/\..*//')
			"$baton" import "$file" -o "$work/$name" 2>/dev/null || [ $? = 4 ]
			runs="$runs $work/$name"
		done
	else
		echo "no sample traces at $data: random traces only"
	fi
	# shellcheck disable=SC2086
	[ -n "$runs" ] && set -- --run $runs || set --
	"$python" tests/accuracy/agreement.py --baton "$baton" --seeds "1:$((seeds + 1))" "$@"
}
[ "$only" = truth ] || agree
case $only in random | agreement) exit 0 ;; esac

# Of the runs: right leaves and findings; who is to blame (right rank, class and size against the same job without the fault); whom and
# what a comparison charges with the loss.
if [ "${ACCURACY_SCENARIOS:-quick}" != full ]; then
	"$python" tests/accuracy/score.py --baton "$baton" --sim "$sim" --quick
	"$python" tests/accuracy/family.py --baton "$baton" --sim "$sim" --quick --seed 2 --jobs 16 --healthy 4 --most-ranks 3
	"$python" tests/accuracy/culprit.py --baton "$baton" --sim "$sim"
	"$python" tests/accuracy/charged.py --baton "$baton" --sim "$sim" --jobs 5 --twins 2 --most-ranks 4
	exit 0
fi
status=0
"$python" tests/accuracy/score.py --baton "$baton" --sim "$sim" ${ACCURACY_WRITE:+--write "$ACCURACY_WRITE"} || status=1
# shellcheck disable=SC2086
"$python" tests/accuracy/family.py --baton "$baton" --sim "$sim" --keep-going ${ACCURACY_WRITE:+--write "$ACCURACY_WRITE"} ${FAMILY:-} || status=1
"$python" tests/accuracy/culprit.py --baton "$baton" --sim "$sim" --full || status=1
"$python" tests/accuracy/charged.py --baton "$baton" --sim "$sim" || status=1
exit $status
