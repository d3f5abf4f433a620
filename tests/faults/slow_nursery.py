"""slow_nursery.py WORKER SECONDS: a nursery (src/nursery.h) whose workers take their time before they begin."""

import array
import os
import signal
import socket
import struct
import sys
import time

DESCRIPTOR = (socket.SOL_SOCKET, socket.SCM_RIGHTS)


def be_born(worker, seconds, folder, plan):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.dup2(plan, 0)
    time.sleep(seconds)
    os.execv(worker, [worker, folder])


def main():
    worker, seconds = sys.argv[1], float(sys.argv[2])
    daemon = socket.socket(fileno=0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        folder, beside, _, _ = daemon.recvmsg(4000, socket.CMSG_SPACE(4))
        if not folder:
            return
        plan = array.array("i", beside[0][2])[0]
        pid = os.fork()
        if pid == 0:
            be_born(worker, seconds, folder.decode(), plan)
        pidfd = os.pidfd_open(pid)
        daemon.sendmsg([struct.pack("ii", pid, 0)], [DESCRIPTOR + (array.array("i", [pidfd]),)])
        os.close(pidfd)
        os.close(plan)


main()
