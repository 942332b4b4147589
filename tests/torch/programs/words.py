"""A word-level language model: an embedding, a recurrent network (cuDNN's), truncated backpropagation, validation, a checkpoint."""
import io
import math

import torch
from torch import nn

import common

WORDS, BATCH, LENGTH = 500, 20, 35


class Model(nn.Module):
    def __init__(self, kind, width=100, layers=2):
        super().__init__()
        self.drop, self.words = nn.Dropout(0.2), nn.Embedding(WORDS, width)
        self.recurrent = getattr(nn, kind)(width, width, layers, dropout=0.2)
        self.out = nn.Linear(width, WORDS)

    def forward(self, x, state=None):
        y, state = self.recurrent(self.drop(self.words(x)), state)
        return self.out(self.drop(y)).flatten(0, 1), state


def detached(state):
    return tuple(detached(one) for one in state) if isinstance(state, tuple) else state.detach()


def pieces(text):
    for at in range(0, len(text) - 1, LENGTH):
        n = min(LENGTH, len(text) - 1 - at)
        yield text[at : at + n], text[at + 1 : at + 1 + n].flatten()


def validate(model, text):
    model.eval()
    total, state = 0.0, None
    with torch.no_grad():
        for x, wanted in pieces(text):
            scores, state = model(x, state)
            total += len(x) * nn.functional.cross_entropy(scores, wanted).item()
    model.train()
    return total / len(text)


def main():
    parser = common.options(__doc__)
    parser.add_argument("--kind", choices=["LSTM", "GRU", "RNN"], default="LSTM")
    args = parser.parse_args()
    job = common.Job(args)
    model = job.ddp(Model(args.kind))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, args.steps // 2, gamma=0.25)
    text = torch.randint(WORDS, (args.steps * LENGTH + 1, BATCH)).to(job.device)
    state = None
    with job.profiled():
        for step, (x, wanted) in enumerate(pieces(text)):
            scores, state = model(x, state if state is None else detached(state))
            loss = nn.functional.cross_entropy(scores, wanted)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            optimizer.step()
            schedule.step()
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.2f} perplexity {math.exp(loss.item()):.2f} lr {schedule.get_last_lr()[0]}")
    loss = validate(model, text[: 4 * LENGTH])
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    model.load_state_dict(torch.load(file, map_location=job.device, weights_only=True))
    job.say(f"step {args.steps} validation {loss:.2f}, again {validate(model, text[: 4 * LENGTH]):.2f}")
    job.finish()


if __name__ == "__main__":
    main()
