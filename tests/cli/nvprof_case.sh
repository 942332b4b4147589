#!/usr/bin/env bash
# CSV files of nvprof: every form that it prints, beside the rows they were written from (nvprof_forms.py); several processes and tables
# in a file; what is damaged, of another kind or absent.
. "$(dirname "$0")/lib.sh"

import() { # import STATUS FILE... : into $out, new each time
	local status=$1
	shift
	n=$((${n:-0} + 1)) out=$work/out.$n
	expect_status "$status" "$BATON" import "$@" -o "$out"
}
write() { "$PYTHON" tests/cli/nvprof_forms.py write "$1" "$2" || fail "nvprof_forms.py $1"; }

# Keeps out: a column, a unit or a name of one version read as that of another; calls of two threads on one.
expect_status 0 "$PYTHON" tests/cli/nvprof_forms.py check "$BATON" "$work"
forms=$(cat "$work/out")

# Keeps out: idle time that seems to have a cause where no call was printed, and a user who is not told how to print them.
write cuda9 "$work/gpu.csv"
expect_status 0 "$BATON" report "$work/gpu.csv"
expect_says "no CUDA calls in it, so idle time of the GPU stays unexplained: print --print-gpu-trace --print-api-trace together"
expect_wrapped "The trace has no launch records" "nvprof --print-api-trace beside --print-gpu-trace"
expect_status '0|3' "$BATON" report --by range "$work/gpu.csv"
expect_says "a CSV of nvprof carries neither ranges nor call stacks"
write calls "$work/both.csv"
expect_status 0 "$BATON" report --json "$work/both.csv"
expect_says_not "no CUDA calls"
expect_true "d['quality']['unmatched_ops'] == 0 and d['devices'][0]['time_ns'].get('idle.unknown.unmatched', 0) == 0"
expect_status 0 "$BATON" compare "$work/gpu.csv" "$work/both.csv"
expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum "$work/gpu.csv"
expect_status 0 "$BATON" export --format chrome -o "$work/gpu.json" "$work/gpu.csv"

# Keeps out: processes mixed up: two of one file by their pids, one whose table repeats, and one that goes on.
sed 's/==77==/==78==/; s/(0)/(1)/' "$work/gpu.csv" >"$work/other.csv"
cat "$work/gpu.csv" "$work/other.csv" >"$work/two.csv"
import 0 "$work/two.csv"
expect_says "2 processes, 96 kernels, 0 calls, 0 refused"
expect_status 0 "$BATON" report --json "$out"
expect_true "d['run']['world_size'] == 2 and [x['device'] for x in d['devices']] == ['local/0', 'local/1']"
write nano "$work/nano.csv"
cat "$work/nano.csv" "$work/nano.csv" >"$work/again.csv"
import 0 "$work/again.csv"
expect_says "$work/again.csv: line 65: the times of this table begin again" "2 processes, 96 kernels"
"$PYTHON" - "$work/nano.csv" "$work/on.csv" <<'P'
import sys
lines = open(sys.argv[1]).read().splitlines()
moved = [",".join(["%f" % (float(x.split(",", 1)[0]) + 1e9), x.split(",", 1)[1]]) for x in lines[2:]]
open(sys.argv[2], "w").write("\n".join(lines + lines[:2] + moved) + "\n")
P
import 0 "$work/on.csv"
expect_says "1 process, 96 kernels"
import 0 "$work/gpu.csv" "$work/nano.csv"
expect_says "2 processes, 96 kernels"

# Keeps out: rows lost without a word, or a message without its line.
damaged() { # damaged STATUS WORDS SED...: of gpu.csv, whose rows begin in line 6
	local status=$1 words=$2
	shift 2
	sed "$@" "$work/gpu.csv" >"$work/damaged.csv"
	import "$status" "$work/damaged.csv"
	expect_says "$work/damaged.csv: line $words"
}
damaged 4 "9: 1 row from here on left out: they have no usable start or duration" '9s/^[^,]*/soon/'
damaged 4 "9: 2 rows from here on left out: they do not have as many cells" '9s/,/ /; 12s/,/ /'
damaged 4 "9: 1 row from here on left out: they do not say their device" '9s/ (0)"/"/'
damaged 4 "9: 1 row from here on left out: they have impossible times" '9s/,\([0-9.]*\),/,-\1,/'
damaged 4 "9: 1 row from here on left out: they have impossible times" '9s/^[^,]*/-9e9/'
damaged 4 "9: 1 row from here on left out: they have no name" '9s/"[^"]*",\([0-9]*\)$/,\1/'
damaged 4 "9: 1 row from here on left out: they do not have as many cells" '9s/.*/Epoch 3, loss 0.25/'
damaged 3 "5: no row of units (s, ms, us or ns)" '5d'
damaged 3 "5: no row of units (s, ms, us or ns)" '5s/s,ms/min,h/'
damaged 3 "5: a size has a unit that is none of B, KB, MB, GB and TB" '5s/,B,/,bit,/'
damaged 3 "4: no column Name" '4s/"Name"/"Title"/'
damaged 3 "4: two columns have one name" '4s/"Stream"/"Context"/'
head -c -40 "$work/gpu.csv" >"$work/cut.csv"
import 4 "$work/cut.csv"
expect_says "$work/cut.csv: line 65: the row is cut off" "1 refused"
sed '9s/^[^,]*/90000/' "$work/gpu.csv" >"$work/far.csv"
import 4 "$work/far.csv"
expect_says "1 row left out: their times are impossible"
write gz "$work/whole.csv"
head -c 700 "$work/whole.csv" >"$work/part.csv.gz"
import 4 "$work/part.csv.gz"
expect_says "the gz data is cut short; the part before it is used"
{ cat "$work/gpu.csv" && head -c 3000000 /dev/zero | tr '\0' x; } >"$work/long.csv"
import 4 "$work/long.csv"
expect_says "line 66: the line is longer than 2 MiB; the part before it is used"

# Keeps out: rows that nvprof itself has lost, unsaid; a warning or a line of the program that ends a table; a message for each row.
lost="======== Warning: 376746 records have invalid timestamps due to insufficient device buffer space."
for at in 1 20; do
	sed "${at}i$lost" "$work/gpu.csv" >"$work/lost.csv"
	import 4 "$work/lost.csv"
	expect_says "$work/lost.csv: line $at: rows are missing, nvprof says: 376746 records" "1 process, 48 kernels, 0 calls, 0 refused"
done
sed '20i==77== Warning: Unified Memory Profiling is not supported' "$work/gpu.csv" >"$work/warned.csv"
import 0 "$work/warned.csv"
expect_says "1 process, 48 kernels, 0 calls, 0 refused"
sed '20i================ epoch 2' "$work/gpu.csv" >"$work/banner.csv"
import 4 "$work/banner.csv"
expect_says "line 20: 1 row from here on left out" "1 process, 48 kernels"
for ((i = 0; i < 260; i++)); do printf '"Start","Duration","Device","Name"\nms,ms,,\n1,1,"V100 (0)","k"\n3,1,"V100 (0)","k"\n'; done >"$work/tables.csv"
import 4 "$work/tables.csv"
expect_says "line 1027: 8 rows from here on left out: they are of a process beyond the 256th" "256 processes, 512 kernels"
checks=$((checks + 1))
[ "$(grep -c "the times of this table begin again" "$work/err")" = 255 ] || fail "a message for each row"

# Keeps out: page faults taken for kernels.
sed '9s/.*/1.184,,,,,,,,,,,,,,,"Tesla V100-SXM2-16GB (0)",,,"[Unified Memory GPU page faults]",/' "$work/gpu.csv" >"$work/faults.csv"
import 0 "$work/faults.csv"
expect_says "1 row of unified memory without a copy left out"

# Keeps out: calls without GPU work, and no word of how to print it.
printf '"Start","Duration","Name"\nms,ms,\n1,1,"cudaMalloc"\n' >"$work/calls.csv"
import 0 "$work/calls.csv"
expect_says "1 process, 0 kernels, 1 call, 0 refused" "record the GPU too" "nvprof: --print-gpu-trace)"
expect_says_not "next: baton"

# Keeps out: tables of another kind read as events, or refused without what to print.
printf '==7== NVPROF is profiling process 7, command: a\n==7== No kernels were profiled.\n' >"$work/none.csv"
import 3 "$work/none.csv"
expect_says "nvprof says that no kernels were profiled"
printf '==7== NVPROF is profiling process 7, command: a\n==7== Profiling result:\nNo kernels were profiled.\n' >"$work/none.csv"
import 3 "$work/none.csv"
expect_says "nvprof says that no kernels were profiled"
printf '==7== NVPROF is profiling process 7, command: a\n==7== Profiling result:\n"Type","Time(%%)","Time","Calls","Avg","Min","Max","Name"\n,%%,ms,,us,us,ms,\n"GPU activities",70.7,302.3,6000,1.0,1.0,1.0,"k"\n' >"$work/sums.csv"
import 3 "$work/sums.csv"
expect_says "$work/sums.csv: line 3: a table of sums has no single events" "no row of GPU work or CUDA calls"
printf '==7== NVPROF is profiling process 7, command: a\n==7== Metric result:\n"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n' >"$work/metrics.csv"
import 3 "$work/metrics.csv"
expect_says "$work/metrics.csv: line 3: a table of counters has no times"
cat "$work/gpu.csv" "$work/sums.csv" >"$work/mixed.csv"
import 4 "$work/mixed.csv"
expect_says "line 68: a table of sums" "48 kernels"
finish "$forms"
