#!/usr/bin/env bash
# `baton record`: the job runs as if nobody looked, and ends so; where the trace goes; what is said; what a killed process left.
# libbaton.so is a double (record_fake.c) that leaves what a recorded process leaves.
. "$(dirname "$0")/lib.sh"

fake=$work/libfake.so place=$work/rings
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -fvisibility=hidden -shared -Iinclude -o "$fake" tests/cli/record_fake.c \
	include/codec/*.c -lzstd -lxxhash || fail "the double"
mkdir "$place"
export BATON_LIB=$fake FAKE_PLACE=$place BATON_RING_DIR=$place
unset BATON_OUT BATON_RUN_ID BATON_TRACE BATON_STACKS BATON_BACKWARD BATON_GRAPHS BATON_VERBOSE LD_PRELOAD "${!SLURM_@}" "${!PMI_@}" "${!OMPI_@}" "${!PMIX_@}"
n=0

expect_run() { # expect_run STATUS PROGRAM...: a recording into a new directory, $run
	local want=$1
	shift
	run=$work/run$((n += 1))
	expect_status "$want" "$BATON" record -o "$run" -- "$@"
}

same() { # same TEXT A B
	checks=$((checks + 1))
	[ "$2" = "$3" ] || fail "$1: '$2', expected '$3'"
}

quiet() { # nothing on stderr but baton's own lines
	checks=$((checks + 1))
	! grep -v '^baton: ' "$work/err" || fail "lines that do not begin with 'baton: '"
}

# Keeps out: a status that is baton's and not the job's.
for status in 0 1 2 5 77 255; do expect_run $status sh -c "exit $status"; done
expect_says "baton: nothing recorded: the job made no CUDA call"
expect_status 127 "$BATON" record -o "$work/absent" -- "$work/no/such"
expect_says "no/such: command not found"
expect_status 127 "$BATON" record -o "$work/absent" -- no-such-command-of-baton x y
expect_says "no-such-command-of-baton: command not found"
echo text >"$work/text"
expect_status 126 "$BATON" record -o "$work/absent" -- "$work/text"
expect_says "text: Permission denied"
expect_status 126 "$BATON" record -o "$work/absent" -- "$work"
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
expect_status 127 "$BATON" record -o "$work/absent" -- "$work/script"
expect_says "script: its interpreter, named in its first line, does not exist"
checks=$((checks + 1))
[ ! -e "$work/absent" ] || fail "a directory for a job that never ran"
expect_says_not "nothing recorded"

# Keeps out: an end by a signal that looks like an exit, to a caller who asks.
ends() { # ends SIGNAL COMMAND...: python sees how the command ended
	checks=$((checks + 1)) last="$*"
	"$PYTHON" -c "import subprocess, sys
end = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, cwd='$work').returncode
sys.exit(end != -int(sys.argv[1]) and f'returncode {end}')" "$@" 2>"$work/err" || fail "how it ended"
}
for signal in 1 2 3 6 9 11 13 15; do ends $signal "$BATON" record -o "$work/sig$signal" -- sh -c "kill -$signal \$\$"; done
mkdir "$work/cores"
(ulimit -c unlimited && cd "$work/cores" && exec "$BATON" record -o "$work/core" -- sh -c 'ulimit -c 0; kill -SEGV $$') 2>/dev/null
same "the end of a job without a core" $? 139
expect_nothing_in "$work/cores"

# Keeps out: a job that finds other descriptors, limits, signals or another environment than without us.
as_without() { # as_without SHELL_TEXT: the same output with and without; the text is run with "$@" as the prefix
	checks=$((checks + 1)) last="$1"
	bash -c "$1" bash env X=1 >"$work/without" 2>&1
	bash -c "$1" bash "$BATON" record -f -o "$work/env" -- >"$work/with" 2>"$work/err"
	diff "$work/without" "$work/with" >"$work/why" || fail "not the same: $(head -n 6 "$work/why" | tr '\n' ' ')"
}
as_without "\"\$@\" ls -l /proc/self/fd/ | awk '{print \$9}'"
as_without "ulimit -Sn 100; \"\$@\" sh -c 'ulimit -Sn; ulimit -Hn; ulimit -c'"
as_without '"$@" grep -E "^Sig(Blk|Ign)" /proc/self/status'
as_without 'trap "" HUP USR1 CHLD PIPE; "$@" grep -E "^Sig(Blk|Ign)" /proc/self/status'
as_without '"$@" sh -c "yes | head -n 1; echo \${PIPESTATUS-}"; "$@" bash -c "yes | head -n 1; echo \${PIPESTATUS[*]}"'
as_without '"$@" sh -c "ls /proc/self/fd" <&-'
as_without '"$@" sh -c "ls /proc/self/fd >&2" >&- 2>'"$work/closed.err; grep -v '^baton: ' $work/closed.err"
as_without '"$@" "'"$PYTHON"'" -c "import os; print(os.open(\"/dev/null\", 0), os.open(\"/dev/null\", 0))"'
as_without '"$@" "'"$PYTHON"'" -c "import os; print(os.getpgid(0) == os.getpgid(os.getppid()), os.getsid(0) == os.getsid(os.getppid()))"'
as_without '"$@" env | grep -v -E "^(BATON_|LD_PRELOAD|_|X)"'
expect_status 3 bash -c "trap '' CHLD; exec \"\$@\"" bash "$BATON" record -o "$work/chld" -- sh -c 'exit 3'
head -c 300000 /dev/urandom >"$work/bytes"
checks=$((checks + 2))
"$BATON" record -o "$work/bytes1" -- sh -c 'cat; exec cat '"$work/bytes"' >&2' <"$work/bytes" >"$work/copy" 2>"$work/err"
cmp -s "$work/bytes" "$work/copy" || fail "stdout is not what the job wrote"
head -c 300000 "$work/err" | cmp -s "$work/bytes" - || fail "stderr is not what the job wrote"
: >"$work/err"
expect_status 4 bash -c '"$@" 2>&-' bash "$BATON" record -o "$work/closed" -- sh -c 'exit 4'

# Keeps out: variables that were lost, that the user's own win over, or another preloaded library that is gone.
export FAKE_MARK=$work/mark
expect_run 0 env
expect_prints "LD_PRELOAD=$fake" "BATON_OUT=$(realpath "$run")" "BATON_RUN_ID="
checks=$((checks + 2))
[ -e "$work/mark" ] || fail "the library was not loaded"
! grep -q -E '^BATON_(TRACE|STACKS|BACKWARD|GRAPHS|VERBOSE)=' "$work/out" || fail "variables that nobody asked for"
id=$(grep BATON_RUN_ID "$work/out")
expect_run 0 env
checks=$((checks + 1))
[ "$id" != "$(grep BATON_RUN_ID "$work/out")" ] || fail "two runs with one id"
expect_status 0 env BATON_STACKS=off BATON_GRAPHS=graph BATON_RUN_ID=mine "$BATON" record -v -s both --backward off -t cuda,nccl -o "$work/vars" -- env
expect_prints BATON_STACKS=both BATON_BACKWARD=off BATON_GRAPHS=graph BATON_TRACE=cuda,nccl BATON_VERBOSE=1 BATON_RUN_ID=mine
other=$work/libother.so
echo 'int nothing_at_all;' | ${CC:-cc} -shared -fPIC -x c -o "$other" - || fail "another library"
case $BATON in *san-*) ;; # a sanitizer's runtime wants to be the first library in baton itself
*)
	expect_status 0 env LD_PRELOAD="$other" "$BATON" record -o "$work/chain" -- env
	expect_prints "LD_PRELOAD=$fake:$other"
	;;
esac
unset FAKE_MARK

# Keeps out: a library that is not found after the job has started; one that LD_PRELOAD cannot name.
expect_status 3 env BATON_LIB="$work/no.so" "$BATON" record -o "$work/nolib" -- touch "$work/ran"
expect_says "cannot find libbaton.so beside baton" "the job was not started"
mkdir "$work/a b" "$work/bin" "$work/lib" "$work/lib/baton"
cp "$fake" "$work/a b/lib.so"
expect_status 3 env BATON_LIB="$work/a b/lib.so" "$BATON" record -o "$work/nolib" -- touch "$work/ran"
cp "$BATON" "$work/bin/baton"
cp "$fake" "$work/lib/baton/libbaton.so"
expect_status 0 env -u BATON_LIB "$work/bin/baton" record -o "$work/installed" -- env
expect_prints "lib/baton/libbaton.so"
cp "$fake" "$work/bin/libbaton.so"
expect_status 0 env -u BATON_LIB "$work/bin/baton" record -o "$work/beside" -- env
expect_prints "LD_PRELOAD=$(realpath "$work")/bin/libbaton.so"
rm -r "$work/bin"
expect_nothing_in "$work/nolib"
expect_nothing_in "$work/ran"

# ---- where to ----

# Keeps out: patterns of nsys users taken literally; a name that is not new; parents that are missing; what others may read.
expect_status 0 env JOB=42 "$BATON" record -o "$work/p/%q{JOB}/%h-%p-100%%" -- sh -c 'echo $PPID'
checks=$((checks + 2))
made=$work/p/42/$(hostname)-$(cat "$work/out")-100%
[ -d "$made" ] || fail "-o made $(find "$work/p" | tail -n 1), not $made"
(umask 000 && "$BATON" record -o "$work/open/x///" -- true 2>"$work/err")
same "the directory's mode" "$(stat -c %a "$work/open/x")" 700
for i in 1 2 3; do expect_status 0 "$BATON" record -o "$work/new-%n" -- true; done
same "%n" "$(cd "$work" && echo new-*)" "new-1 new-2 new-3"
(cd "$work/open" && "$BATON" record true && "$BATON" record true) 2>"$work/err"
same "the default" "$(cd "$work/open" && echo baton-*)" "baton-1 baton-2"
for i in 1 2 3 4 5 6 7 8; do "$BATON" record -o "$work/race-%n" -- true 2>>"$work/err" & done
wait
same "%n claimed by eight at once" "$(cd "$work" && echo race-*)" "$(echo race-{1..8})"
for pattern in 'x%' 'x%z' 'x%q' 'x%q{' 'x%q{NOT_SET_ANYWHERE}'; do
	expect_status 2 "$BATON" record -o "$work/$pattern" -- touch "$work/ran"
	expect_says "baton: -o: "
done

# Keeps out: a run that is mixed with another or overwrites it; -f that removes more than traces.
mkdir "$work/full"
touch "$work/full/notes"
expect_status 2 "$BATON" record -o "$work/full" -- touch "$work/ran"
expect_says "$work/full: not empty" "-f"
touch "$work/full/a.baton" "$work/full/summary.baton" "$work/full/.hidden" "$work/full/a.baton.salvage" "$work/full/baton"
mkdir "$work/full/sub"
touch "$work/full/sub/b.baton"
expect_status 0 "$BATON" record -f -o "$work/full" -- true
same "what -f left" "$(cd "$work/full" && find . -type f | sort | tr '\n' ' ')" "./.hidden ./baton ./notes ./sub/b.baton "
mkdir "$work/hidden"
touch "$work/hidden/.keep"
expect_status 0 "$BATON" record -o "$work/hidden" -- true

# Keeps out: two recorders that both find the directory empty, and mix their runs.
for i in 1 2 3 4 5; do
	last="two at once" checks=$((checks + 1))
	rm -f "$work"/status.[ab] # the job goes on until the other recorder has ended, or 20 s, if it has not
	for one in a b; do
		("$BATON" record -o "$work/two$i" -- sh -c 'n=0; until [ -s "$0.a" ] || [ -s "$0.b" ] || [ $((n += 1)) -gt 1000 ]; do sleep 0.02; done' "$work/status" \
			2>"$work/two.$one"
		echo $? >"$work/status.$one") &
	done
	wait
	case "$(cat "$work/status.a") $(cat "$work/status.b")" in
	"0 2") grep -q "another baton record writes into it" "$work/two.b" || fail "$(cat "$work/two.b")" ;;
	"2 0") grep -q "another baton record writes into it" "$work/two.a" || fail "$(cat "$work/two.a")" ;;
	*) fail "statuses $(cat "$work/status.a") and $(cat "$work/status.b")" ;;
	esac
	same "what they left" "$(ls -A "$work/two$i")" ""
done
for rank in 0 1; do
	(SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=$rank "$BATON" record -o "$work/shared" -- sh -c '
		: >"$0.$SLURM_PROCID"; n=0; while [ ! -e "$0.tried" ] && [ $((n += 1)) -lt 3000 ]; do sleep 0.02; done' "$work/member" 2>/dev/null
	echo $? >"$work/status.$rank") &
done
for ((n = 0; n < 3000; n++)); do
	[ ! -e "$work/member.0" ] || [ ! -e "$work/member.1" ] || break
	sleep 0.02
done
expect_status 2 env SLURM_JOB_ID=8 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$BATON" record -o "$work/shared" -- true
expect_says "another baton record writes into it"
: >"$work/member.tried"
wait
same "members of one launch" "$(cat "$work/status.0") $(cat "$work/status.1")" "0 0"

# Keeps out: traces in a place that everybody can exchange; a project's directory that is refused; a job started for nothing that leaves directories.
if [ "$(id -u)" = 0 ]; then
	all=$work/all # a place like /tmp
	mkdir "$work/theirs" "$work/mine" "$work/anybodys" "$all" "$all/theirs"
	chmod 0777 "$work/anybodys" && chmod 1777 "$all"
	ln -s "$work/mine" "$all/link" && ln -s "$work/mine" "$all/own-link"
	ln -s "$work/mine" "$work/link"
	chown -h 65534 "$work/theirs" "$work/anybodys" "$all/theirs" "$all/link" "$work/link"
	for where in anybodys all/theirs all/link all/link/; do
		expect_status 5 "$BATON" record -o "$work/$where" -- touch "$work/ran"
		expect_says "$work/${where%/}: it, or the link to it, is another user's in a place where everybody can write; the job was not started"
	done
	for where in theirs link all/own-link all/made; do
		expect_status 0 "$BATON" record -o "$work/$where" -- true
	done
	expect_status 0 "$BATON" record -v -o "$work/theirs" -- true
	expect_says "$work/theirs: belongs to another user, who can exchange the traces"
fi
# Keeps out: a lock file that stays for ever where the file system has no locks, with the notes of processes beside it.
case ${BUILD:-} in
*san-*) ;; # a preloaded library cannot bring a sanitizer's runtime
*)
	echo '#include <errno.h>
int flock(int fd, int how) { (void)fd, (void)how; errno = ENOLCK; return -1; }' >"$work/nolock.c"
	${CC:-cc} -shared -fPIC -o "$work/nolock.so" "$work/nolock.c" || fail "a file system without locks"
	for _ in 1 2; do
		expect_status 0 env LD_PRELOAD="$work/nolock.so" "$BATON" record -o "$work/nolock" -- true
		checks=$((checks + 1))
		[ ! -e "$work/nolock/.baton-recording" ] || fail "the lock file stays"
	done
	for rank in 1 0; do
		expect_status 0 env LD_PRELOAD="$work/nolock.so" BATON_RUN_ID=unlocked RANK=$rank WORLD_SIZE=2 "$BATON" record -o "$work/nolock2" -- true
		[ ! -e "$work/nolock2/.baton-recording" ] || [ $rank = 1 ] || fail "the lock file of a launch stays"
	done
	;;
esac
# Keeps out: what a killed recording noted of its processes, counted as this one's.
mkdir "$work/noted" && touch "$work/noted/.baton-unrecorded-1"
expect_status 0 "$BATON" record -o "$work/noted" -- true
expect_says "nothing recorded: the job made no CUDA call"
expect_status 127 "$BATON" record -o "$work/parent/of/it" -- "$work/no/such"
checks=$((checks + 1))
[ ! -e "$work/parent" ] || fail "the parents of a directory that was not used"

# Keeps out: a job that was started for nothing.
for where in /dev/null/x "$work/text" "$work/text/x" /proc/nowhere "$work/$(printf '%0300d' 0)"; do
	expect_status 5 "$BATON" record -o "$where" -- touch "$work/ran"
	expect_says "the job was not started"
done
deep=$work$(printf '/%0200d' 1 2 3 4 5)
expect_status 5 "$BATON" record -o "$deep" -- touch "$work/ran"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir "$work/locked"
	chmod 755 "$work"
	expect_status 5 setpriv --reuid 65534 --clear-groups "$BATON" record -o "$work/locked" -- touch "$work/ran"
	expect_says "Permission denied"
	chmod 700 "$work"
fi
expect_nothing_in "$work/ran"

# ---- what is refused ----

# Keeps out: srun or mpirun preloaded instead of the job; -f true of nsys users that runs `true`; options that do nothing.
for launcher in srun mpirun mpiexec ray docker ssh /usr/bin/srun; do
	expect_status 2 "$BATON" record -o "$work/refused" -- $launcher -n 4 python train.py
	expect_says "${launcher##*/} ... baton record -o $work/refused -- PROGRAM"
done
printf '#!/bin/sh\nexit 9\n' >"$work/srun"
chmod +x "$work/srun"
expect_status 9 "$BATON" record --any-program -o "$work/forced" -- "$work/srun"
for option in '-f true' '--force false'; do
	# shellcheck disable=SC2086 # two words
	expect_status 2 "$BATON" record $option -o "$work/refused" -- touch "$work/ran"
	expect_says "-f takes no value"
done
expect_status 0 "$BATON" record -f -o "$work/true" true
for option in "-t gpu" "-t cuda,gpu" "-s some" "--graphs no" "--kill TERM" "--kill XX --duration 5" "--duration x --kill TERM" \
	"--duration nan --kill TERM" "--duration 0" "--delay x" "--delay -1" "--delay 5s" "-c nvtx" "--capture-range-end stop" "-c none --capture-range-end stop" \
	"-c cudaProfilerApi --capture-range-end end" "-c cudaProfilerApi --kill TERM" "--delay 5 --kill TERM"; do
	# shellcheck disable=SC2086
	expect_status 2 "$BATON" record $option -o "$work/refused" -- touch "$work/ran"
done
refused() { # refused TEXT OPTION...
	local text=$1
	shift
	expect_status 2 "$BATON" record "$@" -o "$work/refused" -- touch "$work/ran"
	expect_says "$text"
}
refused "--capture-range-end: 'repeat:3' is not supported" -c cudaProfilerApi --capture-range-end repeat:3
refused "--delay cannot be used with -c" -c cudaProfilerApi --delay 3
refused "--kill cannot be used with -c" -c cudaProfilerApi --duration 3 --kill TERM
refused "--kill needs --duration" --kill TERM
refused "--trace nvtx: to record a part of a job" -t nvtx --duration 3
refused "--capture-range-end needs -c" --capture-range-end stop

# Keeps out: a part of the job that is not the one that was asked for.
window() { # window PATTERN OPTION...: what the job is told
	local pattern=$1
	shift
	expect_status 0 "$BATON" record -f -o "$work/window" "$@" -- sh -c 'echo "$BATON_WINDOW"'
	checks=$((checks + 1))
	grep -qE "^$pattern\$" "$work/out" || fail "'$(cat "$work/out")' is not $pattern"
}
window ''
window '' -c none
window 'time:[0-9]+:0' --delay 5
window 'time:[0-9]+:[0-9]+' --duration 0.5
window 'time:[0-9]+:[0-9]+' --delay 0 --duration 3
window 'time:[0-9]+:[0-9]+:quiet' --delay 1 --duration 3 --kill TERM
window 'cudaProfilerApi:0:stop' -c cudaProfilerApi
window 'cudaProfilerApi:0:stop' -c cudaProfilerApi --capture-range-end stop-shutdown
window 'cudaProfilerApi:1500000000:none' -c cudaProfilerApi --capture-range-end none --duration 1.5
checks=$((checks + 1)) last="the two ends"
"$BATON" record -f -o "$work/window" --delay 2 --duration 3 -- "$PYTHON" -c 'import os, time
now = time.monotonic_ns()
begin, end = map(int, os.environ["BATON_WINDOW"].split(":")[1:])
assert end - begin == 3 * 10**9 and 0 <= now + 2 * 10**9 - begin < 60 * 10**9, (now, begin, end)' 2>"$work/err" || fail "not from 2 s to 5 s"
expect_status 0 "$BATON" record -c none -t cuda,nvtx,osrt -o "$work/nsys" -- true
expect_says "osrt is not supported"
expect_nothing_in "$work/refused"
expect_nothing_in "$work/ran"

# Keeps out: silence about a program that cannot be recorded.
echo 'int main(void) { return 6; }' | ${CC:-cc} -static -x c -o "$work/static" - 2>/dev/null && {
	expect_run 6 "$work/static"
	expect_says "is statically linked"
}
cp "$(type -P true)" "$work/setuid"
chmod 4755 "$work/setuid"
expect_run 0 "$work/setuid"
expect_says "is set-uid or set-gid"

# ---- signals ----

# Keeps out: a job that outlives the kill of its launcher or is told twice; a terminal's ^C that comes twice.
cat >"$work/listen.py" <<'PY'
import os, signal, sys, time
heard = []


def hear(number, frame):
    heard.append(signal.Signals(number).name)
    with open(sys.argv[1] + ".heard", "a") as file:
        print(heard[-1], file=file)


for name in sys.argv[2:]:
    signal.signal(getattr(signal, name), hear)
open(sys.argv[1], "w").write(str(os.getpid()))
end = time.time() + 60
while time.time() < end and "SIGUSR2" not in heard:
    time.sleep(0.01)
time.sleep(0.1)
print(" ".join(heard), flush=True)
PY
cat >"$work/signals.py" <<'PY'
# How signals reach the job: sent to baton alone; typed at the terminal that both belong to.
import os, pty, signal, subprocess, sys, time
baton, work, python = sys.argv[1:4]


def ready(path):
    for _ in range(6000):
        if os.path.exists(path) and os.path.getsize(path):
            return
        time.sleep(0.01)
    sys.exit(f"no {path}: the job did not start, or did not hear")


def heard_so_far(path, n):
    """Of signals that are pending together the lowest comes first: the next is sent when this one was heard."""
    ready(path + ".heard")
    for _ in range(2000):
        if len(open(path + ".heard").read().split()) >= n:
            return
        time.sleep(0.01)


def alone():
    job = [python, work + "/listen.py", work + "/pid1", "SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGWINCH"]
    process = subprocess.Popen([baton, "record", "-o", work + "/alone", "--"] + job, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    ready(work + "/pid1")
    sent = ["SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1", "SIGWINCH", "SIGUSR2"]
    for n, name in enumerate(sent):
        process.send_signal(getattr(signal, name))
        heard_so_far(work + "/pid1", n + 1)
    heard = process.communicate()[0].split()
    assert heard == sent, heard
    assert process.returncode == 0, process.returncode


def typed(name, prefix, heard):
    """^C and ^\\ typed at a terminal that is baton's and, unless it leaves the group, the job's."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(baton, [baton, "record", "-o", work + "/" + name, "--"] + prefix +
                 [python, work + "/listen.py", work + "/pid-" + name, "SIGINT", "SIGQUIT", "SIGUSR2"])
    ready(work + "/pid-" + name)
    for n, key in enumerate([b"\x03", b"\x1c"]):
        os.write(fd, key)
        if len(heard) > 1:
            heard_so_far(work + "/pid-" + name, n + 1)
        else:
            time.sleep(0.2)  # for what must not come
    os.kill(pid, signal.SIGUSR2)
    text = b""
    try:
        while chunk := os.read(fd, 4096):
            text += chunk
    except OSError:
        pass
    status = os.waitpid(pid, 0)[1]
    assert text.split(b"baton:")[0].replace(b"^C", b"").replace(b"^\\", b"").split() == heard, text
    assert status == 0, status


def terminal():
    typed("tty", [], [b"SIGINT", b"SIGQUIT", b"SIGUSR2"])


def terminal_only():
    """Not passed on: to a job in the group it would be the second one."""
    leave = "import os, sys; os.setpgid(0, 0); os.execvp(sys.argv[1], sys.argv[1:])"
    typed("tty2", [python, "-c", leave], [b"SIGUSR2"])


def ends_by_term():
    process = subprocess.Popen([baton, "record", "-o", work + "/term", "--", "sh", "-c", "echo >%s/pid-term; exec sleep 60" % work], stderr=subprocess.DEVNULL)
    ready(work + "/pid-term")
    process.terminate()
    assert process.wait(60) == -signal.SIGTERM, process.returncode


def ignored():
    """nohup: what nobody handles changes nothing, a handler of the job's own is reached."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    process = subprocess.Popen([baton, "record", "-o", work + "/nohup", "--", "sh", "-c",
                                "cd %s; echo >pid2; until [ -e hung_up ]; do sleep 0.02; done; sleep 0.2; exit 4" % work], stderr=subprocess.DEVNULL)
    ready(work + "/pid2")
    process.send_signal(signal.SIGHUP)
    open(work + "/hung_up", "w").close()
    assert process.wait(60) == 4, process.returncode
    process = subprocess.Popen([baton, "record", "-o", work + "/nohup2", "--", python, work + "/listen.py", work + "/pid3",
                                "SIGHUP", "SIGUSR2"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    ready(work + "/pid3")
    process.send_signal(signal.SIGHUP)
    heard_so_far(work + "/pid3", 1)
    process.send_signal(signal.SIGUSR2)
    assert process.communicate()[0].split() == ["SIGHUP", "SIGUSR2"]


def sent_by_the_job():
    """What the job sends to its group it has already: it does not come back."""
    text = "import os, signal, time; n = []; signal.signal(signal.SIGUSR1, lambda *a: n.append(1))\n" \
           "os.kill(os.getppid(), signal.SIGUSR1); time.sleep(0.3); print(len(n))"
    process = subprocess.run([baton, "record", "-o", work + "/group", "--", python, "-c", text], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    assert (process.returncode, process.stdout) == (0, "0\n"), process


for case in alone, terminal, terminal_only, ends_by_term, ignored, sent_by_the_job:
    try:
        case()
    except AssertionError as error:
        sys.exit(f"{case.__name__}: {error}")
PY
expect_status 0 "$PYTHON" "$work/signals.py" "$BATON" "$work" "$PYTHON"

# Keeps out: --kill that comes at once, never, or with another signal.
cat >"$work/blocked.py" <<'PY' # what is blocked here is blocked in the job, however long that takes to start
import os, signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.environ["BEGIN"] = str(time.monotonic())
os.execv(sys.argv[1], sys.argv[1:])
PY
expect_status 0 "$PYTHON" "$work/blocked.py" "$BATON" record --duration 3 --kill usr1 -o "$work/kill1" -- "$PYTHON" -c 'import os, signal, time
got = signal.sigtimedwait([signal.SIGUSR1], 60)
took = time.monotonic() - float(os.environ["BEGIN"])
assert got and took >= 3, (got, took)'
ends 9 "$BATON" record --duration 0.2 --kill 9 -o "$work/kill2" -- sleep 60
expect_status 3 "$BATON" record --duration 60 --kill TERM -o "$work/kill3" -- sh -c 'exit 3'

# ---- what is said ----

# Keeps out: totals that are not the trace's; other calls and what is in flight counted; more than one line.
export FAKE=1204112,1001,12
expect_run 0 true
expect_says "baton: 1 process, 1,204,112 launches, 12 dropped (and 1,200 other records), " " in $run        next: baton report $run"
same "lines" "$(wc -l <"$work/err")" 1
expect_status 0 "$BATON" check "$run"
export FAKE=20,0,0
expect_run 3 bash -c 'FAKE=22,3,1 bash -c "exit 0"; FAKE=1,1,1 bash -c "exit 1"; exit 3'
expect_says "baton: 3 processes, 43 launches, 2 dropped (and 200 other records), 2 kB in "
quiet
cp tests/golden/format/good-summary.baton "$work/summary"
expect_run 0 bash -c "cp $work/summary \$BATON_OUT/summary.baton"
expect_says "baton: 1 process, 20 launches, 0 dropped"
expect_run 0 bash -c 'unset FAKE; head -c 100 /dev/urandom >$BATON_OUT/x.baton'
expect_says "baton: 2 processes, 20 launches"

# Keeps out: ranks of one srun that turn each other away, empty the directory under each other, or are not one run.
task() { # task STEP RANK COMMAND...: as srun starts it
	SLURM_JOB_ID=77 SLURM_STEP_ID=$1 SLURM_PROCID=$2 SLURM_STEP_NUM_TASKS=3 timeout 60 "${@:3}"
}
tasks() { # tasks STEP OPTION...: three, the last begins when the first has ended
	for rank in 0 1 2; do
		(sleep 0.$((2 * rank)) && task "$1" $rank "$BATON" record "${@:2}" -o "$work/ranks" -- true) 2>"$work/err$rank" &
		pids[rank]=$!
	done
	ended=
	for rank in 0 1 2; do
		wait "${pids[rank]}"
		ended+="$? "
	done
	cat "$work"/err[0-2] >"$work/err"
}
traces() { find "$work/ranks" -name '*.baton' | wc -l; }
tasks 1
same "three tasks, first step" "$ended$(traces)" "0 0 0 3"
same "lines of three tasks" "$(wc -l <"$work/err")" 1
expect_says " launches, 0 dropped"
same "run ids" "$("$BATON" dump --json "$work/ranks" | grep -c '"run_id":"77.1"')" 3
tasks 2
same "three tasks into a full directory" "$ended$(traces)" "2 2 2 3"
tasks 3 -f
same "three tasks, -f" "$ended$(traces)" "0 0 0 3"
same "run ids after -f" "$("$BATON" dump --json "$work/ranks" | grep -c '"run_id":"77.3"')" 3
expect_status 2 env SLURM_JOB_ID=77 SLURM_STEP_ID=3 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=3 "$BATON" record -o "$work/ranks" -- true
expect_status 2 env PMI_RANK=0 PMI_SIZE=2 "$BATON" record -o "$work/pmi" -- true
expect_says "BATON_RUN_ID"
expect_status 0 env PMI_RANK=0 PMI_SIZE=2 BATON_RUN_ID=x "$BATON" record -o "$work/pmi" -- true
expect_status 2 env PMI_RANK=0 PMI_SIZE=2 BATON_RUN_ID=x "$BATON" record -- true

# ---- what a killed process left ----

# Keeps out: records that were lost with a kill; live files that stay; processes that still run, and other runs, that are touched.
export FAKE=500,20,3 FAKE_END=live
run=$work/killed
ends 9 "$BATON" record -o "$run" -- sh -c 'kill -9 $$'
expect_says "1 process ended without closing its trace: 520 records were taken from shared memory, " "baton: 1 process, 500 launches, 3 dropped"
quiet
expect_nothing_in "$place"
expect_status 0 "$BATON" check "$run"
expect_run 0 sh -c 'FAKE=7,0,0 FAKE_PLACE=$BATON_OUT bash -c "kill -9 \$\$"; exit 0'
expect_says "2 processes ended without closing their traces: 527 records" "2 processes, 507 launches"
checks=$((checks + 1))
[ -z "$(find "$run" -name '*.live')" ] || fail "a live file in the directory itself stays"
rm -f "$place"/*
: >"$work/err"
FAKE_END=closed ends 9 "$BATON" record -o "$work/closed2" -- sh -c 'kill -9 $$'
expect_says_not "taken from shared memory"
expect_nothing_in "$place"

expect_run 0 sh -c 'FAKE=9,0,0 sleep 300 >/dev/null 2>&1 & echo $!; until [ -e "$(echo "$FAKE_PLACE"/*."$!".*.live)" ]; do sleep 0.01; done'
expect_says "2 processes (1 still recorded)"
same "the live file of a process that runs" "$(find "$place" -name "*.$(cat "$work/out").*.live" | wc -l)" 1
kill -9 "$(cat "$work/out")"
other_run=$run
unset FAKE FAKE_END
expect_run 0 true
same "another run's live file" "$(find "$place" -name '*.live' | wc -l)" 1
expect_status 0 "$BATON" record -f -o "$other_run" -- true
expect_says_not "taken from shared memory"
expect_nothing_in "$place"

# Keeps out: hanging on, or reading, what another user puts beside the rings.
mkfifo "$place/baton-0-0badc0de.1.1.0.live"
ln -s /dev/zero "$place/baton-0-0badc0de.1.2.0.live"
head -c 5000 /dev/urandom >"$place/baton-0-0badc0de.1.3.0.live"
: >"$place/baton-0-0badc0de.1.4.0.live"
mkdir "$place/baton-0-0badc0de.1.5.0.live"
expect_run 0 true
expect_says "nothing recorded"
rm -r "${place:?}"/*
if [ "$(id -u)" = 0 ]; then
	export FAKE=500,20,3 FAKE_END=live
	run=$work/foreign
	(FAKE_PLACE=$work exec "$BATON" record -o "$run" -- sh -c 'kill -9 $$') 2>/dev/null
	chown 65534 "$work"/*.live && mv "$work"/*.live "$place"
	unset FAKE FAKE_END
	expect_status 0 "$BATON" record -f -o "$run" -- true
	same "another user's live file" "$(find "$place" -name '*.live' | wc -l)" 1
fi
finish
