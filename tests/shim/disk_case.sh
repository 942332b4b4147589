#!/usr/bin/env bash
# A disk that is full while a job records: what it has no room for is counted when that happens, and told as that, at once and after
# there is room again. Keeps out: "0 dropped"; records that are dropped and in flight too; a process "that was killed" and was not.
. tests/cli/lib.sh
preloads simtrain simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu
mkdir "$work/disk" "$work/rings"
mount -t tmpfs -o size=300k none "$work/disk" 2>/dev/null || skip "may not mount"
mounted=$work/disk
export BATON_RING_DIR=$work/rings BATON_GAUGES=off
job="$BUILD/simtrain --steps 400 --layers 8 --host-ns 200"

cat >"$work/sums.py" <<'PY' # LAUNCHES DROPPED OPS GPU_RECORDS IN_FLIGHT of a trace, and the texts of its losses
import json, sys
sums, said = [0] * 5, set()
for line in sys.stdin:
    r = json.loads(line)
    if r["record"] == "call":
        sums[0] += "Launch" in r["name"]
    elif r["record"] == "op":
        sums[2] += 1
    elif r["record"] == "loss":
        said.add(r["what"])
        sums[1] += r["count"] if r["what"].startswith("launches ") else 0
        sums[3] += r["count"] if r["what"] == "GPU records" else 0
        sums[4] += r["count"] if r["kind"] == 2 else 0
print(*sums, ";".join(sorted(said)))
PY
read_sums() { read -r launches dropped ops gpu in_flight said < <("$BATON" dump --json "$1" | "$PYTHON" "$work/sums.py"); }

# shellcheck disable=SC2086
expect_status 0 "$BATON" record -o "$work/whole" -- $job
read_sums "$work/whole"
all_launches=$((launches + dropped)) all_ops=$((ops + gpu))

# shellcheck disable=SC2086
expect_status 0 "$BATON" record -o "$work/disk/run" -- $job
expect_says "No space left on device" " records are still in $work/rings: when they can be written"
checks=$((checks + 1))
line=$(tail -n 1 "$work/err")
told=$(sed -n 's/.* process, \([0-9,]*\) launches, \([0-9,]*\) dropped (and \([0-9,]*\) other records), .*/\1 \2 \3/p' <<<"$line" | tr -d ,)
read -r written lost others <<<"$told"
{ [ -n "$told" ] && [ "$lost" -gt 0 ] && [ "$written" -lt "$all_launches" ] && [ "$((written + lost))" -le "$all_launches" ]; } || fail "$line"

# there is room again: nothing has become more or less
mount -o remount,size=64m "$work/disk"
expect_status '0|4' "$BATON" report "$work/disk/run"
read_sums "$work/disk/run"
checks=$((checks + 3))
[ $((launches + dropped)) = $all_launches ] || fail "$launches launches + $dropped dropped, not $all_launches"
[ "$dropped" = "$lost" ] || fail "$dropped dropped, the closing line had $lost"
[ "$others" -ge "$gpu" ] || fail "$gpu GPU records dropped, the closing line had $others other records"
[ "$in_flight $((ops + gpu))" = "0 $all_ops" ] || fail "$in_flight in flight, $ops ops and $gpu dropped, not $all_ops"
case $said in
*killed*) fail "it says: $said" ;;
*"launches for which the disk had no room"*) ;;
*) fail "it says: $said" ;;
esac
expect_nothing_in "$work/rings"
umount "$mounted" && mounted=

# ---- a trace file that somebody else cuts short ----
# Keeps out: a trace that has lost its begin and is taken for whole.
cat >"$work/cut.py" <<'PY'
import glob, os, sys, time
sys.path.insert(0, "tests/shim")
from jobs import driver, launch
cuda = driver()
launch(50, cuda)
def size(): return sum(os.path.getsize(name) for name in traces())
def traces(): return glob.glob(os.environ["BATON_OUT"] + "/[0-9a-f]*.baton")
for n in range(1000):  # until the writer has written
    if size() > 1000: break
    time.sleep(0.02)
for name in traces():
    os.truncate(name, 100)
launch(50, cuda)
time.sleep(1.2)
launch(50, cuda)
PY
expect_status 0 "$BATON" record -o "$work/cut" -- "$PYTHON" "$work/cut.py"
expect_says "somebody else removed it or cut it short; what it has no room for is counted as dropped"
finish "$all_launches launches, $lost of them dropped"
