#!/usr/bin/env bash
# The libnvidia-ml double.
SIMGPU_DEVICES=4 SIMGPU_NVML="util=77,power=400000,sm=1755,throttle=4;2:sm=1185" exec timeout 60 "$BUILD/simgpu/nvml_test"
