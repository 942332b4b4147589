"""Small programs whose loop is a library's, for kinds_check.py, as kinds.py. tests/torch/install.sh --libraries fetches what they import."""
import sys
import time
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")


class Numbers(Dataset):
    """Rows of numbers, and what the row number says of them."""

    def __len__(self):
        return 16

    def __getitem__(self, i):
        return torch.arange(8, dtype=torch.float32) + i, i % 3


class Words(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        text = (torch.arange(12) + i) % 40
        return {"input_ids": text, "labels": text}


def model():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))


def accelerated():
    """A loop of one's own under accelerate: it places and wraps, accumulates two batches a step, clips, and saves."""
    from accelerate import Accelerator
    accelerator = Accelerator(gradient_accumulation_steps=2)
    net = model()
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    rate = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=8)
    net, optimizer, loader, rate = accelerator.prepare(net, optimizer, DataLoader(Numbers(), 4), rate)
    for batch, (inputs, wanted) in enumerate(loader):
        with accelerator.accumulate(net):
            loss = nn.functional.cross_entropy(net(inputs), wanted)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            rate.step()
            optimizer.zero_grad()
        accelerator.print("batch", batch, "steps" if accelerator.sync_gradients else "adds", tuple(accelerator.gather(loss).shape))
    torch.save(accelerator.unwrap_model(net).state_dict(), "model.pt")


def trainer():
    """transformers' Trainer with a small GPT-2, a callback and an evaluation."""
    from transformers import GPT2Config, GPT2LMHeadModel, PrinterCallback, Trainer, TrainerCallback, TrainingArguments, logging
    logging.set_verbosity_error()

    class Tells(TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            print("step", state.global_step, "of", state.max_steps)

    net = GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0))
    arguments = TrainingArguments("out", max_steps=4, per_device_train_batch_size=4, gradient_accumulation_steps=2, report_to=[], save_strategy="no",
                                  logging_strategy="no", disable_tqdm=True, dataloader_num_workers=1, use_cpu=False)
    job = Trainer(model=net, args=arguments, train_dataset=Words(), eval_dataset=Words(), callbacks=[Tells()])
    job.remove_callback(PrinterCallback)  # it prints how long it took
    print("trained", job.train().global_step)
    print("evaluated", sorted(name for name in job.evaluate() if not name.endswith("per_second") and not name.endswith("runtime")))
    net.save_pretrained("model")


def lightning():
    """Lightning's Trainer: a module with a scheduler, validation after each epoch, a checkpoint."""
    import pytorch_lightning

    class Module(pytorch_lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = model()

        def training_step(self, batch, number):
            print("epoch", self.current_epoch, "batch", number)
            return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def validation_step(self, batch, number):
            self.log("seen", float(number), on_epoch=True)

        def configure_optimizers(self):
            optimizer = torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)
            return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}

    job = pytorch_lightning.Trainer(accelerator="gpu", devices=1, max_epochs=2, logger=False, enable_progress_bar=False, enable_model_summary=False,
                                    enable_checkpointing=False, default_root_dir="out")
    module = Module()
    job.fit(module, DataLoader(Numbers(), 4), DataLoader(Numbers(), 8))
    torch.save(module.state_dict(), "model.pt")
    print("steps", job.global_step, "on", module.device.type)


KINDS = [accelerated, trainer, lightning]

if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(" ".join(kind.__name__ for kind in KINDS))
    else:
        torch.manual_seed(1)
        {kind.__name__: kind for kind in KINDS}[sys.argv[1]]()
        torch.cuda.synchronize()
        time.sleep(0.3)  # PyTorch's backward thread must not meet an interpreter that is being torn down
