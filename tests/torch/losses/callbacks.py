"""A trainer with callbacks; one of them writes a file and waits for the disk."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


class Callback:
    def on_step_end(self, trainer):
        pass


class WriteState(Callback):
    def on_step_end(self, trainer):
        if LOSS:
            time.sleep(0.009)  # the loss


class Trainer:
    def __init__(self, model, callbacks):
        self.model, self.callbacks = model, callbacks
        self.optimizer = torch.optim.Adam(model.parameters())

    def training_step(self, x, y):
        loss = torch.nn.functional.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def fit(self, steps, x, y):
        for _ in range(steps):
            self.training_step(x, y)
            for callback in self.callbacks:
                callback.on_step_end(self)


begin()
Trainer(perceptron(), [Callback(), WriteState()]).fit(STEPS, *batch())
end()
