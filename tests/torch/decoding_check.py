"""Loops that end by what the device says, as decoding does: all sequences have come to their end, or are long enough. On the GPU they
take as many steps as on the CPU, and where every value can be worked out they write the same tokens. (A flag that nobody knows reads
false: such a loop asks whether it is finished, not whether it goes on.)"""

import time

import torch
from torch import nn

TOKENS, END, PAD, MOST = 24, 2, 0, 12


def rule(ids):
    """Logits by a rule: the token that follows has the greatest."""
    token = torch.arange(TOKENS, device=ids.device)
    return -(token[None] - ((ids[:, -1:] * 5 + 3) % TOKENS)).abs().float()


class Model(nn.Module):
    """Logits that nobody computes on the double. On the CPU it never says END."""

    def __init__(self):
        super().__init__()
        self.embed, self.layer = nn.Embedding(TOKENS, 32), nn.TransformerEncoderLayer(32, 2, 64, batch_first=True)
        self.head = nn.Linear(32, TOKENS)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        nn.init.constant_(self.head.bias[5], 1)

    def forward(self, ids):
        return self.head(self.layer(self.embed(ids)))[:, -1]


def decode(logits_of, ids):
    unfinished = torch.ones(len(ids), dtype=torch.long, device=ids.device)
    end, steps = torch.tensor([END, END + 1], device=ids.device), 0
    finished = False
    while not finished:
        assert steps < 10 * MOST, "does not end"
        following = logits_of(ids).argmax(-1)
        following = following * unfinished + PAD * (1 - unfinished)
        ids = torch.cat([ids, following[:, None]], dim=-1)
        done = torch.full((len(ids),), False, device=ids.device)
        done = done | torch.full((len(ids),), ids.shape[1] >= MOST, device=ids.device)
        done = done | torch.isin(ids[:, -1:], end).any(-1)
        unfinished = unfinished & ~done
        finished = unfinished.max() == 0
        steps += 1
    return ids.cpu(), steps


def busy():
    torch.relu(torch.randn(64, 64, device="cuda") @ torch.randn(64, 64, device="cuda"))


def by_rule():
    lengths = []
    for first in [[7], [4], [19], [9], [23]], [[19], [19]], [[7], [8]]:
        ids = torch.tensor(first)
        wanted, steps = decode(rule, ids)
        busy()
        got, taken = decode(rule, ids.cuda())
        assert taken == steps and torch.equal(got, wanted), (wanted, got)
        lengths.append(wanted.shape[1])
    assert min(lengths) < MOST and max(lengths) == MOST, lengths  # some end early, others do not
    return lengths


def by_model():
    model, ids = Model().eval(), torch.tensor([[5, 7, 9], [4, 3, 8]])
    with torch.no_grad():
        wanted, steps = decode(model, ids)
        got, taken = decode(model.cuda(), ids.cuda())
    assert taken == steps and got.shape == wanted.shape, (steps, taken)
    return steps


def main():
    print(f"PyTorch {torch.__version__}: decoded to lengths of {by_rule()}, {by_model()} steps of a model")
    time.sleep(0.3)


main()
