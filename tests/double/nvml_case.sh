#!/usr/bin/env bash
# The libnvidia-ml double.
SIMGPU_DEVICES=4 SIMGPU_NVML=util=77,power=400000,throttle=4 exec timeout 60 "$BUILD/simgpu/nvml_test"
