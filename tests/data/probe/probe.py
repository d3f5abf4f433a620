"""Says who it is, what it was given, and whom it finds; leaves a stray behind.

One line a process, "probe " and JSON.  Servers of a job say theirs and stay.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

env = os.environ


def who():
    """(rank, ranks of the job) by whichever launcher."""
    if "OMPI_COMM_WORLD_RANK" in env:
        from mpi4py import MPI  # a job whose processes are not one MPI job would say 0 of 1
        assert MPI.COMM_WORLD.rank == int(env["OMPI_COMM_WORLD_RANK"])
        return MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    for prefix in ("", "RAILHEAD_"):
        if prefix + "RANK" in env:
            return int(env[prefix + "RANK"]), int(env[prefix + "WORLD_SIZE"])
    return None, None


def leave_stray():
    """A daemon: no parent, a session and a process group of its own, deaf to SIGTERM."""
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.run(["/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 &', "sh", "setsid",
                    sys.executable, "-c", program, env["STRAY"]], check=True)


def address_of(task):
    host, port = task.rsplit(":", 1)
    return host, int(port)


def meet(config):
    """Every server is found by all that train, who may come before it."""
    cluster, task = config["cluster"], config["task"]
    if task["type"] == "ps":
        server = socket.create_server(address_of(cluster["ps"][task["index"]]))
        server.setblocking(False)
        return server
    for other in cluster.get("ps", []):
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(address_of(other)).close()
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
    return None


def main():
    rank, world = who()
    task = json.loads(env["TF_CONFIG"])["task"] if "TF_CONFIG" in env else None
    said = {"rank": rank, "world": world, "host": env["SM_CURRENT_HOST"],
            "hosts": json.loads(env["SM_HOSTS"]), "task": task and task["type"],
            "arguments": sys.argv[1:]}
    if env.get("RESOLVE"):
        said["found"] = [socket.gethostbyname(host) for host in said["hosts"]]
        said["name"] = socket.gethostname()
    # one write: lines of several processes in one log stay whole
    os.write(1, f"probe {json.dumps(said)}\n".encode())
    if env.get("DEAF"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = meet(json.loads(env["TF_CONFIG"])) if task else None
    leave_stray()
    if env.get("DEAF"):
        os.write(1, b"deaf\n")
        while True:
            signal.pause()
    while server:
        signal.pause()


if __name__ == "__main__":
    main()
