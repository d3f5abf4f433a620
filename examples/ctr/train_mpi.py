#!/usr/bin/python3
"""Trains the click model under MPI: every process reads its own records from a Pipe
channel, gradients are averaged over all processes after every batch.

Runs under Railhead (examples/ctr-mpi/job.yaml), or by hand on files:

    mpirun -np 2 /usr/bin/python3 -m mpi4py train_mpi.py --train FOLDER --test FOLDER
"""

import argparse
import os
import signal
import sys
import time

import numpy
from mpi4py import MPI

import clicks
import machine

EXIT_STOPPED = 128 + signal.SIGTERM
SECONDS_BETWEEN_LINES = 0.4

stop_asked = False


def ask_stop(*_):
    global stop_asked
    stop_asked = True


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=500, help="records a process")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train", help="folder; default: the channel train, as a pipe")
    parser.add_argument("--test", default=os.environ.get("SM_CHANNEL_TEST"))
    return parser.parse_args()


def open_epoch(args, epoch, comm):
    """The records of one epoch for this process: railhead-job(5) says how pipes are named."""
    if args.train:
        return clicks.Files(clicks.files_of(args.train)[comm.rank::comm.size])
    return open(f"{os.environ['SM_CHANNEL_TRAIN']}_{epoch}", "rb", buffering=0)


class Progress:
    """Lines that Railhead reads metrics from, and a person can follow."""

    def __init__(self, is_printing):
        self.is_printing = is_printing
        self.printed = time.monotonic()
        self.seen = 0

    def add(self, records, losses):
        self.seen += int(records)
        now = time.monotonic()
        if self.is_printing and now - self.printed >= SECONDS_BETWEEN_LINES:
            self.printed = now
            print(f"samples_seen={self.seen} loss={losses / records:.4f}", flush=True)


def train_epoch(parameters, optimizer, stream, args, progress, comm):
    """False when a stop cut it short.  Ranks that have read all go on with nothing until
    the last one has."""
    total = numpy.empty(parameters.size + 3)
    while True:
        was_clicked, values = clicks.read(stream, args.batch_size)
        sums, losses = machine.gradient(parameters, values, was_clicked) \
            if len(was_clicked) else (numpy.zeros_like(parameters), 0.0)
        own = numpy.concatenate([sums.ravel(), [losses, len(was_clicked), stop_asked]])
        comm.Allreduce(own, total)
        losses, records, stops = total[-3:]
        if records == 0 or stops > 0:
            return stops == 0
        optimizer.step(parameters, total[:-3].reshape(parameters.shape) / records)
        progress.add(records, losses)


def main():
    signal.signal(signal.SIGTERM, ask_stop)
    args = arguments()
    comm = MPI.COMM_WORLD
    parameters = machine.new_parameters(args.seed)
    optimizer = machine.Adagrad(len(parameters), args.lr)
    progress = Progress(is_printing=comm.rank == 0)
    went_on = True
    for epoch in range(args.epochs):
        stream = open_epoch(args, epoch, comm)
        went_on = train_epoch(parameters, optimizer, stream, args, progress, comm)
        stream.close()
        if not went_on:
            break
    if comm.rank == 0:
        losses, records = machine.test_losses(parameters, args.test)
        print(f"samples_seen={progress.seen} test_loss={losses / records:.4f}", flush=True)
        if os.environ.get("SM_MODEL_DIR"):
            numpy.save(os.path.join(os.environ["SM_MODEL_DIR"], "model.npy"), parameters)
    return 0 if went_on else EXIT_STOPPED


if __name__ == "__main__":
    sys.exit(main())
