#!/bin/sh
# Fetches the CUPTI libraries of CUDA 12 and 13 from PyPI into build/gpu-carry, for a machine that has a GPU
# but neither network nor toolkit; the probe finds them there. Prints their sizes.
#   sh tools/probe/carry.sh [PACKAGE==VERSION]...
# CUPTI newer than the driver does not work, so CUDA 13's is the oldest by default.
set -eu
cd "$(dirname "$0")/../.."
carry=build/gpu-carry
[ $# -gt 0 ] || set -- 'nvidia-cuda-cupti-cu12==12.9.79' 'nvidia-cuda-cupti==13.0.85'
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
mkdir -p "$carry"
for package; do
	case $package in
	nvidia-cuda-cupti-cu13*) # a placeholder without files: from CUDA 13 on the name has no suffix
		echo "carry.sh: nvidia-cuda-cupti-cu13 holds nothing; take nvidia-cuda-cupti==13.0.85" >&2
		exit 2
		;;
	esac
	rm -rf "$wheels"/*
	"${PYTHON:-python3}" -m pip download -q --no-deps --only-binary=:all: -d "$wheels" "$package"
	"${PYTHON:-python3}" - "$wheels" "$carry" <<-'PYTHON'
		import glob, os, sys, zipfile
		wheels, carry = sys.argv[1:]
		(wheel,) = glob.glob(wheels + "/*.whl")
		name = "-".join(os.path.basename(wheel).split("-")[:2])
		with zipfile.ZipFile(wheel) as files:
		    inside = [f for f in files.namelist() if os.path.basename(f).startswith("libcupti.so.")]
		    if not inside:
		        sys.exit(f"carry.sh: no libcupti in {os.path.basename(wheel)}")
		    os.makedirs(f"{carry}/{name}", exist_ok=True)
		    for f in inside:
		        with open(f"{carry}/{name}/{os.path.basename(f)}", "wb") as out:
		            out.write(files.read(f))
	PYTHON
done
find "$carry" -type f -exec ls -l {} + | awk '{ print $5, $NF; sum += $5 } END { print sum, "bytes in all; 67108864 can be carried"; exit sum > 67108864 }'
