#!/usr/bin/env bash
# Memory of `import` and `report` does not grow with the number of steps. Keeps out: a job of a day that cannot be reduced on the
# machine that made its trace.
. "$(dirname "$0")/lib.sh"
case ${BUILD:-} in
*san-*) skip "a sanitizer keeps freed memory" ;;
esac

# steps FILE STEPS: 200 kernels a step, each with an operator and a launch; uneven, so that they do not pack to nothing.
steps() {
	"$PYTHON" - "$@" <<-'EOF'
		import random, sys
		rng = random.Random(7)
		kernel = ('{{"ph": "X", "cat": "cpu_op", "name": "aten::op{0}", "pid": 40, "tid": 40, "ts": {1}.{2:03d}, "dur": 19.000}},\n'
		          '{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 40, "tid": 40, "ts": {3}.{2:03d}, "dur": 4.{2:03d},'
		          ' "args": {{"correlation": {4}}}}},\n'
		          '{{"ph": "X", "cat": "kernel", "name": "void kernel_{0}<float>(int)", "pid": 0, "tid": 7, "ts": {5}.{2:03d}, "dur": {6}.{2:03d},'
		          ' "args": {{"device": 0, "context": 1, "stream": 7, "correlation": {4}}}}},\n')
		step = '{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "pid": 40, "tid": 40, "ts": {}, "dur": {}}}'
		at_us, correlation, number = 4_458_676_522, 0, int(sys.argv[2])
		with open(sys.argv[1], "w") as out:
		    out.write('{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1},\n"traceEvents": [\n')
		    for i in range(number):
		        begin_us, texts = at_us, []
		        for k in range(200):
		            correlation += 1
		            texts.append(kernel.format(k % 50, at_us, rng.randrange(1000), at_us + 5, correlation, at_us + 11, rng.randrange(3, 9)))
		            at_us += rng.randrange(21, 40)
		        out.write("".join(texts) + step.format(i, begin_us, at_us - begin_us) + (",\n" if i + 1 < number else "\n"))
		    out.write("]}\n")
	EOF
}

# peak COMMAND...: the most memory it had, in KiB
peak() {
	"$PYTHON" - "$@" <<-'EOF'
		import resource, subprocess, sys
		status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
		sys.exit(status)
	EOF
}

same() { # same WHAT SMALL_KIB LARGE_KIB
	checks=$((checks + 1))
	echo "$1: $2 KiB for 40,000 kernels, $3 KiB for 160,000"
	[ $(($3 * 100)) -le $(($2 * 115)) ] || fail "memory of $1 grows with the steps"
}

for size in 200 800; do
	steps "$work/$size.json" $size
	import[size]=$(peak "$BATON" import "$work/$size.json" -o "$work/$size") || fail "import: status $?"
	report[size]=$(peak "$BATON" report --json --fresh "$work/$size") || fail "report: status $?"
done
expect_status 0 "$BATON" report --json "$work/800"
expect_true "d['devices'][0]['kernels'] == 160000 and d['devices'][0]['steps'] == 800"
same import "${import[200]}" "${import[800]}"
same report "${report[200]}" "${report[800]}"
finish
