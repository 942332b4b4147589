"""Small programs of many kinds, for kinds_check.py: `kinds.py NAME` runs one of them, and `kinds.py --list` names them. They write files
only into the directory in which they run. What they print and how they end must be the same with and without the recorder."""
import os
import signal
import subprocess
import sys
import threading
import time

import torch
import torch.multiprocessing
import torch.nn.functional as F
from torch import nn

GPU = "cuda"


def steps(model, loss_of, optimizer=None, n=3):
    """n steps, and what each has for a loss."""
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(n):
        optimizer.zero_grad()
        loss = loss_of(step)
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")


def mlp(*widths):
    layers = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1]).to(GPU)


def x(*shape):
    return torch.randn(*shape, device=GPU)


def gan():
    maker, judge = mlp(8, 16, 32), mlp(32, 16, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
    for step in range(3):
        false = maker(x(4, 8))
        of_judge.zero_grad()
        loss = F.softplus(-judge(x(4, 32))).mean() + F.softplus(judge(false.detach())).mean()
        loss.backward()
        of_judge.step()
        of_maker.zero_grad()
        other = F.softplus(-judge(false)).mean()
        other.backward()
        of_maker.step()
        print(step, f"{loss.item():.4f} {other.item():.4f}")


def lbfgs():
    model, inputs = mlp(4, 8, 1), x(8, 4)
    optimizer, calls = torch.optim.LBFGS(model.parameters(), max_iter=4), []

    def closure():
        optimizer.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward()
        calls.append(1)
        return loss

    for _ in range(2):
        optimizer.step(closure)
    print("closure was called", len(calls) > 0)


def vae():
    encode, decode = mlp(16, 8, 8), mlp(4, 8, 16)
    both = nn.ModuleList([encode, decode])

    def loss_of(_):
        inputs = x(4, 16)
        mean, spread = encode(inputs).chunk(2, 1)
        again = decode(mean + torch.randn_like(mean) * (spread / 2).exp())
        return F.mse_loss(again, inputs) - 0.5 * (1 + spread - mean.square() - spread.exp()).mean()

    steps(both, loss_of, torch.optim.Adam(both.parameters()))


def triplet():
    model = mlp(16, 8, 4)
    steps(model, lambda _: F.triplet_margin_loss(model(x(4, 16)), model(x(4, 16)), model(x(4, 16))))


def reinforce():
    policy = mlp(4, 8, 2)

    def loss_of(step):
        chances = torch.distributions.Categorical(logits=policy(x(6, 4)).cpu())
        action = chances.sample()
        return -(chances.log_prob(action) * (step + 1)).mean()

    steps(policy, loss_of)


def encoder():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), 2, enable_nested_tensor=False).to(GPU)
    steps(model, lambda _: model(x(2, 5, 16)).square().mean(), torch.optim.AdamW(model.parameters(), fused=True))


def sequence_to_sequence():
    words, cell, out = nn.Embedding(20, 8).to(GPU), nn.GRUCell(8, 8).to(GPU), nn.Linear(8, 20).to(GPU)
    every = nn.ModuleList([words, cell, out])
    text = torch.arange(12).reshape(2, 6).to(GPU)

    def loss_of(_):
        state, loss = torch.zeros(2, 8, device=GPU), 0
        for at in range(5):
            state = cell(words(text[:, at]), state)
            loss = loss + F.cross_entropy(out(state), text[:, at + 1])
        return loss

    steps(every, loss_of)


def sparse_embedding():
    bag = nn.EmbeddingBag(50, 8, mode="sum", sparse=True).to(GPU)
    steps(bag, lambda step: bag(torch.arange(8, device=GPU).reshape(2, 4) + step).mean(), torch.optim.SparseAdam(list(bag.parameters())))


def activation_checkpoint():
    from torch.utils.checkpoint import checkpoint
    first, second = mlp(8, 16, 8), mlp(8, 16, 1)
    steps(nn.ModuleList([first, second]), lambda _: second(checkpoint(first, x(4, 8), use_reentrant=False)).mean())


def resume():
    for again in range(2):
        model = mlp(4, 4, 1)
        optimizer = torch.optim.Adam(model.parameters())
        if again:
            held = torch.load("state.pt", weights_only=True)
            model.load_state_dict(held["model"])
            optimizer.load_state_dict(held["optimizer"])
            print("resumed at", held["step"])
        steps(model, lambda _: model(x(4, 4)).mean(), optimizer, 2)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 2 + again}, "state.pt")


def moving_average():
    model = mlp(4, 4, 1)
    mean = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    steps(model, lambda _: model(x(4, 4)).mean())
    mean.update_parameters(model)
    print(int(mean.n_averaged))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, inputs):
        context.save_for_backward(inputs)
        return inputs * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 2 + context.saved_tensors[0] * 0


def custom_function():
    model = mlp(4, 4, 1)
    steps(model, lambda _: Doubled.apply(model(x(4, 4))).mean())


def hooks():
    model, seen = mlp(4, 4, 1), []
    model.register_forward_hook(lambda *_: seen.append("forward"))
    model[0].register_full_backward_hook(lambda *_: seen.append("backward"))
    model[0].weight.register_hook(lambda gradient: gradient * 0.5)
    steps(model, lambda _: model(x(4, 4)).mean(), n=2)
    print(seen)


def side_stream():
    side, model = torch.cuda.Stream(), mlp(8, 8, 1)
    pinned = [torch.ones(4, 8).pin_memory() for _ in range(4)]

    def loss_of(step):
        with torch.cuda.stream(side):
            inputs = pinned[step].to(GPU, non_blocking=True)
        torch.cuda.current_stream().wait_stream(side)
        inputs.record_stream(torch.cuda.current_stream())
        return model(inputs).mean()

    steps(model, loss_of)


def functional():
    model = mlp(4, 4, 1)
    parameters = dict(model.named_parameters())

    def loss_of(values, sample):
        return torch.func.functional_call(model, values, (sample,)).sum()

    gradients = torch.func.vmap(torch.func.grad(loss_of), in_dims=(None, 0))(parameters, x(5, 4))
    print(sorted((name, tuple(value.shape)) for name, value in gradients.items()))


def traced():
    model = torch.jit.trace(mlp(4, 8, 1), x(2, 4))
    steps(model, lambda _: model(x(2, 4)).mean())
    torch.jit.save(model, "model.pt")
    print(os.path.exists("model.pt"))


def exported():
    program = torch.export.export(mlp(4, 8, 1), (x(2, 4),))
    print(len(list(program.graph.nodes)), tuple(program.module()(x(2, 4)).shape))


def gradient_penalty():
    model = mlp(4, 8, 1)

    def loss_of(_):
        inputs = x(4, 4).requires_grad_()
        gradient, = torch.autograd.grad(model(inputs).sum(), inputs, create_graph=True)
        return gradient.square().sum()

    steps(model, loss_of)


def distillation():
    teacher, student = mlp(8, 32, 5), mlp(8, 4, 5)

    def loss_of(_):
        inputs = x(4, 8)
        with torch.no_grad():
            wanted = teacher(inputs).softmax(1)
        return F.kl_div(student(inputs).log_softmax(1), wanted, reduction="batchmean")

    steps(student, loss_of)


def schedule_and_clip():
    model = mlp(4, 8, 1)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.1)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, total_steps=4)
    for _ in range(3):
        optimizer.zero_grad()
        model(x(4, 4)).mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
        print(f"{rate.get_last_lr()[0]:.5f}")


def convolution_autoencoder():
    model = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.ConvTranspose2d(8, 3, 4, 2, 1)).to(GPU)
    steps(model, lambda _: F.mse_loss(model(x(2, 3, 8, 8)), x(2, 3, 8, 8)))


def message_passing():
    model, source, to = mlp(8, 8), torch.tensor([0, 1, 2, 3], device=GPU), torch.tensor([1, 2, 3, 0], device=GPU)

    def loss_of(_):
        nodes = x(4, 8)
        return torch.zeros(4, 8, device=GPU).index_add(0, to, model(nodes[source])).mean()

    steps(model, loss_of)


def bfloat16():
    model = mlp(8, 16, 1)

    def loss_of(_):
        with torch.autocast(GPU, torch.bfloat16):
            return model(x(4, 8)).float().mean()

    steps(model, loss_of, torch.optim.SGD(model.parameters(), lr=0.1, foreach=True))


def decoding():
    layer, words = nn.Linear(8, 24).to(GPU), nn.Embedding(30, 8).to(GPU)
    keys, values, token = [], [], torch.zeros(1, dtype=torch.long, device=GPU)
    with torch.inference_mode():
        for at in range(6):
            query, key, value = layer(words(token)).chunk(3, -1)
            keys.append(key)
            values.append(value)
            out = F.scaled_dot_product_attention(query[None], torch.cat(keys)[None], torch.cat(values)[None])
            token = (out.sum() * 0).long().reshape(1) + at
    print("tokens", int(token))


def two_devices():
    """A pipeline by hand: each half of the model on a GPU of its own."""
    first, second = mlp(8, 16, 16).to("cuda:0"), mlp(16, 16, 1).to("cuda:1")
    steps(nn.ModuleList([first, second]), lambda _: second(first(x(4, 8)).to("cuda:1")).mean())


def replicas():
    model = nn.DataParallel(mlp(8, 8, 1), device_ids=[0, 1])
    steps(model, lambda _: model(x(4, 8)).mean())


def train_in_child(rank):
    torch.cuda.set_device(rank)
    model = nn.Linear(4, 1).to(GPU)
    model(torch.ones(2, 4, device=GPU)).sum().backward()
    with open(f"rank-{rank}", "w") as file:
        file.write("%s\n" % list(model.weight.grad.shape))


def spawned():
    torch.multiprocessing.spawn(train_in_child, nprocs=2)
    print(sorted(name for name in os.listdir(".") if name.startswith("rank-")))


def fails_in_child(rank):
    if rank == 1:
        sys.exit(7)
    time.sleep(0.2)


def spawned_fails():
    try:
        torch.multiprocessing.spawn(fails_in_child, nprocs=2)
    except torch.multiprocessing.ProcessExitedException as error:
        print("child", error.error_index, "ended with", error.exit_code)


def subprocesses():
    code = "import torch; print(torch.ones(3, device='cuda').shape); raise SystemExit(5)"
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    print(end.returncode, end.stdout.strip())


def threads():
    losses = [None] * 3

    def work(i):
        model = mlp(4, 4, 1)
        model(torch.ones(2, 4, device=GPU)).sum().backward()
        losses[i] = tuple(model[0].weight.grad.shape)

    every = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in every:
        thread.start()
    for thread in every:
        thread.join()
    print(losses)


def raises():
    x(4, 4) @ x(5, 5)


def out_of_memory():
    try:
        torch.empty(1 << 50, dtype=torch.uint8, device=GPU)
    except torch.OutOfMemoryError:
        print("out of memory, and on")
    print(tuple(x(2).shape))


def exits():
    x(4).sum()
    sys.exit(3)


def signalled():
    def on_alarm(*_):
        print("alarm", flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
    signal.signal(signal.SIGALRM, on_alarm)
    x(4).sum().item()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(5)


def elastic():
    """torchrun with two ranks, of which one ends with status 9 in its first life: both begin again, from what the first life has saved."""
    # A store for each try: else PyTorch shares the agent's, in which the first try's NCCL id is still there when the second one looks for its
    # own, and whoever finds it cannot join (NCCL refuses the id of a process that has ended).
    os.environ.update(TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1", OMP_NUM_THREADS="1")
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "--max-restarts=1", __file__,
                              "elastic_rank"])


def elastic_rank():
    rank, life = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 1).to(GPU), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = torch.load("saved.pt", weights_only=True)["step"] + 1 if life else 0
    for step in range(first, 5):
        optimizer.zero_grad()
        model(torch.ones(4, 8, device=GPU)).mean().backward()
        optimizer.step()
        torch.cuda.synchronize()
        if rank == 0:
            os.write(1, b"life %d step %d\n" % (life, step))
        if rank == 0 and step == 2:
            torch.save({"model": model.module.state_dict(), "step": step}, "saved.pt")
        if step == 2 and not life:
            torch.distributed.barrier()
            time.sleep(30 if rank == 0 else 0.2)  # the agent ends the other one
            os._exit(9)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


KINDS = [gan, lbfgs, vae, triplet, reinforce, encoder, sequence_to_sequence, sparse_embedding, activation_checkpoint, resume, moving_average,
         custom_function, hooks, side_stream, functional, traced, exported, gradient_penalty, distillation, schedule_and_clip,
         convolution_autoencoder, message_passing, bfloat16, decoding, two_devices, replicas, spawned, spawned_fails, subprocesses, threads,
         raises, out_of_memory, exits, signalled, elastic]
RANKS = [elastic_rank]  # of a kind

if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(" ".join(kind.__name__ for kind in KINDS))
    else:
        torch.manual_seed(1)
        {kind.__name__: kind for kind in KINDS + RANKS}[sys.argv[1]]()
        torch.cuda.synchronize()
        time.sleep(0.3)  # PyTorch's backward thread must not meet an interpreter that is being torn down
