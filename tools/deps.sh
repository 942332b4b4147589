#!/bin/sh
# What building and testing baton needs. As root installs it with apt, else names the packages. Status 1: it cannot be built here.
set -u
cd "$(dirname "$0")/.." || exit 1
packages="gcc g++ make libsimdjson-dev libsqlite3-dev zlib1g-dev libzstd-dev libxxhash-dev python3"
# Not necessary: names of native frames in reports; their capture, and stacks in this CPython, in the tests.
optional="libdw-dev libunwind8 python3-dev"
log=build/deps.log

has_header() { # has_header HEADER...: any of them
	for header; do
		echo "#include <$header>" | g++ -std=c++17 -fsyntax-only -x c++ - >/dev/null 2>&1 && return 0
	done
	return 1
}

missing() {
	for tool in gcc g++ make python3; do
		command -v "$tool" >/dev/null 2>&1 || echo "$tool"
	done
	for header in simdjson.h sqlite3.h zlib.h zstd.h xxhash.h; do
		has_header "$header" || echo "$header"
	done
}

wanting() { # of the optional ones
	has_header elfutils/libdwfl.h || echo libdw-dev
	python3 -c 'import ctypes; ctypes.CDLL("libunwind.so.8")' 2>/dev/null || echo libunwind8
	python3 -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' 2>/dev/null || echo python3-dev
}

install() { # install PACKAGE...
	DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::http::Timeout=30 install -y -qq --no-install-recommends "$@" >>"$log" 2>&1
}

with_apt() { # with_apt NEEDED WANTED
	echo "installing with apt, a minute or two:" $1 $2
	mkdir -p build
	apt-get -o Acquire::http::Timeout=30 update >"$log" 2>&1
	install $1 $2 && return
	if install $1; then # not every distribution has all that is wanted
		for package in $2; do install "$package"; done
		return
	fi
	echo "apt could not install them (all it said is in $log):"
	grep '^[EW]:' "$log" | tail -n 3 | sed 's/^/  /'
}

lacking=$(missing) wanted=$(wanting)
[ -z "$lacking" ] || echo "baton needs, and does not find:" $lacking
if [ -n "$lacking$wanted" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	with_apt "${lacking:+$packages}" "$wanted"
	lacking=$(missing) wanted=$(wanting)
	[ -z "$lacking" ] || echo "still missing after the installation:" $lacking
fi
if [ -n "$lacking" ]; then
	echo "on Debian and Ubuntu install these packages:"
	echo "  sudo apt-get install $packages"
	[ -z "$wanted" ] || echo "not necessary, for names of native frames and more tests:" $wanted
	exit 1
fi
[ -z "$wanted" ] || echo "goes on without $(echo $wanted) (names of native frames, some tests)"
