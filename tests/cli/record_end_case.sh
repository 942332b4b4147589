#!/usr/bin/env bash
# baton record: it ends as its job ends, passes on what comes in, names and guards its directory, and counts what was launched. The
# job's side of it (outputs, descriptors, limits, traces) is in tests/shim/identical_case.sh.
. tests/cli/lib.sh
preloads simtrain simlaunch simcaller simgpu/libcount.so
here=$PWD double=$here/$BUILD/simgpu
export LD_LIBRARY_PATH=$double
ulimit -c 0
train="$here/$BUILD/simtrain --layers 2"

ended() { # ended HOW COMMAND...: "exit N" or "signal N"
	local how=$1
	shift
	checks=$((checks + 1)) last="$*"
	timeout 60 "$PYTHON" $here/tests/shim/ending.py "$work/ending" "$@" >"$work/out" 2>"$work/err"
	[ "$(cat "$work/ending")" = "$how" ] || fail "ended by $(cat "$work/ending"), expected $how"
}
record() { "$BATON" record "$@"; }
is_equal() { # is_equal WHAT GOT WANTED
	checks=$((checks + 1))
	[ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"
}

# ---- it ends as the job ends ----
wrong=
for ((n = 0; n < 256; n++)); do
	record -o "$work/status" -- sh -c "exit $n" 2>>"$work/err"
	[ $? = "$n" ] || wrong="$wrong $n"
done
is_equal "exit statuses that did not come through" "$wrong" ""
for signal in 1 2 3 6 9 10 11 13 14 15; do
	ended "signal $signal" "$BATON" record -o "$work/s" -- sh -c "kill -$signal \$\$"
done
ended "exit 139" "$BATON" record -o "$work/s" -- sh -c 'exit 139'
ended "exit 127" "$BATON" record -o "$work/s" -- "$work/no-such-program"
expect_says "command not found"
expect_says_not "nothing recorded"
echo 'no program' >"$work/not-executable"
ended "exit 126" "$BATON" record -o "$work/s" -- "$work/not-executable"
ended "exit 126" "$BATON" record -o "$work/s" -- "$work"

# ---- signals reach the job ----
told() { # told SIGNAL PROGRAM...: sent to baton once the job says that it is ready; how baton ended is in $work/ending
	local signal=$1 pid n=0
	shift
	rm -f "$work/ready"
	"$PYTHON" $here/tests/shim/ending.py "$work/ending" "$BATON" record -f -o "$work/told" -- "$@" >"$work/out" 2>"$work/err" &
	while [ ! -s "$work/ready" ] && [ $((n += 1)) -lt 6000 ]; do sleep 0.01; done
	pid=$(cut -d' ' -f4 "/proc/$(cat "$work/ready")/stat") # the parent of the job
	kill "-$signal" "$pid"
	wait $!
	checks=$((checks + 1)) last="$* ($signal)"
}
for signal in TERM HUP USR1 USR2 ALRM; do
	told $signal sh -c "trap 'echo got $signal; exit 7' $signal; echo \$\$ >$work/ready; while :; do sleep 0.02; done"
	is_equal "$signal" "$(cat "$work/out" "$work/ending" | tr '\n' ,)" "got $signal,exit 7,"
done
told TERM sh -c "echo \$\$ >$work/ready; exec sleep 60"
is_equal "a job without a handler" "$(cat "$work/ending")" "signal 15"
# `baton record` killed: what the job recorded until then is found when its directory is read
told KILL sh -c "echo \$\$ >$work/ready; exec $train --steps 8 >/dev/null"
is_equal "baton killed" "$(cat "$work/ending")" "signal 9"

# ---- streams and arguments ----
head -c 300000 /dev/urandom >"$work/in"
expect_status 0 "$BATON" record -o "$work/streams" -- cat <"$work/in"
cmp -s "$work/in" "$work/out" || fail "stdin or stdout differs"
expect_status 0 "$BATON" record -o "$work/streams" -- sh -c 'cat >&2' <"$work/in"
head -c 300000 "$work/err" | cmp -s "$work/in" - || fail "stderr differs"
is_equal "stderr after the job's" "$(tail -c +300001 "$work/err")" "baton: nothing recorded: the job made no CUDA call"
expect_status 0 "$BATON" record -o "$work/streams" -- sh -c 'printf "<%s>" "$@"' sh -o --help "a b" -- ''
is_equal "arguments" "$(cat "$work/out")" "<-o><--help><a b><--><>"
# what baton changes for itself is not the job's: signals of failed writes, the limit of open files, closed streams
expect_status 0 sh -c "trap - PIPE; ulimit -Sn 200; '$BATON' record -o '$work/streams' -- sh -c 'ulimit -Sn; grep SigIgn /proc/self/status'"
is_equal "limit and signals" "$(tr '\n' ' ' <"$work/out")" "200 $(sh -c 'trap - PIPE; grep SigIgn /proc/self/status') "
expect_status 0 sh -c "'$BATON' record -o '$work/streams' -- sh -c '[ -e /proc/self/fd/0 ] || echo closed' <&-"
is_equal "a closed stdin" "$(cat "$work/out")" closed

# ---- the directory ----
cd "$work" || exit 1
expect_status 0 env A=one B=a/b "$BATON" record -o 'o/%q{A}-%h-%%-%q{B}' -- "$here/$BUILD/simcaller" "$double/triton_like.so" 1 1
is_equal "-o" "$(ls o) $(ls "o/one-$(hostname)-%-a")" "one-$(hostname)-%-a b"
is_equal "mode of the directory" "$(stat -c %a "o/one-$(hostname)-%-a/b")" 700
is_equal "mode of the file" "$(stat -c %a "o/one-$(hostname)-%-a/b"/*.baton | sort -u)" 600
for n in 1 2 3; do
	expect_status 0 "$BATON" record -o 'numbered-%n' -- true
	[ -d "numbered-$n" ] || fail "no numbered-$n"
done
expect_status 0 "$BATON" record -- true
[ -d baton-1 ] || fail "no baton-1 without -o"
expect_status 0 "$BATON" record -o 'pid-%p' -- sh -c 'echo $PPID'
[ -d "pid-$(cat out)" ] || fail "%p is not baton's pid"
for pattern in 'x%q{NOT_SET_ANYWHERE}' 'x%q{A' 'x%z' 'x%'; do
	expect_status 2 "$BATON" record -o "$pattern" -- touch started
done
mkdir full && echo mine >full/notes && echo old >full/old.baton
expect_status 2 "$BATON" record -o full -- touch started
expect_says "not empty"
expect_status 0 "$BATON" record -f -o full -- true
is_equal "-f keeps what is not a trace" "$(ls full)" notes
expect_status 5 "$BATON" record -o full/notes -- touch started
expect_says "the job was not started"
expect_status 5 "$BATON" record -o /proc/none/here -- touch started
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir unwritable && chmod 555 unwritable && chmod 755 "$work"
	mkdir -m 755 for-all && install -m 755 "$BATON" "${BATON%/*}/libbaton.so" for-all # the tree may be root's own, in /root
	expect_status 5 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all \
		./for-all/baton record -o unwritable -- touch started
	expect_says "Permission denied" "the job was not started"
fi
expect_status 2 "$BATON" record -o r -- srun touch started
expect_says "srun ... baton record"
expect_status 2 "$BATON" record -o r -- /usr/bin/mpirun touch started
expect_status 2 "$BATON" record -o r
expect_status 2 "$BATON" record -o r -t cuda,magic -- touch started
expect_status 2 "$BATON" record -o r -s sometimes -- touch started
expect_status 2 "$BATON" record -o r --kill TERM -- touch started
expect_status 2 "$BATON" record -o r -c cudaProfilerApi --delay 3 -- touch started
expect_status 2 "$BATON" record -o r --duration 0 --kill TERM -- touch started
expect_status 2 "$BATON" record -o r --duration 1 --kill NOTHING -- touch started
expect_status 3 env BATON_LIB=/no/library.so "$BATON" record -o r -- touch started
checks=$((checks + 1))
[ ! -e started ] || fail "a refused job was started"
[ ! -e r ] || fail "a refused command made its directory"
expect_status 127 "$BATON" record --any-program -o r -- "$work/none/srun"

# ---- what it says at the end ----
checked() { # checked DIR: its traces are whole
	expect_status 0 "$BATON" check "$1"
}
expect_status 0 "$BATON" record -o none -- true
is_equal "no CUDA" "$(cat err)" "baton: nothing recorded: the job made no CUDA call"
expect_nothing_in none
export SIMGPU_COUNTS=$work/counts LD_PRELOAD=$double/libcount.so
for job in "$train --steps 3" "$train --launches 1500 --threads 4" "$here/$BUILD/simlaunch -n 3 -- $train --steps 2"; do
	rm -rf counts said
	# shellcheck disable=SC2086
	expect_status 0 "$BATON" record -o said -- $job
	launched=$(awk '$2 == "launches" { n += $NF } END { print n }' counts)
	is_equal "launches in the last line" "$(tail -n 1 err | sed -n 's/.* process.*, \([0-9,]*\) launches, 0 dropped.*baton report said$/\1/p' | tr -d ,)" "$launched"
	is_equal "processes in the last line" "$(tail -n 1 err | cut -d' ' -f2)" "$(find said -name '*.baton' ! -name 'gpus.*' | wc -l)"
	checked said
done
is_equal "files of three ranks" "$(find said -name '*.baton' ! -name 'gpus.*' | wc -l)" 3
unset SIMGPU_COUNTS LD_PRELOAD
# ours first, then what the user preloads
expect_status 0 env LD_PRELOAD="$double/libcount.so" "$BATON" record -o chain -- sh -c 'echo "$LD_PRELOAD"'
is_equal "LD_PRELOAD" "$(cat out)" "$here/$BUILD/libbaton.so:$double/libcount.so"

# ---- jobs that end badly ----
expect_status 137 "$BATON" record -o rank -- "$here/$BUILD/simlaunch" -n 2 -- $train --steps 100000 --kill-rank 1=3
expect_says "2 processes"
checked rank
ended "signal 15" "$BATON" record -o duration --kill TERM --duration 0.5 -- $train --steps 1000000
expect_says "1 process, " ", a window of " # on disk before the kill
expect_says_not "without closing its trace" "the job goes on"
checked duration
ended "signal 9" "$BATON" record -o duration -f --kill KILL --duration 0.3 -- $train --steps 1000000
checked duration
ended "exit 3" "$BATON" record -o duration -f --kill TERM --duration 30 -- sh -c 'exit 3'
finish
