#!/bin/sh
# The main job on traces of real GPUs: import, report, compare. Without sample traces it makes small ones of its own.
set -eu
cd "$(dirname "$0")/.."
export BATON_PAGER=cat # one command follows the other
baton=${BATON:-build/release/baton}
python=${PYTHON:-python3}
data=${BATON_DATA:-../shared/data}
runs=build/demo
mkdir -p "$runs"

show() {
	printf '\n$ baton'
	for word in "$@"; do printf ' %s' "$word"; done
	printf '\n'
	status=0
	"$baton" "$@" || status=$?
	case $status in
	0 | 4) ;; # 4: answered from the ranks that are there, as the lines above say
	*) exit "$status" ;;
	esac
}

one() { # one RUN FILE...: import, report
	name=$1
	shift
	show import -f "$@" -o "$runs/$name"
	show report "$runs/$name"
}

if [ -d "$data/kineto" ]; then
	echo "Sample traces: $data"
	for file in "$data"/kineto/*.json.gz "$data"/nsys/*.sqlite; do
		name=$(basename "$file" | sed 's/\..*//')
		case $name in
		sampled_rank-*) ;; # two ranks of one job: imported together below
		*) one "$name" "$file" ;;
		esac
	done
	one sampled "$data"/kineto/sampled_rank-*.json.gz
	slow=$runs/resnet50_workers0 fast=$runs/resnet50_workers4
else
	echo "No sample traces at $data (BATON_DATA names another place): making small ones in $runs/made"
	"$python" tests/cli/kineto_fixtures.py stalls "$runs/made/loader-waits" --stall-us 30000 >/dev/null
	"$python" tests/cli/kineto_fixtures.py stalls "$runs/made/loader-keeps-up" --stall-us 300 >/dev/null
	one loader-waits "$runs/made/loader-waits"
	one loader-keeps-up "$runs/made/loader-keeps-up"
	slow=$runs/loader-waits fast=$runs/loader-keeps-up
fi
show compare "$slow" "$fast"
echo
echo "The runs are in $runs. Next, the proof behind a loss:"
echo "  $baton report $slow --gaps 5 --leaf idle.host.input"
