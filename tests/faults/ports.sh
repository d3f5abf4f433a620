#!/bin/bash
# Rendezvous ports: every job has one of its own, free on this host, whoever else is on it.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"
. "$(dirname "$0")/../lib/ports.sh"

# PyTorch's usual ports are taken, for all this test.
take_ports 29500 29400

# Rank 0 listens on the port as a rendezvous does, rank 1 comes to it; both stay until every job is there.
cat >"$WORK/meet.py" <<'MEET'
import os, pathlib, socket, sys, time
port, rank, here = int(os.environ["MASTER_PORT"]), int(os.environ["RANK"]), pathlib.Path(os.environ["HERE"])
end = time.monotonic() + 20
if rank == 0:
    server = socket.socket(socket.AF_INET6)
    server.bind(("::", port))
    server.listen()
    server.settimeout(20)
    peer, _ = server.accept()
    assert peer.recv(64).decode() == os.environ["NAME"], "a stranger came"
else:
    while True:
        try:
            peer = socket.create_connection(("127.0.0.1", port))
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
    peer.sendall(os.environ["NAME"].encode())
(here / f"{os.environ['NAME']}.{rank}").write_text(f"{port}\n")
while len(list(here.iterdir())) < 2 * int(os.environ["JOBS"]):
    if time.monotonic() > end:
        sys.exit("the others are not there")
    time.sleep(0.05)
MEET

# meet COUNT INSTANCES RANKS: so many jobs at once; each has two ranks.
meet() {
    local here=$WORK/here-$2 name names=() i
    mkdir "$here"
    for ((i = 0; i < $1; i++)); do
        name=meet-$2-$i
        names+=("$name")
        submit "$name" "" "{\"framework\": \"pytorch\", \"command\": [\"/usr/bin/python3\", \"$WORK/meet.py\"],
            \"instance_count\": $2, \"distribution\": {\"torch_distributed\": {\"enabled\": true, \"processes_per_host\": $3}},
            \"environment\": {\"HERE\": \"$here\", \"NAME\": \"$name\", \"JOBS\": \"$1\"}}"
    done
    for name in "${names[@]}"; do
        wait_for "$name" 40
        check_equal "$name meets itself while its neighbours do" "$(show "$name" end.cause)" '"completed"'
    done
    check_equal "$1 jobs have $1 ports" "$(cat "$here"/*.0 | sort -u | grep -c .)" "$1"
    check_equal "nobody has those that are taken" "$(cat "$here"/* | grep -Ec '29500|29400')" 0
    check_equal "both ranks of a job have one port" "$(for name in "${names[@]}"; do cmp "$here/$name.0" "$here/$name.1"; done)" ""
}

daemon_start
meet 2 1 2
meet 3 2 1

finish
