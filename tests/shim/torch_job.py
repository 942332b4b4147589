"""A perceptron in eager PyTorch, its batches from a slow data set: what torch_case.sh records. Each line is named in the test."""
import time

import torch


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 10 * 4

    def __getitem__(self, i):
        time.sleep(0.01)
        return torch.ones(64)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)

    def forward(self, x):
        x = self.first(x)
        x = torch.relu(x)
        return self.second(x)


def main():
    net = Net().to("cuda")
    optimizer = torch.optim.AdamW(net.parameters())
    for batch in torch.utils.data.DataLoader(Slow(), batch_size=4):
        optimizer.zero_grad()
        net(batch.to("cuda")).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()
    print("done", flush=True)
    time.sleep(0.3)  # an autograd thread and the end of an interpreter do not go together


if __name__ == "__main__":
    main()
