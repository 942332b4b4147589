#!/usr/bin/env bash
# The hooks that are not CUPTI's: their programs, dlsym with the hooks preloaded, and what is exported.
set -eu
out=$BUILD/tests/shim
for t in nvtx nccl launch; do "$out/${t}_test"; done
here=$PWD/$out
LD_PRELOAD=$here/shim_hooks.so "$out/dlsym_test"
LD_BIND_NOW=1 LD_PRELOAD=$here/shim_hooks.so "$out/dlsym_test"
exports() { nm -D --defined-only "$1" | awk '$2 != "w" { print $3 }' | sort; }
differ() { diff "$1" "$2" || { echo "$3" && exit 1; }; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# a wrapper that the map forgets is never called
{ grep -ohE '^SHIM_EXPORT int [A-Za-z0-9_]+' shim/dlsym*.c shim/sources/{launch,nccl,nvtx}/*.c "$BUILD"/shim/sources/*/*_wrappers.c && echo x x dlsym; } |
	awk '{print $3}' | sort >"$tmp/written"
exports "$out/shim_hooks.so" >"$tmp/hooks"
differ "$tmp/written" "$tmp/hooks" "shim/export.map does not list every exported hook"
sed -n 's/^\t\([A-Za-z0-9_]*\);$/\1/p' shim/export.map | sort >"$tmp/map"
exports "$BUILD/libbaton.so" >"$tmp/baton"
differ "$tmp/map" "$tmp/baton" "libbaton.so exports something else than shim/export.map lists"
# what reads traces stays out of it, and so does libgcc's question at every start which CPU this is
nm "$BUILD/libbaton.so" | awk '{print $NF}' >"$tmp/inside"
grep -qx baton_bitplane_put "$tmp/inside" || { echo "libbaton.so has no symbols to look at" && exit 1; }
! grep -xE '__cpu_indicator_init|baton_(bitplane_get|columns?_decode|reader_open)' "$tmp/inside" ||
	{ echo "libbaton.so has code that a recorder does not need" && exit 1; }
# it loads on every C library from 2.17 on; a sanitizer build need not
newest=$(objdump -T "$BUILD/libbaton.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
case $BUILD,$(uname -m),$newest in
*san-* | *aarch64* | *,GLIBC_2.17) ;;
*) echo "libbaton.so needs $newest (shim/base/glibc.h)" && exit 1 ;;
esac
echo "nvtx, nccl, launch, dlsym, $(wc -l <"$tmp/hooks") exports: ok"
