#!/bin/sh
# The main job on traces of real GPUs: import, report, compare. Without sample traces it makes small ones of its own.
set -eu
cd "$(dirname "$0")/.."
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

if [ -d "$data/kineto" ]; then
	echo "Sample traces: $data"
	inputs=$(ls "$data"/kineto/*.json.gz "$data"/nsys/*.sqlite)
else
	echo "No sample traces at $data (BATON_DATA names another place): making small ones in $runs/made"
	"$python" tools/make_traces.py "$runs/made"
	inputs=$(ls "$runs"/made/*)
fi

for file in $inputs; do
	name=$(basename "$file" | sed 's/\..*//')
	case $name in sampled_rank-*) continue ;; esac # two ranks of one job: imported together below
	show import -f "$file" -o "$runs/$name"
	show report "$runs/$name"
done
if [ -f "$data/kineto/sampled_rank-0.json.gz" ]; then
	show import -f "$data/kineto/sampled_rank-0.json.gz" "$data/kineto/sampled_rank-1.json.gz" -o "$runs/sampled"
	show report "$runs/sampled"
fi
show compare "$runs/resnet50_workers0" "$runs/resnet50_workers4"
echo
echo "The runs are in $runs: try  $baton report $runs/resnet50_workers0 --gaps 5 --leaf idle.host.input"
