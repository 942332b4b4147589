#!/usr/bin/env bash
# Real PyTorch on the simulated GPUs, with and without the recorder: `make test-torch`. Prints a line a check, with the seconds since the one
# before it, and ends with "N passed, N failed, N skipped". Two jobs run at a time (JOBS=1, and where /dev/shm is small: one): they wait for half of their time. PyTorch is installed by install.sh when it is not there; when it cannot be had, that is one skip.
#   run.sh [--all] [CASE]...     --all: also what is slow (torch.compile, both releases in full, more ranks); none named: all cases
# NEWEST=2.8.0: another release than the newest in full. KEEP=DIR: runs with planted causes are copied there.
set -u
cd "$(dirname "$0")/../.." || exit 1
export BUILD=${BUILD:-build/release} PYTHON=${PYTHON:-python3}
export BATON=${BATON:-$PWD/$BUILD/baton} NO_COLOR=1 LC_ALL=C PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 PYTHONNOUSERSITE=1
newest=${NEWEST:-2.15.0} second=2.8.0
everything=
[ "${1:-}" != --all ] || { everything=1 && shift; }
cases=${*:-}
double=$PWD/$BUILD/simgpu programs=tests/torch/programs
PYTHON=$("$PYTHON" -c 'import sys; print(sys.executable)') || exit 1
all=$(mktemp -d) work= jobs=() job_names=()
end() {
	local pid
	for pid in "${jobs[@]}"; do kill -TERM -- "-$pid" 2>/dev/null; done
	rm -rf "$all"
}
trap end EXIT
trap 'exit 1' HUP INT TERM
export SIMGPU_DEVICES=4 SIMGPU_MEMORY_MB=8192

verdict() { # verdict NAME STATUS TEXT: 0 ok, 77 skip
	local took begun=$last_verdict
	last_verdict=$EPOCHREALTIME
	took=$(echo "$last_verdict $begun" | awk '{ printf "%.1f", $1 - $2 }')
	echo "$took torch/$1" >>"$work.times"
	case $2 in
	0) echo "ok      torch/$1   $took s: $(echo "$3" | tail -n 1 | cut -c 1-160)" ;;
	77) echo "skip    torch/$1   $(echo "$3" | tail -n 1 | cut -c 1-160)" ;;
	*)
		echo "FAIL    torch/$1 (status $2)   $took s"
		echo "$3" | tail -n 25 | cut -c 1-1000 | sed 's/^/        /'
		;;
	esac
}

# job FUNCTION ARGUMENT...: beside one other, with a $work of its own; what it says is printed when it ends.
job() {
	while [ "${#jobs[@]}" -ge "$JOBS" ]; do next; done
	work=$all/$((n_jobs += 1))
	set -m # a process group of its own, so that it can be ended with all that it began
	{ tries "$@"; : >"$work.whole"; } >"$work.said" 2>&1 </dev/null &
	set +m
	jobs[$n_jobs]=$! job_names[$n_jobs]=$*
}
tries() { # tries FUNCTION ARGUMENT...: a second time where it fails, for a busy machine can do that; both are shown
	mkdir "$work" && last_verdict=$EPOCHREALTIME
	"$@" >"$work.first"
	if [ "${TRIES:-2}" = 1 ] || ! grep -q '^FAIL ' "$work.first"; then
		cat "$work.first"
		return
	fi
	sed -n 's/^FAIL  /again /; /^again \|^        /p' "$work.first"
	rm -rf "$work" "$work.times" "$work.first" && mkdir "$work" && last_verdict=$EPOCHREALTIME
	"$@"
}
# A job beside no other: a thread that has no core is a cause of its own.
alone() {
	while [ "${#jobs[@]}" -gt 0 ]; do next; done
	job "$@"
	while [ "${#jobs[@]}" -gt 0 ]; do next; done
}
next() { # waits for a job that ends
	local pid i
	wait -n -p pid "${jobs[@]}"
	if [ -z "${pid:-}" ]; then # one that a signal ended, which bash does not remember
		for pid in "${jobs[@]}"; do kill -0 "$pid" 2>/dev/null || break; done
	fi
	for i in "${!jobs[@]}"; do
		[ "${jobs[i]}" = "$pid" ] || continue
		if [ ! -e "$all/$i.whole" ]; then
			cat "$all/$i.first" 2>/dev/null
			echo "FAIL    torch/${job_names[i]}: ended before its last check"
		fi >>"$all/$i.said"
		cat "$all/$i.said" | tee -a "$all/said"
		rm -rf "${all:?}/$i" "$all/$i.said"
		unset "jobs[$i]"
	done
}

try() { # try NAME COMMAND...
	local name=$1 said
	shift
	said=$("$@" 2>&1)
	verdict "$name" $? "$said"
}

check() { # check NAME CHECK ARGUMENT...: of checks.py, by the interpreter that was recorded
	local name=$1
	shift
	try "$name" timeout 120 "$PYTHON" tests/torch/checks.py "$@"
}

launcher() { # launcher RANKS: torchrun, or nothing for a job of one process
	[ "$1" = 0 ] || echo "-m torch.distributed.run --standalone --nproc-per-node=$1"
}

simulated() { # simulated COMMAND...: the environment of a job
	env LD_LIBRARY_PATH="$double" PYTHONPATH="$PWD/$site" "$@"
}

# record NAME RANKS PROGRAM OPTION...: under the recorder; the run is in $work/NAME, stdout in $work/NAME.out, stderr in .err, the double's own account in .counts
record() {
	local name=$1 ranks=$2 program=$3
	shift 3
	rm -rf "${work:?}/$name" "$work/$name.counts"
	# shellcheck disable=SC2046
	ended "$name" simulated timeout 180 env SIMGPU_COUNTS="$work/$name.counts" LD_PRELOAD="$double/libcount.so" "$BATON" record -f -o "$work/$name" -- \
		"$PYTHON" $(launcher "$ranks") "$programs/$program" "$@"
}

# plain RANKS PROGRAM OPTION...: without the recorder; stdout in $work/plain.out
plain() {
	local ranks=$1 program=$2
	shift 2
	# shellcheck disable=SC2046
	ended plain simulated timeout 180 "$PYTHON" $(launcher "$ranks") "$programs/$program" "$@"
}

# ended NAME COMMAND...: stdout in $work/NAME.out, stderr in .err. Once more after a known race of PyTorch's, with and without a recorder: a
# backward thread that meets the interpreter's end aborts the process, of which torchrun makes status 1.
ended() {
	local name=$1 status
	shift
	"$@" >"$work/$name.out" 2>"$work/$name.err"
	status=$?
	if [ $status = 134 ] || { [ $status = 1 ] && grep -q 'Signal 6 (SIGABRT)' "$work/$name.err"; }; then
		rm -f "$work/$name.counts"
		"$@" >"$work/$name.out" 2>"$work/$name.err"
		status=$?
	fi
	return $status
}

# same NAME RANKS PROGRAM OPTION...: plain and recorded; the same output and status, and everything that ran is in the trace
same() {
	local name=$1 ranks=$2 program=$3 alone recorded said
	shift 3
	wanted "$name" || return 0
	plain "$ranks" "$program" "$@"
	alone=$?
	record "$name" "$ranks" "$program" "$@"
	recorded=$?
	if [ $alone != 0 ]; then
		verdict "$name: runs" 1 "status $alone without the recorder: $(tail -n 15 "$work/plain.err")"
		return
	fi
	said=$(diff <(printed "$work/plain.out" "$ranks") <(printed "$work/$name.out" "$ranks"))
	if [ $recorded != $alone ] || [ -n "$said" ]; then
		verdict "$name: the same with and without" 1 "status $alone and $recorded; $said; $(tail -n 15 "$work/$name.err")"
		return
	fi
	verdict "$name: the same with and without" 0 "$(grep '^baton:' "$work/$name.err" | tail -n 1)"
	try "$name: all that ran is in the trace" conserved "$name"
	try "$name: report" reported "$name"
}
# printed FILE RANKS: of several ranks what the programs say, for Gloo's ranks write a line in pieces, into each other's
printed() { if [ "$2" -gt 1 ]; then grep -E '^(step [0-9]|replayed|graphed|done)' "$1"; else cat "$1"; fi; }
conserved() { # conserved NAME OPTION...
	local name=$1
	shift
	"$BATON" dump --json "$work/$name" | "$PYTHON" tests/shim/conserved.py "$@" "$work/$name.counts"
}
reported() {
	"$BATON" check "$work/$1" >"$work/check" || { cat "$work/check" && return 1; }
	"$BATON" report "$work/$1" | sed -n '2p'
	return "${PIPESTATUS[0]}"
}

wanted() { # wanted NAME: was it named, or nothing?
	[ -z "$cases" ] || [[ " $cases " == *" $1 "* ]]
}

install_torch() { # install_torch [--triton] RELEASE: into $site
	site=build/torch/${!#}
	sh tests/torch/install.sh "$@" >"$all/install" 2>&1 && return 0
	job verdict "PyTorch ${!#}" 77 "not here and cannot be downloaded: $(tail -n 1 "$all/install")"
	return 1
}

# ---- the cases ----

data_parallel() { # data_parallel RANKS...
	local ranks runs=()
	for ranks; do
		same "gpt2-$ranks" "$ranks" gpt2.py --steps 16
		[ ! -d "$work/gpt2-$ranks" ] || runs+=("$work/gpt2-$ranks")
	done
	[ ${#runs[@]} -lt 2 ] || check "compare of ${#runs[@]} runs" residual "${runs[@]}"
	[ ! -d "$work/gpt2-2" ] || check "gpt2-2: lines of launches" lines "$work/gpt2-2" gpt2.py torch/
}

planted() { # planted NAME RANKS FINDING PLACE PROGRAM OPTION...: the first finding of the run, and the place it names
	local name=$1 ranks=$2 finding=$3 place=$4
	shift 4
	wanted "$name" || return 0
	record "$name" "$ranks" "$@" || { verdict "$name" 1 "$(tail -n 15 "$work/$name.err")" && return; }
	check "$name" first "$work/$name" "$finding" $place
	[ -z "${KEEP:-}" ] || cp -r "$work/$name" "$KEEP/"
}

line() { # line PROGRAM TEXT: PROGRAM:N of the line that has it
	echo "$1:$(grep -n -- "$2" "$programs/$1" | head -n 1 | cut -d : -f 1)"
}

faults() {
	alone planted slow-rank 2 late_rank "$(line gpt2.py 'time.sleep(')" gpt2.py --steps 24 --slow-rank 1=60
	alone planted slow-loader 0 input "$(line resnet.py 'time.sleep(')" resnet.py --steps 16 --slow-loader 15
	alone planted slow-loader-workers 0 input "$(line resnet.py 'in enumerate(loader)')" resnet.py --steps 16 --slow-loader 40 --workers 2
	# the backward's first kernel is long: the CPU, were it not made to wait, would be well ahead when the next micro-batch begins, also
	# on a busy machine; so many steps that a hiccup of the machine costs less than all of them
	SIMGPU_DURATIONS="nll_loss_backward=25000000" alone planted item 0 sync "$(line accumulate.py 'loss.item()  # the CPU')" accumulate.py --steps 40 --item
	# what it costs comes later: on the thread of the backward, or in the next step
	SIMGPU_DURATIONS="nll_loss_forward=25000000" alone planted item-between 0 sync "$(line accumulate.py 'loss.item()  # before the backward')" \
		accumulate.py --steps 40 --item-between
	SIMGPU_DURATIONS="multi_tensor_apply=10000000" alone planted item-end 0 sync "$(line accumulate.py 'loss.item()  # before the next')" \
		accumulate.py --steps 80 --item-end
}

losses() { # programs with a loss of known line and cost, each with and without it
	[ -n "$everything" ] || [[ " $cases " == *" losses "* ]] || return 0
	wanted losses || return 0
	alone try losses timeout 1500 env LD_LIBRARY_PATH="$double" PYTHONPATH="$PWD/$site" "$PYTHON" tests/torch/losses.py --times 3
}

beside_profiler() { # torch.profiler in a process that is recorded
	wanted profiler || return 0
	plain 0 gpt2.py --profile "$work/alone.json" ||
		{ verdict "profiler: runs" 1 "$(tail -n 15 "$work/plain.err")" && return; }
	record profiler 0 gpt2.py --profile "$work/beside.json" ||
		{ verdict "profiler: runs beside the recorder" 1 "$(tail -n 15 "$work/profiler.err")" && return; }
	check "profiler: sees beside the recorder what it sees alone" profiled "$work/beside.json" "$work/alone.json"
	try "profiler: all that ran is in the trace" conserved profiler
	check "profiler: the recorder saw the same work" same_work "$work/profiler" "$work/beside.json"
	check "profiler: launched by the same functions" profiler_lines "$work/profiler" "$work/beside.json"
	try "profiler: its export is imported" "$BATON" import -f "$work/beside.json" -o "$work/imported"
	check "profiler: import and recording" imported "$work/profiler" "$work/beside.json" "$work/imported"
}

operators() { # 200 of PyTorch's operators
	wanted operators || return 0
	simulated timeout 300 "$PYTHON" tests/torch/ops.py run tests/torch/ops.txt >"$work/plain.out" 2>"$work/plain.err"
	alone=$?
	rm -rf "$work/operators"
	simulated timeout 300 "$BATON" record -o "$work/operators" -- "$PYTHON" tests/torch/ops.py run tests/torch/ops.txt >"$work/operators.out" 2>"$work/operators.err"
	recorded=$?
	said=$(diff "$work/plain.out" "$work/operators.out")
	if [ $alone = 0 ] && [ $recorded = 0 ] && [ -z "$said" ]; then
		verdict "operators" 0 "$(cut -d ' ' -f 1 "$work/plain.out" | sort -u | wc -l) operators, $(wc -l <"$work/plain.out") samples: the same with and without, $(grep -c 'Error:' "$work/plain.out") of them exceptions"
	else
		verdict "operators" 1 "status $alone and $recorded; $said $(tail -n 5 "$work/operators.err")"
	fi
}

suite() { # of the 1,000 of PyTorch's own tests each 20th, with --all each
	wanted suite || return 0
	mkdir -m 700 "$work/suite"
	try suite simulated timeout 1500 "$PYTHON" tests/torch/suite.py check "$BUILD/libbaton.so" "$work/suite" $([ -n "$everything" ] && echo 1 || echo 20)
}

kinds() { # small programs of 35 kinds, each in a directory of its own; four at a time, for they wait for the interpreter's start and end
	wanted kinds || return 0
	try kinds timeout 600 env LD_LIBRARY_PATH="$double" PYTHONPATH="$PWD/$site" "$PYTHON" tests/torch/kinds_check.py --jobs 4 "$BATON" "$work/kinds"
}

library_kinds() { # and of 3 whose loop is accelerate's, transformers' or Lightning's
	local said libraries=${LIBRARIES:-build/torch/libraries}
	wanted library-kinds || return 0
	said=$(sh tests/torch/install.sh --libraries 2>&1) || { verdict library-kinds 77 "not here and cannot be downloaded: $(echo "$said" | tail -n 1)" && return; }
	try library-kinds timeout 600 env LD_LIBRARY_PATH="$double" PYTHONPATH="$PWD/$site:$(realpath "$libraries")" "$PYTHON" \
		tests/torch/kinds_check.py --jobs 2 --of library_kinds.py "$BATON" "$work/kinds"
}

newest_release() {
	# shellcheck disable=SC2086
	install_torch ${everything:+--triton} $newest || return
	job data_parallel 1 2 4
	job same mlp 0 mlp.py
	job same fp16 2 gpt2.py --amp fp16 --steps 8
	job same resnet 2 resnet.py
	job same resnet-workers 2 resnet.py --workers 4
	job same fsdp2 2 fsdp2.py
	job same accumulate 2 accumulate.py
	job same exchange 2 exchange.py
	job same graphs 0 graphs.py
	job beside_profiler
	job operators
	job suite
	job kinds
	job library_kinds
	[ -z "$everything" ] || {
		job same compiled 0 compiled.py
		job same words 2 words.py
		job same words-gru 0 words.py --kind GRU
	}
	faults
	losses
}

second_release() {
	install_torch $second || return
	job data_parallel 1 2
	job beside_profiler
	[ -z "$everything" ] || {
		job same resnet 2 resnet.py
		job same fsdp2 2 fsdp2.py
		job same graphs 0 graphs.py
		job operators
		job suite
		job kinds
	}
}

. tests/jobs.sh
n_jobs=0 last_verdict=
: >"$all/said"
newest_release
second_release
while [ "${#jobs[@]}" -gt 0 ]; do next; done
printf '\nslowest, s\n'
sort -rn "$all"/*.times 2>/dev/null | head -n 10 | awk '{ printf "  %9s  %s\n", $1, substr($0, length($1) + 2) }'
echo
tried=$(sed -n 's/^again *\([^ ]*\).*/\1/p' "$all/said" | tr '\n' ' ')
[ -z "$tried" ] || echo "tried twice: $tried"
count() { grep -c "^$1 " "$all/said"; }
echo "$(count ok) passed, $(count FAIL) failed, $(count skip) skipped"
[ "$(count FAIL)" = 0 ] && [ "$(($(count ok) + $(count skip)))" -gt 0 ]
