#!/usr/bin/env bash
# Do two builds behave the same? For moves and rewrites that must not change what baton says.
#   tests/same.sh OLD NEW       OLD and NEW are build directories, e.g. ../before/build/release build/release
# Compares byte for byte: traces of the simulator and of the importers, summaries, report, compare, --json, --gaps, --by,
# export and dumps, of the sample traces, the golden files, 32 simulated runs and 8 recorded ones (of each build's recorder,
# where it has the doubles). Ends with "N files compared, N differ", status 1 when one differs. SAME_KEEP=DIR keeps the
# outputs. JOBS=N at a time (2).
set -u
[ $# = 2 ] || { sed -n 2,7p "$0" | cut -c 3- && exit 2; }
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 1
data=${BATON_DATA:-$PWD/../shared/data} golden=$PWD/tests/golden/format
work=${SAME_KEEP:-$(mktemp -d)}
[ -n "${SAME_KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
export NO_COLOR=1 LC_ALL=C COLUMNS=100 BATON_GAUGES=off
mkdir -p "$work/old/out" "$work/new/out" "$work/runs"

both() { # both NAME COMMAND...: with $baton and $sim of each build, in a folder of its own; output and status are kept
	local name=$1 side build
	shift
	for side in old new; do
		build=${!side}
		(cd "$work/$side" && mkdir -p "$(dirname "out/$name")" &&
			baton=$build/baton sim=$build/baton-sim bash -c "$*" >"out/$name" 2>&1
		echo "status $?" >>"out/$name")
	done
}

views() { # views RUN...: each view of each run, and the runs compared
	local run
	for run in "$@"; do
		both "$run/reduce" "\$baton reduce $run && cat $run/summary.baton"
		both "$run/report" "\$baton report $run; COLUMNS=60 \$baton report $run --kernels 0"
		both "$run/json" "\$baton report --json $run"
		both "$run/gaps" "\$baton report --gaps 5 $run; \$baton report --gaps 3 --leaf idle.host --json $run"
		both "$run/by" "for by in line stack module op range; do \$baton report --by \$by --top 0 $run; \
			\$baton report --by \$by --json $run; done; \$baton export --folded $run"
		both "$run/options" "\$baton report --steps period $run; \$baton report --taxonomy seed --json $run; \
			\$baton report --step-range step --json $run"
		both "$run/dump" "\$baton dump --json $run/*.baton | cksum; \$baton dump $run/*.baton | cksum; \
			\$baton dump --idle $run; \$baton dump --stacks $run/*.baton; \$baton check $run/*.baton"
	done
	[ $# = 1 ] && return
	both "$1/compare" "\$baton compare $*; \$baton compare --json $*"
}

place() { # place RUN: both builds read one and the same copy, times of files included
	for side in old new; do cp -a "$work/runs/$1" "$work/$side/$1"; done
}

simulated() { # simulated NAME OPTION...: the traces' bytes too
	local name=$1
	shift
	both "$name-trace" "\$sim -o sim-$name $* && cat sim-$name/* | cksum; rm -rf sim-$name"
	"$new/baton-sim" -o "$work/runs/$name" "$@" >/dev/null 2>&1 && touch -d '1 hour ago' "$work/runs/$name"/* &&
		place "$name" && views "$name"
}

imported() { # imported NAME OPTION... FILE...
	local name=$1
	shift
	both "$name-import" "\$baton import $* -o imp-$name && \$baton dump --json imp-$name/*.baton | cksum && cat imp-$name/*.baton | wc -c"
	"$new/baton" import "$@" -o "$work/runs/$name" >/dev/null 2>&1
	[ -d "$work/runs/$name" ] && touch -d '1 hour ago' "$work/runs/$name"/* && place "$name" && views "$name"
}

recorded() { # recorded NAME BUILD GPUS SIMTRAIN-OPTION...
	local name=$1 build=$2 gpus=$3
	shift 3
	[ -x "$build/simlaunch" ] || return 0
	"$build/baton" record -o "$work/runs/$name" -- "$build/simlaunch" -n "$gpus" -- "$build/simtrain" --steps 12 "$@" \
		>/dev/null 2>&1
	touch -d '1 hour ago' "$work/runs/$name"/* && place "$name" && views "$name"
}

jobs_now=0
spread() { # at most $JOBS at a time
	"$@" &
	jobs_now=$((jobs_now + 1))
	[ "$jobs_now" -lt "${JOBS:-2}" ] || { wait -n && jobs_now=$((jobs_now - 1)); }
}

files=0
for file in "$golden"/*; do
	[ -f "$file" ] || continue
	spread both "golden/$(basename "$file")" "\$baton dump $file; \$baton dump --json $file; \$baton check $file"
done
for trace in "$data"/kineto/*.json* "$data"/nsys/*.sqlite; do
	[ -f "$trace" ] && spread imported "$(basename "$trace" | tr -cd 'a-zA-Z0-9_')" "$trace"
done
for set in "$data"/multi/*; do
	[ -d "$set" ] && spread imported "$(basename "$set")" "$set"
done
n=0
for workload in ddp resnet fsdp tensor pipeline dataparallel moe graph tiny inference jax short_forward short_backward; do
	for fault in input=90000@1 slow_gpu=15@1 no_core=6@0 item_loss sync alloc=200 slow_link; do
		n=$((n + 1))
		[ $((n % 3)) = 0 ] || continue # 30 of the pairs
		spread simulated "$workload-${fault%%[=@]*}" --workload $workload --ranks 4 --steps 8 --seed $n --fault $fault
	done
done
spread simulated healthy-32 --ranks 32 --steps 6 --seed 7
spread simulated hosts-16 --ranks 16 --per-host 4 --steps 6 --nvtx off --fault slow_host=200@5 --fault clock
spread simulated eval-8 --ranks 8 --steps 12 --eval 4:2 --vary 60
spread simulated lost-4 --ranks 4 --steps 6 --fault lost_records=5000
wait
jobs_now=0
for build in old new; do
	recorded "$build-1gpu" "${!build}" 1
	recorded "$build-input" "${!build}" 2 --input-stall 20 --stall-range
	recorded "$build-late" "${!build}" 4 --slow-rank 2=40
	recorded "$build-plain" "${!build}" 2
done
for scale in healthy-32,hosts-16 ddp-slow_gpu,ddp-input; do
	[ -d "$work/runs/${scale%,*}" ] && [ -d "$work/runs/${scale#*,}" ] &&
		both "compare-$scale" "\$baton compare ${scale/,/ }; \$baton compare --json ${scale/,/ }"
done
both compare-recorded '$baton compare old-1gpu new-input old-late; $baton compare --json old-1gpu new-input old-late'

differ=0
while read -r file; do
	files=$((files + 1))
	cmp -s "$work/old/out/$file" "$work/new/out/$file" && continue
	differ=$((differ + 1))
	echo "differs: $file"
	diff "$work/old/out/$file" "$work/new/out/$file" 2>&1 | head -6 | cut -c 1-160 | sed 's/^/        /'
done < <(cd "$work/old/out" && find . -type f | sort)
echo "$files files compared, $differ differ"
[ "$differ" = 0 ] && [ "$files" -gt 300 ]
