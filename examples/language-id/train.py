#!/usr/bin/python3
"""Which language is this word?  A small classifier trained on Debian's word lists.

The words of five languages are cut into character n-grams, hashed, averaged by an
EmbeddingBag and classified by one linear layer.  PyTorch DistributedDataParallel over
gloo trains it: the file runs unchanged under Railhead, under torchrun and as one
process.  README.md beside it tells what makes the task easy and what makes it hard.
"""

import argparse
import json
import os
import random
import signal
import sys
import time
import zlib

try:
    import torch
    import torch.distributed as dist
except ImportError:
    sys.exit(f"train.py: no PyTorch for {sys.executable}; "
             "Debian's: apt-get install python3-torch, run with /usr/bin/python3")

# language: its file and the Debian package that has it
LISTS = {
    "english": ("american-english", "wamerican"),
    "french": ("french", "wfrench"),
    "german": ("ngerman", "wngerman"),
    "italian": ("italian", "witalian"),
    "spanish": ("spanish", "wspanish"),
}

NGRAM_MAX = 4
BUCKETS = 1 << 15
DIMENSIONS = 16

STEM_LETTERS = 5
HELD_OUT_ONE_IN = 10
HELD_OUT_PER_LANGUAGE = 5000

SECONDS_BETWEEN_LINES = 0.4
EXIT_STOPPED = 128 + signal.SIGTERM

stop_asked = False


def ask_stop(*_):
    global stop_asked
    stop_asked = True


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=5, help="passes over the words")
    parser.add_argument("--batch-size", type=int, default=4000,
                        help="words a step, over all processes together")
    parser.add_argument("--lr", type=float, default=0.02, help="learning rate of Adam")
    parser.add_argument("--samples", type=int, default=200_000,
                        help="words to train on, as many of each language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", default="/usr/share/dict", metavar="FOLDER",
                        help="folder of the word lists")
    args = parser.parse_args()
    for name in ("epochs", "batch_size", "samples"):
        if getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be at least 1")
    return args


def read_lists(folder):
    """{word: number of its language}, without the words of more than one language."""
    paths = [os.path.join(folder, file) for file, _ in LISTS.values()]
    missing = [package for path, (_, package) in zip(paths, LISTS.values())
               if not os.path.exists(path)]
    if missing:
        sys.exit(f"train.py: word lists are missing in {folder}; "
                 f"to get them: apt-get install {' '.join(missing)}")
    language_of = {}
    shared = set()
    for language, path in enumerate(paths):
        with open(path, encoding="utf-8") as file:
            words = file.read().lower().split("\n")
        for word in words:
            # "dog's" beside "dog" is a mark of the English list, not of the language
            if not word or "'" in word:
                continue
            if language_of.setdefault(word, language) != language:
                shared.add(word)
    for word in shared:
        del language_of[word]
    return language_of


def draw(lists, count, chance):
    """`count` pairs of each list, or all that it has, shuffled together."""
    pairs = [pair for one in lists for pair in chance.sample(one, min(count, len(one)))]
    chance.shuffle(pairs)
    return pairs


def split(language_of, samples, seed):
    """Two lists of (word, language), to train on and held out, all languages alike.

    The hash of its first letters decides whether a word is held out, whatever the seed:
    so most forms of one word are on the same side, and what is measured is how well new
    words are told apart, not new endings of known ones.
    """
    training = [[] for _ in LISTS]
    held_out = [[] for _ in LISTS]
    for word, language in language_of.items():
        stem_hash = zlib.crc32(word[:STEM_LETTERS].encode())
        side = held_out if stem_hash % HELD_OUT_ONE_IN == 0 else training
        side[language].append((word, language))
    most = len(LISTS) * min(len(words) for words in training)
    if samples > most or not all(held_out):
        sys.exit(f"train.py: --samples {samples}: the word lists have {most}")
    chance = random.Random(seed)
    # rounded up for each language, then cut: the total is the one that was asked for
    return (draw(training, -(-samples // len(LISTS)), chance)[:samples],
            draw(held_out, HELD_OUT_PER_LANGUAGE, chance))


def encode(pairs):
    """(buckets of the n-grams of all words in turn, where each word's begin, languages)"""
    words = [f"^{word}$" for word, _ in pairs]
    text = bytearray("".join(words).encode("utf-32-le"))
    codes = torch.frombuffer(text, dtype=torch.int32).long()
    lengths = torch.tensor([len(word) for word in words])
    word_of = torch.repeat_interleave(torch.arange(len(words)), lengths)
    buckets = torch.zeros((len(codes), NGRAM_MAX), dtype=torch.long)
    is_ngram = torch.zeros((len(codes), NGRAM_MAX), dtype=torch.bool)
    value = torch.zeros(len(codes), dtype=torch.long)
    for n in range(min(NGRAM_MAX, len(codes))):
        # value[i] stands for the n+1 characters from i on; it wraps around, as hashes do
        starts = len(codes) - n
        value = value[:starts] * 1_000_003 + codes[n:] + 1
        buckets[:starts, n] = value * 0x9E3779B1 >> 13 & (BUCKETS - 1)
        is_ngram[:starts, n] = word_of[:starts] == word_of[n:]
    counts = torch.zeros(len(words), dtype=torch.long)
    counts.index_add_(0, word_of, is_ngram.sum(1))
    languages = torch.tensor([language for _, language in pairs])
    return buckets[is_ngram], counts.cumsum(0) - counts, languages


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ngrams = torch.nn.EmbeddingBag(BUCKETS, DIMENSIONS, mode="mean")
        self.languages = torch.nn.Linear(DIMENSIONS, len(LISTS))

    def forward(self, buckets, begins):
        return self.languages(self.ngrams(buckets, begins))


class Progress:
    """Lines that Railhead reads metrics from, and a person can follow."""

    def __init__(self, is_printing):
        self.is_printing = is_printing
        self.started = self.printed = time.monotonic()
        self.seen = 0
        self.losses = []

    def add(self, words, loss):
        self.seen += words
        self.losses.append(loss)
        if time.monotonic() - self.printed >= SECONDS_BETWEEN_LINES:
            self.say()

    def say(self):
        if not self.losses or not self.is_printing:
            return
        self.printed = time.monotonic()
        print(f"samples_seen={self.seen} loss={sum(self.losses) / len(self.losses):.4f} "
              f"samples_per_second={self.seen / (self.printed - self.started):.0f}",
              flush=True)
        self.losses.clear()


def is_stopping(world):
    """Whether any rank was asked to stop: all leave after the same step, none waits."""
    asked = torch.tensor(float(stop_asked))
    if world > 1:
        dist.all_reduce(asked, op=dist.ReduceOp.MAX)
    return asked.item() > 0


def batches(pairs, args):
    """All steps of all epochs; what fills no whole step is left out."""
    chance = random.Random(args.seed)
    for _ in range(args.epochs):
        chance.shuffle(pairs)
        for start in range(0, len(pairs) - args.batch_size + 1, args.batch_size):
            yield pairs[start:start + args.batch_size]


def train(model, pairs, args, rank, world):
    """(words seen by all ranks together, whether a stop cut it short)"""
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    progress = Progress(is_printing=rank == 0)
    stopped = False
    for batch in batches(pairs, args):
        stopped = is_stopping(world)
        if stopped:
            break
        buckets, begins, languages = encode(batch[rank::world])
        loss = torch.nn.functional.cross_entropy(model(buckets, begins), languages)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        progress.add(len(batch), loss.item())
    progress.say()
    return progress.seen, stopped


def evaluate(model, pairs, rank, world):
    """(share of right answers for each language, share of all)"""
    right = torch.zeros(len(LISTS))
    asked = torch.zeros(len(LISTS))
    with torch.no_grad():
        buckets, begins, languages = encode(pairs[rank::world])
        is_right = model(buckets, begins).argmax(1) == languages
    right.index_add_(0, languages, is_right.float())
    asked.index_add_(0, languages, torch.ones(len(languages)))
    if world > 1:
        dist.all_reduce(right)
        dist.all_reduce(asked)
    return (right / asked).tolist(), (right.sum() / asked.sum()).item()


def save(model, metrics):
    """To SM_MODEL_DIR, where Railhead and SageMaker pick the model up."""
    folder = os.environ.get("SM_MODEL_DIR")
    if not folder:
        return
    torch.save({"languages": list(LISTS), "state": model.state_dict()},
               os.path.join(folder, "model.pt"))
    with open(os.path.join(folder, "metrics.json"), "w", encoding="utf-8") as file:
        json.dump(metrics, file, indent=2)
        file.write("\n")


def main():
    signal.signal(signal.SIGTERM, ask_stop)
    args = arguments()
    rank = int(os.environ.get("RANK", 0))
    world = int(os.environ.get("WORLD_SIZE", 1))
    if not world <= args.batch_size <= args.samples:
        sys.exit(f"train.py: --batch-size {args.batch_size}: expected at least one word a "
                 f"process ({world}) and at most --samples ({args.samples})")
    torch.set_num_threads(1)  # the steps are too small to be shared among threads
    torch.manual_seed(args.seed)
    training, held_out = split(read_lists(args.words), args.samples, args.seed)

    model = Classifier()
    if world > 1:
        dist.init_process_group("gloo")
        ranks_model = torch.nn.parallel.DistributedDataParallel(
            model, gradient_as_bucket_view=True)
    else:
        ranks_model = model
    seen, stopped = train(ranks_model, training, args, rank, world)
    shares, accuracy = evaluate(model, held_out, rank, world)
    if rank == 0:
        print("held out: " + ", ".join(
            f"{name} {share:.1%}" for name, share in zip(LISTS, shares)))
        print(f"accuracy={accuracy:.4f}", flush=True)
        save(model, {"samples_seen": seen, "accuracy": round(accuracy, 4),
                     "languages": {name: round(share, 4)
                                   for name, share in zip(LISTS, shares)}})
    if world > 1:
        dist.destroy_process_group()
    return EXIT_STOPPED if stopped else 0


if __name__ == "__main__":
    sys.exit(main())
