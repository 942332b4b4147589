/* In which Python functions a silent thread only waits for another one. */
#include "classify/host_names.h"
#include "check.h"

static struct host_names *names;

static void hands_over(bool expected, const char *file, const char *function)
{
	CHECK(host_names_hands_over(names, file, function) == expected, "%s:%s %s", file, function,
		  expected ? "waits for others" : "does not wait for others");
}

/* Keeps out: a thread that waits in backward(), in a queue or for a future and seems at work; code
 * of the user's own that seems to wait because its name is alike. */
int main(void)
{
	CHECK(host_names_open(NULL, &names) == 0, "no memory");
	hands_over(true, "/opt/torch/autograd/graph.py", "_engine_run_backward");
	hands_over(true, "torch/autograd/__init__.py", "backward");
	hands_over(false, "/opt/torch/autograd/function.py", "apply");
	hands_over(true, "/opt/torch/_tensor.py", "Tensor.backward");
	hands_over(false, "/opt/torch/_tensor.py", "Tensor.backward_hook");
	hands_over(true, "/usr/lib/python3.11/threading.py", "Condition.wait");
	hands_over(false, "/home/u/my_threading.py", "wait");
	hands_over(true, "/usr/lib/python3.11/queue.py", "Queue.get");
	hands_over(false, "/usr/lib/python3.11/queue.py", "Queue.get_nowait");
	hands_over(true, "/usr/lib/python3.11/concurrent/futures/_base.py", "Future.result");
	hands_over(true, "torch/nn/parallel/parallel_apply.py", "parallel_apply");
	hands_over(true, "/usr/lib/python3.11/multiprocessing/connection.py", "wait");
	hands_over(false, "/usr/lib/python3.11/multiprocessing/pool.py", "worker");
	hands_over(true, "selectors.py", "EpollSelector.select");
	hands_over(false, "train.py", "backward");
	host_names_close(names);
	return finish();
}
