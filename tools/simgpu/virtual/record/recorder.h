/* Writes what a process did as a trace file, through the encoder that the shim uses: what
 * libbaton.so would have recorded, from the sampler of silent threads to lost records. The only
 * file of the simulator that knows the trace format. */
#ifndef SIMGPU_VIRTUAL_RECORD_RECORDER_H
#define SIMGPU_VIRTUAL_RECORD_RECORDER_H

#include "engine/gpu.h"
#include "virtual/script/script.h"

struct log;
struct recorder;
struct recorder_thread_row { /* where a row belongs */
	uint32_t thread;
	int64_t from_ns, to_ns;
};

struct recorder_event_row {
	uint32_t stream, event;
	uint64_t correlation;
};
struct recorder_transfer { /* a send or a receive of an op */
	uint8_t coll;
	uint32_t comm, peer; /* the peer's number in it */
	int64_t bytes, sequence;
};

/* Creates the file of one process in the directory. NULL with errno. */
struct recorder *recorder_open(const char *directory, const struct script *script,
							   uint32_t process);
/* Flushes and closes; 0 or the first error of its life, -errno. */
int recorder_close(struct recorder *recorder);

struct recorder_api {
	enum api name;
	uint64_t correlation;
	uint32_t device; /* 1 + that of the process that it is for, 0: not told */
};
void recorder_call(struct recorder *recorder, struct recorder_thread_row row,
				   struct recorder_api api, const struct log *log);
/* The rows of a data loader's process, one for each tenth of a second from its first batch until
 * until_ns. */
void recorder_child(struct recorder *recorder, uint32_t thread, int64_t until_ns,
					const struct log *log);
/* An event record or a stream wait: the call's row is one of its own. */
void recorder_event(struct recorder *recorder, struct recorder_thread_row row, unsigned sync_kind,
					const struct recorder_event_row *what);
void recorder_range(struct recorder *recorder, struct recorder_thread_row row, uint32_t name);
void recorder_overhead(struct recorder *recorder, struct recorder_thread_row row, unsigned kind);
void recorder_op(struct recorder *recorder, const struct gpu_op *op, uint32_t stream);
void recorder_sendrecv(struct recorder *recorder, const struct gpu_op *op,
					   const struct recorder_transfer *transfer);
/* `stream` waited from from_ns for something that is not on its device and was over at to_ns. */
void recorder_held_up(struct recorder *recorder, unsigned sync_kind, uint32_t stream,
					  int64_t from_ns, int64_t to_ns);
/* The time the trace shows for a moment of the host's clock. */
#define RECORDER_EPOCH_NS 1760000000000000000 /* the clock of the trace at the simulation's begin */
int64_t recorder_time(const struct script *script, uint32_t host, int64_t at_ns);
/* The device's key as the reducer prints it: host/ordinal. `text` has room for 64 bytes. */
void recorder_device_key(const struct script *script, uint32_t device, char *text);

#endif
