#!/usr/bin/python3
"""Trains the click model by parameter servers: they hold the parameters, workers fetch
what a batch needs, and push its gradient back, each at its own pace.

Every process finds the others by TF_CONFIG, as TensorFlow's parameter server strategy
has it: tasks `ps` serve, `master` and `worker` train, the master evaluates at the end.
Servers never end by themselves: whoever started them ends them after the last worker.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Client, Listener

import numpy

import clicks
import machine

EXIT_STOPPED = 128 + signal.SIGTERM
SECONDS_BETWEEN_LINES = 0.4
SECONDS_TO_CONNECT = 60

stop_asked = False


def ask_stop(*_):
    global stop_asked
    stop_asked = True


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=500)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train", default=os.environ.get("SM_CHANNEL_TRAIN"))
    parser.add_argument("--test", default=os.environ.get("SM_CHANNEL_TEST"))
    return parser.parse_args()


def address_of(task):
    host, port = task.rsplit(":", 1)
    return host, int(port)


# --- servers: parameter rows index, index + count, ... each ---

class Shard:
    def __init__(self, rows, rate):
        self.rows = rows
        self.optimizer = machine.Adagrad(len(rows), rate)
        self.lock = threading.Lock()
        self.finished = set()  # trainers that have read all of their records
        self.seen = 0

    def answer(self, request, content):
        with self.lock:
            if request == "push":
                gradient, records = content
                self.optimizer.step(self.rows, gradient / records)
                self.seen += records
            elif request == "finish":
                self.finished.add(content)
            return self.rows.copy(), self.seen, len(self.finished)


def serve(args, cluster, index):
    count = len(cluster["ps"])
    shard = Shard(machine.new_parameters(args.seed)[index::count], args.lr)

    def converse(connection):
        try:
            while True:
                connection.send(shard.answer(*connection.recv()))
        except (EOFError, ConnectionError):
            connection.close()

    with Listener(address_of(cluster["ps"][index]), backlog=64) as listener:
        while True:
            connection = listener.accept()
            threading.Thread(target=converse, args=(connection,), daemon=True).start()


# --- trainers ---

def connect(task):
    """Servers start at the same time as we do: they may not listen yet."""
    last_try = time.monotonic() + SECONDS_TO_CONNECT
    while True:
        try:
            return Client(address_of(task))
        except ConnectionRefusedError:
            if time.monotonic() > last_try:
                sys.exit(f"train_ps.py: nobody listens at {task}")
            time.sleep(0.1)


class Servers:
    """All parameters, wherever they are."""

    def __init__(self, tasks):
        self.connections = [connect(task) for task in tasks]
        self.parameters = numpy.empty((clicks.FEATURES, machine.COLUMNS))
        self.seen = self.finished = 0

    def ask(self, request, contents):
        count = len(self.connections)
        for connection, content in zip(self.connections, contents):
            connection.send((request, content))
        for index, connection in enumerate(self.connections):
            self.parameters[index::count], self.seen, self.finished = connection.recv()

    def fetch(self):
        self.ask("fetch", [None] * len(self.connections))

    def push(self, gradient, records):
        count = len(self.connections)
        self.ask("push", [(gradient[index::count], records) for index in range(count)])

    def finish(self, name):
        self.ask("finish", [name] * len(self.connections))


def train(args, servers, is_printing):
    """False when a stop cut it short."""
    printed = time.monotonic()
    servers.fetch()
    for _ in range(args.epochs):
        stream = clicks.Files(clicks.files_of(args.train))
        while not stop_asked:
            was_clicked, values = clicks.read(stream, args.batch_size)
            records = len(was_clicked)
            if not records:
                break
            gradient, losses = machine.gradient(servers.parameters, values, was_clicked)
            servers.push(gradient, records)
            if is_printing and time.monotonic() - printed >= SECONDS_BETWEEN_LINES:
                printed = time.monotonic()
                print(f"samples_seen={servers.seen} loss={losses / records:.4f}", flush=True)
    return not stop_asked


def evaluate(args, servers, trainers):
    """After the last trainer has pushed its last gradient."""
    while servers.finished < trainers and not stop_asked:
        time.sleep(0.05)
        servers.fetch()
    losses, records = machine.test_losses(servers.parameters, args.test)
    print(f"samples_seen={servers.seen} test_loss={losses / records:.4f}", flush=True)
    if os.environ.get("SM_MODEL_DIR"):
        numpy.save(os.path.join(os.environ["SM_MODEL_DIR"], "model.npy"), servers.parameters)


def main():
    args = arguments()
    if "TF_CONFIG" not in os.environ:
        sys.exit("train_ps.py: TF_CONFIG is not set: it says who serves and who trains")
    config = json.loads(os.environ["TF_CONFIG"])
    cluster, task = config["cluster"], config["task"]
    if task["type"] == "ps":
        serve(args, cluster, task["index"])
    signal.signal(signal.SIGTERM, ask_stop)
    is_master = task["type"] == "master"
    servers = Servers(cluster["ps"])
    went_on = train(args, servers, is_master)
    servers.finish((task["type"], task["index"]))
    if is_master:
        evaluate(args, servers, 1 + len(cluster.get("worker", [])))
    return 0 if went_on else EXIT_STOPPED


if __name__ == "__main__":
    sys.exit(main())
