"""How fast channels come: a Pipe channel beside `cat FILE >FIFO`, File mode of S3 beside curl; in how much memory."""

import json
import os
import shutil
import socket
import subprocess
import time

from daemon import Daemon, Failed
from supervision import Job

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
                "rank_log_bytes": 0, "max_run_s": 0, "grace_s": 1, "local_processes": 1, "ranks": [],
                "channels": {"train": channel},
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


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as children:
        return [int(each) for each in children.read().split()]


def peak_mib(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8") as status:
        return sum(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def peak_with_children_mib(pid):
    """What they share counts for each."""
    return sum(peak_mib(each) for each in [pid] + children_of(pid))


def cat_into_fifo(context, path):
    fifo = os.path.join(context.folder, "fifo")
    os.mkfifo(fifo)
    writer = subprocess.Popen(["sh", "-c", 'exec cat "$1" >"$2"', "sh", path, fifo])
    seconds = drain(fifo)
    writer.wait()
    os.unlink(fifo)
    return seconds


def take_turns(number, ours, beside):
    """Whose turn it is first changes from round to round."""
    if number % 2:
        return ours(), beside()
    second = beside()
    return ours(), second


def measure_worker(context, source):
    """A job that reads an epoch: the memory of its worker."""
    command = ["/bin/sh", "-c", "cat ${SM_CHANNEL_TRAIN}_0 >/dev/null && echo done && exec sleep 600"]
    spec = {"base_name": "pipe", "command": command, "instance_type": "local",
            "inputs": {"train": {"uri": "file://" + source, "mode": "Pipe"}}}
    context.step("staging: Pipe, in a job")
    with Daemon(context, [("local", "local", 1)]) as daemon, Job(daemon, spec) as job:
        pid = job.await_line("ready")["pid"]
        job.await_output("done\n")
        context.keep("staging.worker.mib", peak_mib(pid))


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
            context.step("staging: Pipe, round %d of %d" % (epoch, context.rounds))
            ours, beside = take_turns(epoch, lambda: drain(os.path.join(instance.data, "train_%d" % epoch)),
                                      lambda: cat_into_fifo(context, path))
            if epoch:  # the first round fills the page cache
                context.keep("staging.pipe.mib_per_second", context.pipe_mib / ours)
                context.keep("staging.cat.mib_per_second", context.pipe_mib / beside)
        context.keep("staging.pipe.mib", peak_with_children_mib(stage.pid))
    finally:
        stage.kill()
        stage.wait()
    measure_worker(context, source)
    shutil.rmtree(source)


def start_s3rver(context):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Its tokens for the next page of a listing are made by a cipher that OpenSSL 3 calls legacy.
    server = subprocess.Popen(["node", "--openssl-legacy-provider", S3RVER, "--silent",
                               "-d", os.path.join(context.folder, "s3rver"),
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
    """Signed, as ours is: a server takes longer over such a request."""
    signed = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "S3RVER:S3RVER",
              "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]
    done = subprocess.run(["curl", "-sS", "--fail"] + signed + list(arguments),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Failed("curl: " + done.stderr.decode(errors="replace")[-500:])


class S3Set:
    """Objects beneath one prefix of a server, fetched whole by either side."""

    def __init__(self, context, endpoint, name, count, size):
        self.context, self.endpoint, self.name, self.count = context, endpoint, name, count
        self.fetched = os.path.join(context.folder, "fetched-" + name)
        self.names = ["%06d" % number for number in range(count)]
        path = os.path.join(context.folder, "object")
        with open(path, "wb") as out:
            for _ in range(size // MIB):
                out.write(os.urandom(MIB))
            out.write(os.urandom(size % MIB))
        self.in_parallel("put", "upload-file", lambda each: path)
        os.unlink(path)

    def in_parallel(self, verb, option, path_of):
        """As many transfers at once as curl makes by default."""
        config = os.path.join(self.context.folder, "%s-%s.curl" % (self.name, verb))
        with open(config, "w", encoding="utf-8") as out:
            for each in self.names:
                out.write('url = "%s/train/%s/%s"\n%s = "%s"\n' % (self.endpoint, self.name, each, option,
                                                                  path_of(each)))
        curl("-Z", "-K", config)

    def by_curl(self):
        os.mkdir(self.fetched)
        began = time.monotonic()
        self.in_parallel("get", "output", lambda each: os.path.join(self.fetched, each))
        seconds = time.monotonic() - began
        shutil.rmtree(self.fetched)
        return seconds

    def by_stage(self):
        instance = Instance(self.context, "s3", {"uri": "s3://train/%s/" % self.name, "mode": "File"}, self.endpoint)
        began = time.monotonic()
        stage = instance.start("in")
        said = stage.communicate()[0].decode(errors="replace")
        seconds = time.monotonic() - began
        found = len(os.listdir(os.path.join(instance.data, "train"))) if stage.returncode == 0 else 0
        shutil.rmtree(instance.folder)
        if found != self.count:
            raise Failed("railhead-stage in: %d of %d objects: %s" % (found, self.count, said[-500:]))
        return seconds


def measure_s3(context):
    server, endpoint = start_s3rver(context)
    try:
        for name, count, size in (("large", 1, context.s3_mib * MIB), ("small", context.s3_objects, 20000)):
            context.step("staging: S3, %s" % name)
            objects = S3Set(context, endpoint, name, count, size)
            for number in range(context.rounds):
                context.step("staging: S3, %s, round %d of %d" % (name, number + 1, context.rounds))
                ours, beside = take_turns(number, objects.by_stage, objects.by_curl)
                amount = count if count > 1 else context.s3_mib
                context.keep("staging.s3.%s.per_second" % name, amount / ours)
                context.keep("staging.curl.%s.per_second" % name, amount / beside)
    finally:
        server.kill()
        server.wait()


def measure_staging(context):
    measure_pipe(context)
    if shutil.which("node") and os.path.exists(S3RVER):
        measure_s3(context)
