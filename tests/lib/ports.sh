# shellcheck shell=bash
# Ports that somebody has.  After test.sh:
#
#   take_ports 29500 29400     on every address, until the test ends

take_ports() {
    /usr/bin/python3 -c '
import socket, sys, time
taken = []
for port in sys.argv[2:]:
    busy = socket.socket(socket.AF_INET6)
    try:
        busy.bind(("::", int(port)))
        busy.listen()
        taken.append(busy)
    except OSError:
        pass  # somebody else has it, which is as good
open(sys.argv[1], "w").write("up")
time.sleep(900)' "$WORK/taken" "$@" &
    at_exit "kill $!"
    wait_until 10 test -s "$WORK/taken"
}
