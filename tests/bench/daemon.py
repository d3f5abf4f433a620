"""A private railheadd for a measurement, and what it says about itself."""

import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    """A measurement that could not be made."""


class Daemon:
    """railheadd with the pools given, on TCP loopback; a folder of its own, which stays until the bench ends."""

    def __init__(self, context, pools, database=None, limits="{}"):
        """`limits` as in railhead.yaml(5).  `database` is taken over; its name is then self.database."""
        self.folder = tempfile.mkdtemp(prefix="daemon-", dir=context.folder)
        self.database = os.path.join(self.folder, "state", "railhead.db")
        if database:
            os.mkdir(os.path.dirname(self.database), 0o700)
            os.rename(database, self.database)
        self.sockets = tempfile.mkdtemp(prefix="railhead-bench-")  # a socket's path is short
        config = os.path.join(self.folder, "railhead.yaml")
        with open(config, "w", encoding="utf-8") as out:
            out.write("emulate: true\npools:\n")
            for pool in pools:
                out.write("  - {instance_type: %s, scheduler: %s, count: %d}\n" % pool)
            out.write("limits: %s\n" % limits)
        self.log_path = os.path.join(self.folder, "railheadd.log")
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "RAILHEAD_INSTANCE_PROFILES": os.path.join(context.source, "instance-profiles"),
        }
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(context.build, "railheadd"), "--config", config,
                 "--state", os.path.join(self.folder, "state"),
                 "--socket", os.path.join(self.sockets, "s"), "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self.connection = None
        try:
            self.port = self.wait_until_ready()
        except Failed:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.connection:
            self.connection.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.sockets, ignore_errors=True)

    def wait_until_ready(self):
        until = time.monotonic() + 20
        while time.monotonic() < until and self.process.poll() is None:
            with open(self.log_path, encoding="utf-8") as log:
                text = log.read()
            if "daemon.ready" in text:
                return int(re.search(r"api\.listening address=127\.0\.0\.1:(\d+)", text).group(1))
            time.sleep(0.02)
        with open(self.log_path, encoding="utf-8") as log:
            raise Failed("railheadd did not start:\n" + log.read()[-2000:])

    def ask(self, method, path, body=None):
        """The answer as a value; a connection is kept, and made again when the daemon closed an idle one."""
        if not self.connection:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        headers = {"Content-Type": "application/json"} if body else {}
        content = json.dumps(body) if body else None
        self.connection.request(method, path, content, headers)
        try:
            answer = self.connection.getresponse()
        except http.client.RemoteDisconnected:
            self.connection.close()
            self.connection.request(method, path, content, headers)
            answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise Failed("%s %s: %d %s" % (method, path, answer.status, text[:500]))
        return json.loads(text)

    def health(self):
        return self.ask("GET", "/healthz")

    def wait_until_idle(self, period, limit=300):
        """Until no job lives."""
        until = time.monotonic() + limit
        while self.health()["live_jobs"]:
            if time.monotonic() > until:
                raise Failed("jobs still live after %d s" % limit)
            time.sleep(period)

    def cpu_ms(self):
        """Its own; a nursery's children are accounted to nobody."""
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as stat:
            field = stat.read().rsplit(")", 1)[1].split()
        return (int(field[11]) + int(field[12])) * 1000 / TICKS

    def memory_kib(self):
        """VmRSS, and the proportional share of what is shared with others."""
        found = {}
        for name, key in (("status", "VmRSS"), ("smaps_rollup", "Pss")):
            with open("/proc/%d/%s" % (self.process.pid, name), encoding="ascii") as text:
                found[key] = int(re.search(r"^%s:\s+(\d+) kB" % key, text.read(), re.M).group(1))
        return found["VmRSS"], found["Pss"]
