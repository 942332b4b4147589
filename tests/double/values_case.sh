# Kernels of PyTorch's whose results the double works out (values.c, values_views.c).
set -u
lib=$PWD/$BUILD/simgpu
[ -e "$lib/libcuda.so.1" ] || { echo "no doubles built" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Itools/simgpu -o "$work/values" tests/double/values.c tests/double/values_views.c tests/double/values_launch.c -L"$lib" \
	-l:libcuda.so.1 -Wl,-rpath,"$lib" || exit 1
timeout 60 "$work/values"
