/* What libtorch's autograd looks like from outside: nodes with a number and a thread behind a base
 * of BASE_BYTES, evaluated by an engine that calls itself through its PLT. The program builds the
 * nodes; each launches something when it runs. */
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>

#ifndef BASE_BYTES
#define BASE_BYTES 16
#endif

namespace at
{
namespace sequence_number
{
static thread_local uint64_t last;
uint64_t get_and_increment();
uint64_t get_and_increment()
{
	return last++;
}
} // namespace sequence_number

struct RecordFunction {
	static uint64_t currentThreadId();
};
static uint64_t threads = 0;
static thread_local uint64_t thread_id;
uint64_t RecordFunction::currentThreadId()
{
	return thread_id ? thread_id : thread_id = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
}
} // namespace at

namespace torch
{
namespace autograd
{
/* cuLaunchKernel, of nothing: the call counts */
using Launch = int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
					   void *, void **, void **);
struct GraphTask {
	Launch call;
	void launch() const
	{
		if (call)
			call(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
	}
};
struct InputBuffer {
	int failing; /* the node with this value fails */
};
struct ReadyQueue {
};

struct Base {
	virtual ~Base()
	{
	}
	char refcounts[BASE_BYTES - sizeof(void *)] = {};
};

struct Node : Base {
	uint64_t sequence_nr;
	uint64_t topological_nr = 0;
	bool has_parent = false;
	uint64_t thread_id;
	int value;
	Node *inner;
	explicit Node(uint64_t number, int v, Node *in)
		: sequence_nr(number), thread_id(at::RecordFunction::currentThreadId()), value(v), inner(in)
	{
	}
};

struct Engine {
	void evaluate_function(std::shared_ptr<GraphTask> &task, Node *node, InputBuffer &input,
						   const std::shared_ptr<ReadyQueue> &queue);
};

/* as a node that runs a backward of its own */
static __attribute__((noinline, noclone)) void again(Engine *engine,
													 std::shared_ptr<GraphTask> &task, Node *node,
													 InputBuffer &input,
													 const std::shared_ptr<ReadyQueue> &queue)
{
	engine->evaluate_function(task, node, input, queue);
	__asm__ volatile("");
}

void Engine::evaluate_function(std::shared_ptr<GraphTask> &task, Node *node, InputBuffer &input,
							   const std::shared_ptr<ReadyQueue> &queue)
{
	task->launch();
	if (node->inner) {
		again(this, task, node->inner, input, queue);
		task->launch();
	}
	if (node->value == input.failing)
		throw std::exception();
}
} // namespace autograd
} // namespace torch

using namespace torch::autograd;

extern "C" Node *make_node(int value, Node *inner)
{
	return new Node(at::sequence_number::get_and_increment(), value, inner);
}

/* as AccumulateGrad */
extern "C" Node *make_sum(int value)
{
	return new Node(UINT64_MAX, value, nullptr);
}

static void run(Node *const *nodes, int n, Launch launch, int failing)
{
	Engine engine;
	auto task = std::make_shared<GraphTask>(GraphTask{launch});
	auto queue = std::make_shared<ReadyQueue>();
	InputBuffer input{failing};
	for (int i = 0; i < n; i++) {
		try {
			engine.evaluate_function(task, nodes[i], input, queue);
		} catch (const std::exception &) {
			task->launch(); /* outside of any node */
		}
	}
}

extern "C" void backward_here(Node *const *nodes, int n, Launch launch, int failing)
{
	run(nodes, n, launch, failing);
}

extern "C" void backward_in_thread(Node *const *nodes, int n, Launch launch, int failing)
{
	std::thread thread(run, nodes, n, launch, failing);
	thread.join();
}

/* What a node costs, numbered and evaluated, in ns: the least of many batches. */
extern "C" double node_ns(int batches)
{
	enum { BATCH = 1000 };
	Engine engine;
	auto task = std::make_shared<GraphTask>(GraphTask{nullptr});
	auto queue = std::make_shared<ReadyQueue>();
	InputBuffer input{-1};
	Node node(at::sequence_number::get_and_increment(), 0, nullptr);
	double least = 1e18;
	for (int b = 0; b < batches; b++) {
		auto begin = std::chrono::steady_clock::now();
		for (int i = 0; i < BATCH; i++) {
			node.sequence_nr = at::sequence_number::get_and_increment();
			engine.evaluate_function(task, &node, input, queue);
		}
		std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
		least = took.count() / BATCH < least ? took.count() / BATCH : least;
	}
	return least;
}
