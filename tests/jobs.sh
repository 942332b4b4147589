# Sourced by what runs several tests at once: sets JOBS where nothing else has. Rings, and what simulated ranks exchange, lie in
# /dev/shm and are a share of what is free there: in a container with 64 MiB of it, two recorders at once drop launches.
shm_kib=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
[ "${shm_kib:-0}" -ge 524288 ] && JOBS=${JOBS:-2}
JOBS=${JOBS:-1}
