#!/usr/bin/python3
"""Advertisements shown, and whether they were clicked: makes the data of the ctr examples.

    clicks.py FOLDER        writes FOLDER/train/part-NN.clicks and FOLDER/test/part-00.clicks

The clicks are drawn from a factorization machine that only this file knows, so the best
loss that any model can reach is known, too: it is printed.  A record has 1 byte, the
click, and one 16-bit number for every field: which of the field's values was there.
"""

import argparse
import os
import sys

try:
    import numpy
except ImportError:
    sys.exit(f"clicks.py: no numpy for {sys.executable}; "
             "Debian's: apt-get install python3-numpy, run with /usr/bin/python3")

FIELDS = 10
VALUES = 200  # of each field
FEATURES = FIELDS * VALUES
RECORD = numpy.dtype([("click", "u1"), ("values", "<u2", (FIELDS,))])

HIDDEN_FACTORS = 4
USUAL_SCORE = -1.2  # about one view in four is clicked


def read(stream, count):
    """Up to `count` records of a binary stream, fewer only at its end: (clicks, values)."""
    parts = []
    wanted = count * RECORD.itemsize
    while wanted > 0:
        part = stream.read(wanted)
        if not part:
            break
        parts.append(part)
        wanted -= len(part)
    content = b"".join(parts)
    if len(content) % RECORD.itemsize:
        sys.exit(f"clicks: the data ends within a record of {RECORD.itemsize} bytes")
    records = numpy.frombuffer(content, dtype=RECORD)
    return records["click"].astype(float), records["values"].astype(int)


class Files:
    """Files, one after another, as one stream."""

    def __init__(self, paths):
        self.paths = list(paths)
        self.file = None

    def read(self, size):
        while self.file or self.paths:
            self.file = self.file or open(self.paths.pop(0), "rb")
            content = self.file.read(size)
            if content:
                return content
            self.close()
        return b""

    def close(self):
        if self.file:
            self.file.close()
        self.file = None


def files_of(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def log_loss(clicks, probabilities):
    sure = numpy.clip(probabilities, 1e-7, 1 - 1e-7)
    return float(-numpy.mean(clicks * numpy.log(sure) + (1 - clicks) * numpy.log(1 - sure)))


def draw(chance, weights, factors, count):
    """`count` records, and the probability of each one's click."""
    records = numpy.empty(count, dtype=RECORD)
    # few values are frequent, many are rare
    values = numpy.minimum(VALUES * chance.random((count, FIELDS)) ** 2, VALUES - 1)
    records["values"] = values.astype(int)
    features = records["values"] + VALUES * numpy.arange(FIELDS)
    ones = factors[features]
    pairs = (ones.sum(1) ** 2 - (ones ** 2).sum(1)).sum(1) / 2
    score = USUAL_SCORE + weights[features].sum(1) + pairs
    probabilities = 1 / (1 + numpy.exp(-score))
    records["click"] = chance.random(count) < probabilities
    return records, probabilities


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--parts", type=int, default=8, help="files to train on")
    parser.add_argument("--records", type=int, default=40_000, help="records a file")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = numpy.random.default_rng(args.seed)
    weights = 0.4 * chance.standard_normal(FEATURES)
    factors = 0.25 * chance.standard_normal((FEATURES, HIDDEN_FACTORS))
    for channel, parts in (("train", args.parts), ("test", 1)):
        os.makedirs(os.path.join(args.folder, channel), exist_ok=True)
        for part in range(parts):
            records, probabilities = draw(chance, weights, factors, args.records)
            path = os.path.join(args.folder, channel, f"part-{part:02}.clicks")
            with open(path, "wb") as file:
                file.write(records.tobytes())
    best = log_loss(records["click"].astype(float), probabilities)
    print(f"{args.folder}: {args.parts} x {args.records} records to train on, "
          f"{args.records} to test; no model can have a lower test loss than {best:.4f}")


if __name__ == "__main__":
    main()
