#!/bin/bash
# Every launcher, on 1 to 3 instances, with 1 and 2 processes on each: ranks are 0 to n-1, each once; every host is
# found; arguments arrive as the spec has them; nothing is left, whatever it did to stay.
# LAUNCHERS="mpirun none" tries these alone; without it all but the real torchrun: launch_matrix_torchrun.sh.
# shellcheck disable=SC2119
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

/usr/bin/python3 -c 'import torch.distributed' 2>/dev/null || skip "python3-torch is not installed"
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || skip "python3-mpi4py is not installed"
command -v mpirun >/dev/null || skip "openmpi-bin is not installed"

STRAY=railhead-stray-$$
names_resolve=
daemon_start
"$JOBCTL" doctor --output json >"$WORK/doctor.json" 2>/dev/null
grep -q '"check":"isolation","severity":"ok"' "$WORK/doctor.json" && names_resolve=yes

declare -A distributions=(
    [railhead]='"framework": "pytorch", "distribution": {"torch_distributed": {"enabled": true, "processes_per_host": P}}'
    [torchrun]='"framework": "pytorch", "distribution": {"torch_distributed": {"enabled": true, "processes_per_host": P, "launcher": "torchrun"}}'
    [mpirun]='"framework": "mpi", "distribution": {"mpi": {"enabled": true, "processes_per_host": P}}'
    [servers]='"framework": "tensorflow", "distribution": {"parameter_server": {"enabled": true, "processes_per_host": P}}'
    [none]='"framework": "pytorch", "distribution": {"none": {"enabled": true, "processes_per_host": P}}'
)

# probe NAME LAUNCHER INSTANCES PROCESSES MEMBERS [DEAF]: submits it.
probe() {
    cat >"$WORK/$1.json" <<JSON
{"name": "$1", "entry_point": "probe.py", "source_dir": "$SOURCE/tests/data/probe", "instance_type": "ml.c5.xlarge",
 "instance_count": $3, ${distributions[$2]//P/$4},
 "hyperparameters": {"empty": "", "spaces": "a  b ", "quotes": "it's \"so\"", "lines": "a\nb", "dash": "--no", "n": -1,
     "yes": true, "none": null, "list": [1, "x y"], "nested": {"a": 1, "b": "\$HOME;ls"}, "float": 0.1, "umlaut": "ä"},
 "environment": {"STRAY": "$STRAY", "RESOLVE": "$names_resolve", "DEAF": "${6:-}"}, $5 "max_run": 300}
JSON
    "$JOBCTL" submit "$WORK/$1.json" >"$WORK/submit.out" 2>&1 || sed 's/^/# /' "$WORK/submit.out"
}

# One process reads what the jobs said and tells by lines of "ok" and "not ok".
judge() {
    "$JOBCTL" logs "$1" >"$WORK/log" 2>&1
    /usr/bin/python3 - "$WORK/log" "$@" <<'PYTHON'
import json, re, sys
path, name, launcher, instances, processes, resolve = sys.argv[1:]
instances, processes = int(instances), int(processes)
failed = False

def check(what, good, detail=""):
    global failed
    failed = failed or not good
    print(f"{'ok' if good else 'not ok'} {name}: {what}")
    if not good:
        print("#   " + str(detail)[:2000])

text = open(path, encoding="utf-8", errors="replace").read()
said = [json.loads(found) for found in re.findall(r"probe (\{.*\})$", text, re.M)]
programs = [one for one in said if one["task"] != "ps"]
servers = [one for one in said if one["task"] == "ps"]
world = instances * processes
hosts = [f"algo-{i + 1}" for i in range(instances)]
check("ranks are 0 to n-1, each once", sorted(one["rank"] for one in programs) == list(range(world)), text)
check("every host has its share", sorted(one["host"] for one in programs) == sorted(hosts * processes), said)
wanted = world + len(servers)
check("all know how many they are", {one["world"] for one in said} == {wanted}, said)
if launcher == "servers":
    check("every host has a server", sorted(one["host"] for one in servers) == hosts, servers)
arguments = ["--dash", "--no", "--empty", "", "--float", "0.1", "--lines", "a\nb", "--list", "[1, 'x y']", "-n", "-1",
             "--nested", "a=1,b=$HOME;ls", "--none", "", "--quotes", "it's \"so\"", "--spaces", "a  b ",
             "--umlaut", "\u00e4", "--yes", "True"]
check("arguments arrive as they are", all(one["arguments"] == arguments for one in said),
      next((one["arguments"] for one in said if one["arguments"] != arguments), None))
if resolve:
    check("every host is found, at an address of its own", all(len(set(one["found"])) == instances for one in said), said)
    check("a host's name is its own", all(one["name"] == one["host"] for one in said), said)
sys.exit(failed)
PYTHON
}

no_stray() {
    ! pgrep -f -- "$STRAY" >/dev/null
}

matrix() {
    local launcher=$1 instances processes name

    for instances in 1 2 3; do
        for processes in 1 2; do
            probe "$launcher-$instances-$processes" "$launcher" $instances $processes ''
        done
    done
    for instances in 1 2 3; do
        for processes in 1 2; do
            name=$launcher-$instances-$processes
            wait_for "$name" 120
            check_equal "$name completes" "$(show "$name" end.cause) $(show "$name" failure_reason)" '"completed" null'
            judge "$name" "$launcher" $instances $processes "$names_resolve" || failures=$((failures + 1))
        done
    done
    check "no stray of $launcher is left" wait_until 5 no_stray
}

# Two processes on each of two hosts that do not hear SIGTERM, and left daemons behind.
is_deaf() {
    [ "$("$JOBCTL" logs "$1" 2>/dev/null | grep -c '^\(\[[^]]*\]\(<[a-z]*>:\)\? *\)*deaf$')" -ge "$2" ]
}

stopped() {
    local launcher=$1 name=deaf-$1 count=4
    [ "$launcher" != servers ] || count=6

    probe "$name" "$launcher" 2 2 '"grace": 1,' yes
    check "$name is at work" wait_until 60 is_deaf "$name" $count
    check "$name has left strays" wait_until 10 pgrep -f -- "$STRAY"
    "$JOBCTL" stop "$name" >/dev/null 2>&1
    wait_for "$name" 30
    check_equal "$name is stopped" "$(show "$name" end.cause)" '"user_stop"'
    check "nothing of $name is left" no_stray
}

read -ra launchers <<<"${LAUNCHERS:-railhead mpirun servers none}"
for launcher in "${launchers[@]}"; do
    matrix "$launcher"
done
for launcher in "${launchers[@]}"; do
    stopped "$launcher"
done

finish
