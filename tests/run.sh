#!/usr/bin/env bash
# Runs the tests: every program of tests/unit, every script in tests/*/ that is a case. 0 pass, 1 fail, 77 skip with a reason
# on its last line. A line a case, with the seconds it took, as it ends; then the slowest, and "N passed, N failed, N skipped". A run in
# which nothing passed fails.
#   tests/run.sh [PART|PART/CASE]...   (none: all of $parts; a case by the name that its line has)
# SEEDS=N: how many random traces the attribution is compared on (400; make accuracy: 1,000). JOBS=N: cases at a time (2; 1 where /dev/shm is small).
# TEST_SIM=FILE: another baton-sim for what is made to be read, such as one without a sanitizer (accuracy/steps and cli/sim have the build's).
# TRIES=1: no case has a second try.
# LIMIT=S: seconds that a case may take. One that takes longer is ended with all that it began, and shows where that stood.
set -u
# Some cases send HUP and INT to what they start. A shell's `&` and nohup leave them ignored, and no shell in between can change that.
if [ -z "${SIGNALS_AS_USUAL:-}" ] && env --default-signal=HUP,INT,QUIT true 2>/dev/null; then
	SIGNALS_AS_USUAL=1 exec env --default-signal=HUP,INT,QUIT bash "$0" "$@"
fi
parts="floors unit format shim double probe cli page fuzz hard names torch accuracy"
cd "$(dirname "$0")/.." || exit 1
export BUILD=${BUILD:-build/release} PYTHON=${PYTHON:-python3}
export BATON=$PWD/$BUILD/baton DIGEST=$PWD/$BUILD/digest SIM=${TEST_SIM:-$PWD/$BUILD/baton-sim}
export BATON_DATA=${BATON_DATA:-$PWD/../shared/data}
export NO_COLOR=1 LC_ALL=C PYTHONDONTWRITEBYTECODE=1
# python3 is a script that looks for an interpreter on some machines; the cases start it some thousand times
PYTHON=$("$PYTHON" -c 'import sys; print(sys.executable)') || exit 1

# How a case runs, by the first line that fits. alone: when no other case does, after all that can share the machine.
# first: beside others, begun before them because it takes longest. All others run beside each other.
ways='
alone shim/gauges       planted causes must come out first, samples come once a second: a slow GPU, not a busy machine
alone shim/input        a thread without a core is told from one that sleeps
alone shim/top          the slow rank must be the planted one, not one that has no core
alone shim/torch        a data loader that computes, in threads that must have their cores
alone shim/window       windows of milliseconds begin and end on time
alone double/nccl     what other jobs leave in /dev/shm when they are killed would be taken for its own
alone probe/run         measures calls and planted stalls
first accuracy/agreement
first accuracy/truth
first shim/identical
first shim/stacks
first shim/recorder
first shim/replay
first shim/faults
'

# What a sanitizer has no part in, and would only repeat: the doubles have none (DOUBLE_SAN=), nor have programs that a case compiles,
# PyTorch, browsers and other tools that read what is written (other cases write the same), the Python of the tests, the pages.
is_same_without_sanitizer() { # is_same_without_sanitizer NAME
	case $1 in
	double/* | torch/*) [ -z "${DOUBLE_SAN:-}" ] ;;
	shim/native | shim/refused | shim/stacks) ;;
	page/* | cli/pictures | cli/tables_tools | cli/timeline_tools | cli/perfetto_ui | cli/nsys_ai | cli/export_nsys_real) ;;
	floors/* | hard/state | hard/growth | hard/coverage | accuracy/reference | accuracy/score | accuracy/family | cli/faq) ;;
	*) false ;;
	esac
}

# Long ones that judge answers by many simulated jobs. What they run of the program other cases run too: cli/replay_bundles, cli/whatif,
# cli/findings, cli/jitter, cli/steps, accuracy/agreement.
is_for_answers() { # is_for_answers NAME
	case $1 in
	cli/gain | cli/late_several | cli/charged | cli/missing | cli/readme | cli/shown) ;;
	accuracy/truth | accuracy/twins) ;;
	*) false ;;
	esac
}

# Ten times what the others take, on a machine that has nothing else to do; this one grows with SEEDS and with a sanitizer.
limit_of() { # limit_of NAME
	case $1 in
	accuracy/agreement | accuracy/truth) echo "${LIMIT:-2400}" ;;
	*) echo "${LIMIT:-600}" ;;
	esac
}

# A busy machine can make a case fail that waits for other processes or measures them. Such a case has a second try, alone; both tries
# are shown. What depends on its input only, and what a sanitizer reports, has none.
may_be_the_machine() { # may_be_the_machine NAME LOG
	[ "${TRIES:-2}" -gt 1 ] || return 1
	case $1 in floors/* | unit/* | format/* | names/* | accuracy/*) return 1 ;; esac
	! grep -qE 'ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|: runtime error: ' "$2"
}

names=() commands=()
only=
try() { # try NAME COMMAND...: a case of this run, unless it is to be another one alone
	[ "${only:-$1}" = "$1" ] || return 0
	names+=("$1")
	shift
	commands+=("$*")
}

floors() {
	try floors/includes "$PYTHON" tests/floors/floors.py
	try floors/planted "$PYTHON" tests/floors/floors_test.py
	try floors/readers "$PYTHON" tests/floors/readers.py
	try floors/readers-planted "$PYTHON" tests/floors/readers_test.py
	try floors/hung bash tests/floors/hung_case.sh
	try floors/again bash tests/floors/again_case.sh
}
unit() { # by the sources: the program of one that is gone may still lie there
	for t in tests/unit/*_test.c; do try "unit/$(basename "$t" .c)" "$BUILD/tests/$(basename "$t" .c)"; done
}
format() {
	try format/second_reader "$PYTHON" tests/format/second_reader_test.py
	try format/golden bash tests/format/golden.sh
}
cli() { for t in tests/cli/*_case.sh; do try "cli/$(basename "$t" _case.sh)" bash "$t"; done; }
page() { for t in tests/page/*_case.sh; do try "page/$(basename "$t" _case.sh)" bash "$t"; done; }
fuzz() {
	try fuzz/differential "$PYTHON" tests/fuzz/differential.py --digest "$DIGEST" --seed 1 --count 2000
	try fuzz/hostile "$PYTHON" tests/fuzz/hostile.py --baton "$BATON" --commands "$BUILD/tests/commands" --seed 1 --count 12 --seconds 20
}
# Short cuts of `make hard`. Those that are not here have a case elsewhere: 3 shim/disk, 5 shim/faults, 10 and 20 shim/identical,
# 12 fuzz, 17 cli/cores and cli/mpi, 18 cli/trace_bad, 19 format/golden; 11 needs time, and of 8 only
# the judgement is here, on a recorder that leaks.
hard() {
	row() { try "hard/$1" "$PYTHON" tests/hard/"$1".py --most "$2"; }
	try hard/state "$PYTHON" tests/hard/state_test.py
	try hard/growth "$PYTHON" tests/hard/growth_test.py
	try hard/coverage "$PYTHON" tests/hard/12_fuzz.py --coverage
	try hard/leak "$PYTHON" tests/hard/08_soak.py --leak 1048576 --seconds 10
	row 01_kills 10
	row 02_conserved 500000
	row 03_disk_full 4
	row 04_io_faults 4
	row 06_forks 120
	row 07_threads 2048
	row 09_gpu_times 3
	row 13_flips 3000
	row 14_sizes 32
	row 15_names 2
	row 16_places 30
	row 18_ranks 10
}
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
	try accuracy/family "$PYTHON" tests/accuracy/family_test.py
	try accuracy/steps "$PYTHON" tests/accuracy/steps.py --baton "$BATON" --sim "$PWD/$BUILD/baton-sim" --quick
	try accuracy/twins "$PYTHON" tests/accuracy/twins.py --baton "$BATON" --sim "$SIM" --quick
	local kind=agreement
	case $BUILD in *san-*) kind=random ;; esac # of the sample traces the reference takes most of the time
	try accuracy/agreement sh tests/accuracy/run.sh "${SEEDS:-400}" "$kind"
	try accuracy/truth sh tests/accuracy/run.sh 0 truth
}

. tests/pool.sh

for asked in ${@:-$parts}; do
	part=${asked%%/*} before=${#names[@]}
	[ "$asked" = "$part" ] && only= || only=$asked
	case " $parts " in
	*" $part "*) "$part" ;;
	*) echo "run.sh: no part '$part'; there are: $parts" && exit 2 ;;
	esac
	[ "${#names[@]}" -gt "$before" ] || { echo "run.sh: no case '$asked'" && exit 2; }
done
way() { echo "$ways" | awk -v name="$1" '$2 == name { print $1; exit }'; }
first=() beside=() alone=()
for i in "${!names[@]}"; do
	case $BUILD in *san-*)
		is_same_without_sanitizer "${names[i]}" && leave_out "${names[i]}" "the same as without a sanitizer" && continue
		is_for_answers "${names[i]}" && leave_out "${names[i]}" "other cases run the same under a sanitizer" && continue ;;
	esac
	case $(way "${names[i]}") in
	alone) alone+=("$i") ;;
	first) first+=("$i") ;;
	*) beside+=("$i") ;;
	esac
done
. tests/jobs.sh
pool "$JOBS" ${first[@]+"${first[@]}"} ${beside[@]+"${beside[@]}"}
pool 1 ${alone[@]+"${alone[@]}"}
once_more
slowest 10
echo
counts
