"""How fast channels come: a Pipe channel beside `cat FILE >FIFO`, File mode of S3 beside curl."""

import json
import os
import shutil
import socket
import subprocess
import time

from daemon import Failed

MIB = 1 << 20
# As tests/lib/s3.sh keeps it; that one also fetches it.
S3RVER = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")),
                      "railhead-tests/s3rver-3.7.1/node_modules/.bin/s3rver")


def fill(path, size):
    """Neither zeros nor slow to make."""
    block = os.urandom(MIB)
    with open(path, "wb") as out:
        for _ in range(size // MIB):
            out.write(block)


class Instance:
    """A worker's folder, as railhead-stage sees one."""

    def __init__(self, context, name, channel, endpoint=None):
        self.program = os.path.join(context.build, "railhead-stage")
        self.folder = os.path.join(context.folder, name)
        self.data = os.path.join(self.folder, "ml", "input", "data")
        self.plan = os.path.join(self.folder, "plan.json")
        os.makedirs(self.data)
        plan = {"job_id": "01BENCH", "job_name": "bench", "attempt": 1, "worker": 0, "worker_count": 1,
                "world_size": 1, "host_name": "algo-1", "hosts": "", "ml_folder": self.folder + "/ml",
                "work_folder": self.folder, "checkpoint_path": self.folder + "/ml/checkpoints", "memory_bytes": 0,
                "max_run_s": 0, "grace_s": 1, "local_processes": 1, "ranks": [], "channels": {"train": channel},
                "storage": {"endpoint": endpoint, "region": "us-east-1", "addressing": "path",
                            "access_key": "S3RVER", "secret_key": "S3RVER"}}
        with open(self.plan, "w", encoding="utf-8") as out:
            json.dump(plan, out)

    def start(self, verb):
        with open(self.plan, "rb") as plan:
            return subprocess.Popen([self.program, verb], stdin=plan, stdout=subprocess.PIPE)


def drain(fifo):
    """Seconds from before it is opened to its end, by a reader that is the same for all."""
    began = time.monotonic()
    subprocess.run(["cat", fifo], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def peak_mib(pid):
    """Of a process and its children; what they share counts for each."""
    pids = [str(pid)]
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as children:
        pids += children.read().split()
    peak = 0
    for each in pids:
        with open("/proc/%s/status" % each, encoding="utf-8") as status:
            peak += sum(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    return peak / 1024


def cat_into_fifo(context, path):
    fifo = os.path.join(context.folder, "fifo")
    os.mkfifo(fifo)
    writer = subprocess.Popen(["sh", "-c", 'exec cat "$1" >"$2"', "sh", path, fifo])
    seconds = drain(fifo)
    writer.wait()
    os.unlink(fifo)
    return seconds


def measure_pipe(context):
    source = os.path.join(context.folder, "source")
    os.mkdir(source)
    path = os.path.join(source, "object")
    fill(path, context.pipe_mib * MIB)
    instance = Instance(context, "pipe", {"uri": "file://" + source, "mode": "Pipe"})
    stage = instance.start("pipe")
    try:
        if b"ready" not in stage.stdout.readline():
            raise Failed("railhead-stage pipe was not ready")
        for epoch in range(context.rounds + 1):
            context.step("staging: Pipe")
            ours = drain(os.path.join(instance.data, "train_%d" % epoch))
            beside = cat_into_fifo(context, path)
            if epoch:  # the first round fills the page cache
                context.keep("staging.pipe.mib_per_second", context.pipe_mib / ours)
                context.keep("staging.cat.mib_per_second", context.pipe_mib / beside)
        context.keep("staging.pipe.mib", peak_mib(stage.pid))
    finally:
        stage.kill()
        stage.wait()
        shutil.rmtree(source)


def start_s3rver(context):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(["node", S3RVER, "--silent", "-d", os.path.join(context.folder, "s3rver"),
                               "-a", "127.0.0.1", "-p", str(port), "--configure-bucket", "train"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server, "http://127.0.0.1:%d" % port
        except OSError:
            time.sleep(0.05)
    server.kill()
    raise Failed("s3rver does not answer")


def curl(*arguments):
    subprocess.run(["curl", "-sS", "--fail", "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD"] + list(arguments),
                   stdout=subprocess.DEVNULL, check=True)


def fetch_by_stage(context, number, endpoint):
    instance = Instance(context, "s3-%d" % number, {"uri": "s3://train/set/", "mode": "File"}, endpoint)
    began = time.monotonic()
    stage = instance.start("in")
    said = stage.communicate()[0].decode(errors="replace")
    seconds = time.monotonic() - began
    if stage.returncode != 0:
        raise Failed("railhead-stage in: " + said[-500:])
    shutil.rmtree(instance.folder)
    return seconds


def measure_s3(context):
    path = os.path.join(context.folder, "object")
    fetched = os.path.join(context.folder, "fetched")
    server, endpoint = start_s3rver(context)
    try:
        fill(path, context.s3_mib * MIB)
        curl("-T", path, endpoint + "/train/set/object")
        for number in range(context.rounds):
            context.step("staging: S3")
            ours = fetch_by_stage(context, number, endpoint)
            began = time.monotonic()
            curl("-o", fetched, endpoint + "/train/set/object")
            beside = time.monotonic() - began
            context.keep("staging.s3.mib_per_second", context.s3_mib / ours)
            context.keep("staging.curl.mib_per_second", context.s3_mib / beside)
    finally:
        server.kill()
        server.wait()


def measure_staging(context):
    measure_pipe(context)
    if shutil.which("node") and os.path.exists(S3RVER):
        measure_s3(context)
