#!/usr/bin/python3
"""Fine-tunes a small model that continues words, letter by letter, from one language to
another.  A run that is interrupted goes on where it was: the same steps, the same batches,
the same loss to the last digit.

Runs under torchrun, under Railhead's own launch, and as one process:

    finetune.py --words english --steps 300 --save base.pt       makes the model to begin with
    torchrun --nproc_per_node 2 finetune.py --base base.pt --words italian
"""

import argparse
import os
import signal
import sys
import time

try:
    import torch
    import torch.distributed as dist
except ImportError:
    sys.exit(f"finetune.py: no PyTorch for {sys.executable}; "
             "Debian's: apt-get install python3-torch, run with /usr/bin/python3")

# language: its file in /usr/share/dict and the Debian package that has it
LISTS = {"english": ("american-english", "wamerican"), "italian": ("italian", "witalian")}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
END = 0  # before and behind every word
WORD_MAX = 15
HELD_OUT_ONE_IN = 20
EXIT_STOPPED = 128 + signal.SIGTERM

stop_asked = False


def ask_stop(*_):
    global stop_asked
    stop_asked = True


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", choices=LISTS, default="italian")
    parser.add_argument("--base", metavar="FILE", default=base_of_channel(),
                        help="the model to begin with; default: base.pt of the channel base")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch-size", type=int, default=128, help="words a process")
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--checkpoint-every", type=int, default=50, metavar="STEPS")
    parser.add_argument("--checkpoints", metavar="FOLDER",
                        default=os.environ.get("RAILHEAD_CHECKPOINT_DIR"))
    parser.add_argument("--save", metavar="FILE", default=model_file())
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def base_of_channel():
    channel = os.environ.get("SM_CHANNEL_BASE")
    return os.path.join(channel, "base.pt") if channel else None


def model_file():
    folder = os.environ.get("SM_MODEL_DIR")
    return os.path.join(folder, "model.pt") if folder else None


def read_words(language):
    """Two tensors (words, WORD_MAX + 2) of letters, to train on and held out."""
    file_name, package = LISTS[language]
    path = os.path.join("/usr/share/dict", file_name)
    if not os.path.exists(path):
        sys.exit(f"finetune.py: {path} is missing; to get it: apt-get install {package}")
    with open(path, encoding="utf-8") as file:
        words = sorted({word for word in file.read().lower().split("\n")
                        if 2 < len(word) <= WORD_MAX and set(word) <= set(LETTERS)})
    rows = torch.zeros((len(words), WORD_MAX + 2), dtype=torch.long)
    for row, word in zip(rows, words):
        row[1:len(word) + 1] = torch.tensor([1 + LETTERS.index(letter) for letter in word])
    is_held_out = torch.arange(len(words)) % HELD_OUT_ONE_IN == 0
    return rows[~is_held_out], rows[is_held_out]


class Speller(torch.nn.Module):
    """The next letter of a word, from those before it."""

    def __init__(self, width=64):
        super().__init__()
        self.letters = torch.nn.Embedding(1 + len(LETTERS), 24)
        self.memory = torch.nn.GRU(24, width, batch_first=True)
        self.next = torch.nn.Linear(width, 1 + len(LETTERS))

    def forward(self, words):
        states, _ = self.memory(self.letters(words[:, :-1]))
        guesses = self.next(states)
        # what follows the end of a word is no part of it
        counts = (words[:, :-1] != END) | (torch.arange(words.shape[1] - 1) == 0)
        return torch.nn.functional.cross_entropy(guesses[counts], words[:, 1:][counts])


class Checkpoints:
    """The newest state, in one file that is replaced whole, written by rank 0."""

    def __init__(self, folder, rank):
        self.path = os.path.join(folder, "newest.pt") if folder else None
        self.is_writing = rank == 0

    def load(self):
        if self.path and os.path.exists(self.path):
            return torch.load(self.path)
        return None

    def save(self, step, model, optimizer):
        if not self.path or not self.is_writing:
            return
        torch.save({"step": step, "model": model.state_dict(),
                    "optimizer": optimizer.state_dict()}, self.path + ".part")
        os.replace(self.path + ".part", self.path)
        print(f"checkpoint after step {step}", flush=True)


def batch_of(words, step, args, rank):
    """The words of one step: they follow from seed, step and rank alone, so a run that
    resumes takes those that it would have taken."""
    chance = torch.Generator().manual_seed(hash((args.seed, step, rank)))
    return words[torch.randint(len(words), (args.batch_size,), generator=chance)]


def is_stopping(world):
    """Whether any rank was asked to stop: all leave after the same step."""
    asked = torch.tensor(float(stop_asked))
    if world > 1:
        dist.all_reduce(asked, op=dist.ReduceOp.MAX)
    return asked.item() > 0


def train(model, words, args, rank, world):
    """True when all steps were made, False when a stop came before."""
    ranks_model = torch.nn.parallel.DistributedDataParallel(model) if world > 1 else model
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    checkpoints = Checkpoints(args.checkpoints, rank)
    state = checkpoints.load()
    first = 0
    if state:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
        if rank == 0:
            print(f"resumed after step {first}", flush=True)
    for step in range(first, args.steps):
        if is_stopping(world):
            checkpoints.save(step, model, optimizer)
            return False
        loss = ranks_model(batch_of(words, step, args, rank))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done = step + 1
        if rank == 0 and done % 10 == 0:
            print(f"step={done} words_seen={done * args.batch_size * world} "
                  f"loss={loss.item():.9f}", flush=True)
        if done % args.checkpoint_every == 0:
            checkpoints.save(done, model, optimizer)
    return True


def main():
    signal.signal(signal.SIGTERM, ask_stop)
    args = arguments()
    rank = int(os.environ.get("RANK", 0))
    world = int(os.environ.get("WORLD_SIZE", 1))
    torch.set_num_threads(1)  # the steps are too small to be shared among threads
    torch.manual_seed(args.seed)
    words, held_out = read_words(args.words)
    model = Speller()
    if args.base:
        model.load_state_dict(torch.load(args.base))
    if world > 1:
        dist.init_process_group("gloo")
    started = time.monotonic()
    went_on = train(model, words, args, rank, world)
    if went_on and rank == 0:
        with torch.no_grad():
            loss = model(held_out).item()
        print(f"held_out_loss={loss:.9f} after {time.monotonic() - started:.1f} s", flush=True)
        if args.save:
            torch.save(model.state_dict(), args.save)
    if world > 1:
        dist.destroy_process_group()
    return 0 if went_on else EXIT_STOPPED


if __name__ == "__main__":
    sys.exit(main())
