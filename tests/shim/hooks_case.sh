#!/usr/bin/env bash
# The hooks that are not CUPTI's: their programs, dlsym with the hooks preloaded, what is exported, and whether the checked-in
# wrappers are what plt.py writes.
set -eu
out=$BUILD/tests/shim
for t in nvtx nccl launch; do "$out/${t}_test"; done
here=$PWD/$out
LD_PRELOAD=$here/shim_hooks.so "$out/dlsym_test"
LD_BIND_NOW=1 LD_PRELOAD=$here/shim_hooks.so "$out/dlsym_test"
wanted=$(sed -n 's/^\t\([A-Za-z0-9_]*\);$/\1/p' shim/export.map | sort)
found=$(nm -D --defined-only "$BUILD/libbaton.so" | awk '$2 != "w" { print $3 }' | sort)
diff <(echo "$wanted") <(echo "$found") || { echo "libbaton.so exports something else than shim/export.map lists" && exit 1; }
for what in launch nccl; do
	"$PYTHON" shim/plt.py $what | cmp - shim/${what}_plt.c || { echo "shim/${what}_plt.c is old: make hooks-generate" && exit 1; }
done
echo "nvtx, nccl, launch, dlsym, $(echo "$wanted" | wc -l) exports, generated wrappers: ok"
