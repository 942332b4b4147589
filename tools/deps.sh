#!/bin/sh
# What building and testing baton needs. Installs it with apt where that is possible, else names the packages.
set -eu

# Optional: libdw-dev names native frames, libunwind8 captures them in the tests.
optional="libdw-dev libunwind8"
packages="gcc g++ make libsimdjson-dev libsqlite3-dev zlib1g-dev libzstd-dev libxxhash-dev python3"

missing() {
	for tool in gcc g++ make python3; do
		command -v "$tool" >/dev/null 2>&1 || echo "$tool"
	done
	for header in simdjson.h sqlite3.h zlib.h zstd.h xxhash.h; do
		echo "#include <$header>" | g++ -std=c++17 -fsyntax-only -x c++ - >/dev/null 2>&1 || echo "$header"
	done
}

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 &&
	! echo "#include <elfutils/libdwfl.h>" | gcc -fsyntax-only -x c - >/dev/null 2>&1; then
	apt-get update -qq >/dev/null 2>&1 || true
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $optional >/dev/null 2>&1 || true
fi
lacking=$(missing)
[ -z "$lacking" ] && exit 0
echo "baton needs, and does not find:" $lacking
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing with apt: $packages"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $packages >/dev/null
	lacking=$(missing)
	[ -z "$lacking" ] && exit 0
	echo "still missing after the installation:" $lacking
fi
echo "on Debian and Ubuntu install these packages:"
echo "  sudo apt-get install $packages"
exit 1
