#!/bin/sh
# Installs PyTorch for CUDA without NVIDIA's libraries, for runs on the simulated ones (docs/SIMGPU.md): the torch wheel and
# the pure Python packages it imports, 1.3 GB, under build/torch/RELEASE. What is there already is kept.
#   sh tests/torch/install.sh [--triton] [RELEASE]...    (2.15.0: CUDA 13; 2.8.0: CUDA 12; none named: both)
#   sh tests/torch/install.sh --libraries                accelerate, transformers and Lightning, 170 MB, into $LIBRARIES (build/torch/libraries)
# --triton: also Triton (1 GB more), which torch.compile needs. BATON_WHEELS=DIR: take the wheels from there, no network.
# Use it with PYTHONPATH=build/torch/RELEASE. Status: 0 it is there, 1 it cannot be had, 2 usage.
set -u
cd "$(dirname "$0")/../.." || exit 1
PYTHON=${PYTHON:-python3}
packages="filelock==4.2.11 fsspec==2026.9.0 jinja2==3.1.6 markupsafe==3.0.4 mpmath==1.3.0 networkx==3.6.1 numpy==2.4.6
setuptools==84.2.1 sympy==1.14.0 typing-extensions==4.16.0"

# The pins are of CPython 3.11 and later; an older one gets the newest that it can have.
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || packages=$(echo "$packages" | sed 's/==[^ ]*//g')

# What trains with PyTorch, for tests/torch/programs/library_kinds.py: these releases go together.
libraries="accelerate==1.15.0 transformers==4.57.6 huggingface-hub==0.36.2 tokenizers==0.22.2 safetensors==0.8.0 regex==2026.11.19
pytorch-lightning==2.6.6 lightning-utilities==0.15.3 torchmetrics==1.9.0 packaging==26.4 psutil==7.2.2 pyyaml==6.0.4 tqdm==4.70.1
requests==2.34.2 urllib3==2.8.0 idna==3.20 certifi==2026.10.19.post1 charset-normalizer==3.5.3"

need_pip() {
	"$PYTHON" -m pip --version >/dev/null 2>&1 && return 0
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "install.sh: installing with apt: python3-pip"
		apt-get -o Acquire::http::Timeout=30 update -qq >/dev/null 2>&1
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-pip >/dev/null 2>&1
	fi
	"$PYTHON" -m pip --version >/dev/null 2>&1 && return 0
	echo "install.sh: $PYTHON has no pip: install it first (Debian and Ubuntu: python3-pip)"
	return 1
}

triton_of() { # triton_of RELEASE: the Triton that goes with it
	case $1 in
	2.15.0) echo 3.9.0 ;;
	2.8.0) echo 3.4.0 ;;
	*) return 1 ;;
	esac
}

# fetch DIRECTORY PACKAGE...: whole or not at all
fetch() {
	to=$1
	shift
	rm -rf "$to.new"
	"$PYTHON" -m pip install --quiet --no-deps --disable-pip-version-check --no-input --root-user-action=ignore --retries 2 \
		--timeout 20 ${BATON_WHEELS:+--no-index --find-links "$BATON_WHEELS"} --target "$to.new" "$@" && return 0
	rm -rf "$to.new"
	echo "install.sh: cannot have $(echo "$@" | cut -d ' ' -f 1): no network, no such wheel for this Python, or BATON_WHEELS lacks it"
	return 1
}

install() { # install RELEASE
	site=build/torch/$1
	wanted=$(echo "torch==$1" $packages)
	if [ "$(cat "$site/installed" 2>/dev/null)" != "$wanted" ]; then
		echo "install.sh: PyTorch $1 into $site, without NVIDIA's libraries: 1.3 GB, some minutes"
		mkdir -p build/torch
		need_pip || return 1
		fetch "$site" $wanted || return 1
		echo "$wanted" >"$site.new/installed"
		rm -rf "$site" && mv "$site.new" "$site"
	fi
	if [ -n "$triton" ] && [ ! -d "$site/triton" ]; then
		echo "install.sh: Triton $(triton_of "$1") into $site: 1 GB"
		need_pip || return 1
		fetch "$site/triton-part" "triton==$(triton_of "$1")" || return 1
		mv "$site/triton-part.new/"triton* "$site/" && rm -rf "$site/triton-part.new"
	fi
	echo "install.sh: PyTorch $1 is in $site"
}

install_libraries() {
	site=${LIBRARIES:-build/torch/libraries}
	wanted=$(echo $libraries)
	if [ "$(cat "$site/installed" 2>/dev/null)" != "$wanted" ]; then
		"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "install.sh: the libraries need CPython 3.11" && return 1; }
		mkdir -p "$(dirname "$site")"
		need_pip || return 1
		fetch "$site" $wanted || return 1
		echo "$wanted" >"$site.new/installed"
		rm -rf "$site" && mv "$site.new" "$site"
	fi
	echo "install.sh: the libraries are in $site"
}

[ "${1:-}" != --libraries ] || { install_libraries && exit 0 || exit 1; }
triton=
[ "${1:-}" != --triton ] || { triton=1 && shift; }
[ $# -gt 0 ] || set -- 2.15.0 2.8.0
for release; do
	triton_of "$release" >/dev/null || { echo "install.sh: no release '$release' here: 2.15.0, 2.8.0" && exit 2; }
done
for release; do
	install "$release" || exit 1
done
