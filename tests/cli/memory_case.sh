#!/usr/bin/env bash
# Memory of `import` and `report` does not grow with the number of steps. Keeps out: a job of a day that cannot be reduced on the
# machine that made its trace. Both sizes are beyond what the writer buffers (131,072 rows of a table).
. "$(dirname "$0")/lib.sh"
case ${BUILD:-} in
*san-*) skip "a sanitizer keeps freed memory" ;;
esac

# steps FILE STEPS: 200 kernels a step, each with its launch and an operator. Times are uneven but of few values:
# tables of distinct values may grow with what is in a trace.
steps() {
	"$PYTHON" - "$@" <<-'EOF'
		import random, sys
		rng = random.Random(7)
		kernel = ('{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":40,"tid":40,"ts":{1}.{2:03d},"dur":4.{2:03d},'
		          '"args":{{"correlation":{3}}}}},\n'
		          '{{"ph":"X","cat":"kernel","name":"void kernel_{0}<float>(int)","pid":0,"tid":7,"ts":{4}.{2:03d},"dur":{5}.{2:03d},'
		          '"args":{{"device":0,"context":1,"stream":7,"correlation":{3}}}}},\n')
		operator = '{{"ph":"X","cat":"cpu_op","name":"aten::op{}","pid":40,"tid":40,"ts":{},"dur":19.000}},\n'
		step = '{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":40,"tid":40,"ts":{},"dur":{}}}'
		at_us, correlation, number = 4_458_676_522, 0, int(sys.argv[2])
		with open(sys.argv[1], "w") as out:
		    out.write('{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1},\n"traceEvents": [\n')
		    for i in range(number):
		        begin_us, texts = at_us, []
		        for k in range(200):
		            correlation += 1
		            texts.append(operator.format(k % 50, at_us))
		            texts.append(kernel.format(k % 50, at_us + 5, rng.randrange(0, 1000, 50), correlation, at_us + 11,
		                                       rng.randrange(3, 9)))
		            at_us += rng.randrange(21, 40)
		        out.write("".join(texts) + step.format(i, begin_us, at_us - begin_us) + (",\n" if i + 1 < number else "\n"))
		    out.write("]}\n")
	EOF
}

# peak COMMAND...: the most memory it had, in KiB, in $kib
peak() {
	checks=$((checks + 1)) last="$*"
	"$PYTHON" -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(sys.argv[1], "w"))
sys.exit(status)' "$work/kib" "$@" 2>"$work/err" || fail "status $?"
	kib=$(cat "$work/kib")
}

same() { # same WHAT SMALL_KIB LARGE_KIB
	checks=$((checks + 1))
	echo "$1: $2 KiB for 160,000 kernels, $3 KiB for 640,000"
	[ $(($3 * 100)) -le $(($2 * 115)) ] || fail "memory of $1 grows with the steps"
}

for size in 800 3200; do
	steps "$work/trace.json" $size
	peak "$BATON" import "$work/trace.json" -o "$work/$size"
	import[size]=$kib
	rm "$work/trace.json"
	peak "$BATON" report --json --fresh "$work/$size"
	report[size]=$kib
done
expect_status 0 "$BATON" report --json "$work/800"
expect_true "d['devices'][0]['kernels'] == 160000 and d['devices'][0]['steps'] == 800"
same import "${import[800]}" "${import[3200]}"
same report "${report[800]}" "${report[3200]}"
finish
