"""A small GPT-2 shaped language model: data-parallel, mixed precision, fused AdamW."""
import time

import torch
from torch import nn
from torch.nn import functional as F

import common


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, vocabulary=512, length=64, width=128, heads=4, layers=4):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.blocks(x)))


def main():
    parser = common.options(__doc__)
    parser.add_argument("--amp", choices=["off", "bf16", "fp16"], default="bf16")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--slow-rank", metavar="R=MS", default="-1=0", help="planted: rank R sleeps in each step")
    args = parser.parse_args()
    late_rank, late_ms = args.slow_rank.split("=")
    job = common.Job(args)
    model = job.ddp(GPT2(layers=args.layers))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    scaler = torch.amp.GradScaler(job.device.type, enabled=args.amp == "fp16")
    precision = {"off": None, "bf16": torch.bfloat16, "fp16": torch.float16}[args.amp]
    ids = torch.randint(512, (args.batch, 65)).to(job.device)
    with job.profiled():
        for step in range(args.steps):
            with torch.autocast(job.device.type, precision, enabled=precision is not None):
                logits = model(ids[:, :-1])
                loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            if job.rank == int(late_rank):
                time.sleep(float(late_ms) / 1e3)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.4f} scale {scaler.get_scale():.0f}")
    job.finish()


if __name__ == "__main__":
    main()
