"""Two loaders: one waits for its workers, the other works itself. Each batch takes 30 ms."""
import threading
import time

BATCH_S = 0.03


class _MultiProcessingDataLoaderIter:
    def __init__(self, batches):
        self.left = batches

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self._next_data()

    def _next_data(self):
        return threading.Event().wait(BATCH_S)


class _SingleProcessDataLoaderIter(_MultiProcessingDataLoaderIter):
    def _next_data(self):
        until = time.perf_counter() + BATCH_S
        while time.perf_counter() < until:
            sum(range(1000))
