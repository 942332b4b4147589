"""backward.py FAKE_LIBRARY [SECOND_LIBRARY]: builds backward nodes on lines of its own and runs them, by fake_autograd.cpp. Prints, in order, the
forward function that each launch (a cuLaunchKernel) must carry, `-` for none; a + in front: Python frames come before."""
import ctypes
import os
import sys
import threading

cuda = ctypes.CDLL("libcuda.so.1")
torch = ctypes.CDLL(sys.argv[1])
torch.make_node.restype = torch.make_sum.restype = ctypes.c_void_p
torch.make_node.argtypes = [ctypes.c_int, ctypes.c_void_p]
launch = ctypes.cast(cuda.cuLaunchKernel, ctypes.c_void_p)
NOTHING_FAILS = -1


def run(how, nodes, failing=NOTHING_FAILS):
    how((ctypes.c_void_p * len(nodes))(*nodes), len(nodes), launch, failing)


def backward(nodes, failing=NOTHING_FAILS):
    run(torch.backward_in_thread, nodes, failing)


def backward_here(nodes):
    run(torch.backward_here, nodes)


def node(value=0, inner=None):
    return torch.make_node(value, inner)


def first_layer():
    return node(1)


def second_layer():
    return node(2)


def in_other_thread():
    nodes = []
    thread = threading.Thread(target=lambda: nodes.extend(other_layer() for _ in range(40)))
    thread.start()
    thread.join()
    return nodes


def other_layer():
    return node(3)


def warm_up():
    return [node() for _ in range(20)]


def expect(*functions):
    print(*functions, sep="\n")


def second_copy(library):
    """Counts for itself, evaluates its own nodes, which are not taken for the first's."""
    other = ctypes.CDLL(library)
    other.make_node.restype = ctypes.c_void_p
    nodes = [other.make_node(0, None) for _ in range(3)]
    numbers = [ctypes.c_uint64.from_address(node + 16).value for node in nodes]
    if numbers != [0, 1, 2]:
        sys.exit(f"the second copy's numbers are {numbers}")
    run(other.backward_in_thread, nodes)
    expect(*"---")


def main():
    too_early = node()
    cuda.cuInit(0)
    cuda.cuLaunchKernel(*[None] * 11)  # the recording begins
    expect("-")
    warm = warm_up()
    backward(warm[:4])  # where a node keeps its number is learnt
    expect(*"----")
    backward([second_layer(), first_layer()])
    expect("second_layer", "first_layer")
    backward([too_early, first_layer(), torch.make_sum(9), torch.make_sum(9), too_early, torch.make_sum(9)])
    expect("-", "first_layer", "first_layer", "first_layer", "-", "-")
    first, second = first_layer(), second_layer()
    backward([second, first, torch.make_sum(0)], failing=2)
    expect("second_layer", "-", "first_layer", "first_layer")
    inner = second_layer()
    backward([node(1, inner), first])
    expect("main", "second_layer", "main", "first_layer")
    backward(in_other_thread()[:3] + [first])
    expect(*["other_layer"] * 3, "first_layer")
    backward_here([first])
    expect("+first_layer")
    cuda.cuLaunchKernel(*[None] * 11)
    expect("-")
    if len(sys.argv) > 2:
        second_copy(sys.argv[2])
    sys.stdout.flush()
    if os.fork() == 0:  # the child's dictionary is a new one
        backward([first] * 3)
        os._exit(0)
    os.wait()


if __name__ == "__main__":
    main()
