#!/bin/sh
# Packs baton for a machine with a GPU that has not the libraries it was linked with: build/gpu-carry/baton, those libraries (not glibc's) and
# libbaton.so beside it. tests/gpu/run.sh finds them there.
set -eu
cd "$(dirname "$0")/../.."
make -j2 all
carry=build/gpu-carry
mkdir -p "$carry"
g++ -o "$carry/baton" build/release/reducer/main.o build/release/libreducer.a -Wl,-rpath,'$ORIGIN' \
	-lsimdjson -lsqlite3 -lz -lzstd -lxxhash -lpthread -ldl
ldd "$carry/baton" | awk '$2 == "=>" && $1 !~ /^lib(c|m|dl|pthread|rt)\.so/ { print $3 }' | xargs -I{} cp -L {} "$carry/"
cp build/release/libbaton.so "$carry/"
du -ch "$carry"/baton "$carry"/*.so* | tail -n 1
