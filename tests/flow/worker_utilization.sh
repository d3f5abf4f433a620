#!/bin/bash
# What a worker says of the use of its instance, with stand-ins for nvidia-smi and neuron-monitor.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

# tool FOLDER NAME SCRIPT: a stand-in for a program, in the PATH of the ranks.
tool() {
    mkdir -p "$WORK/$1"
    printf '#!/bin/bash\n%s\n' "$3" >"$WORK/$1/$2"
    chmod 755 "$WORK/$1/$2"
}

# start NAME TOOLS SECONDS: one rank that lives so long, its PATH with the tools first.
start() {
    worker_folder "$1" >/dev/null
    PATH=$WORK/$2:$PATH write_plan "$WORK/$1" '{}' "[\"sh\", \"-c\", \"sleep $3\"]"
    start_worker "$WORK/$1"
}

# samples FOLDER MEMBER: of every sample, as JSON, one a line; what is absent is "-".
samples() {
    /usr/bin/python3 - "$WORK/$1/utilization.jsonl" "$2" <<'PYTHON'
import json, sys
path, member = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    for line in map(json.loads, file):
        print(json.dumps(line[member]) if member in line else "-")
PYTHON
}

# figure FOLDER NAME...: of the summary.
figure() {
    local folder=$WORK/$1
    shift
    ended "$folder" utilization | /usr/bin/python3 -c '
import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1:]:
    value = (value or {}).get(name)
print(json.dumps(value))' "$@"
}

report() {
    printf '{"timestamp":1,"neuron_runtime_data":[{"pid":1,"neuron_runtime_tag":"a","error":"","report":{"neuroncore_counters":{"period":1.0,"neuroncores_in_use":{"0":{"neuroncore_utilization":%s},"1":{"neuroncore_utilization":10.5}},"error":""},"memory_used":{"period":1.0,"neuron_runtime_used_bytes":{"host":100,"neuron_device":4096},"error":""}}}],"instance_info":{}}' "$1"
}

tool good-tools nvidia-smi '[ "$*" = "--query-gpu=utilization.gpu,memory.used,memory.total,power.draw --format=csv,noheader,nounits" ] || exit 2
env >'"$WORK"'/smi-environment
echo "40, 1024, 40960, 65.21"; echo "60, 3, 40960, [N/A]"'
tool good-tools neuron-monitor "echo \$\$ >$WORK/monitor-pid; echo '$(report 1)'; echo '$(report 42.5)'; exec sleep 1000"
tool garbage-tools nvidia-smi 'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."; exit 9'
tool garbage-tools neuron-monitor 'echo "{not json"; head -c 3000000 /dev/zero'
tool slow-tools nvidia-smi 'echo $$ >>'"$WORK"'/slow-pids; exec sleep 1000'
tool slow-tools neuron-monitor 'exit 1'

start good good-tools 11.5
start garbage garbage-tools 11.5
start slow slow-tools 11.5
# The fourth at the same time: its short life ends long before.
folder=$(worker_folder short)
write_plan "$folder" '{}' '["/usr/bin/python3", "-c", "sum(range(30000000))"]'
run_worker "$folder"
check_equal "a short life has one sample, at its end" "$(figure short samples) $(samples short cpu_percent | wc -l)" "1 1"
check "which has the time that the rank computed" test "$(figure short cpu_percent mean | cut -d. -f1)" -ge 20
check "and the memory that it had" test "$(figure short memory_bytes max)" -ge 4000000
check_equal "no program is asked for it" "$(samples short gpus)" "-"
wait

check_equal "a sample is taken every 5 s and at the end" "$(figure good samples)" 3
check_equal "what nvidia-smi says comes with the next sample" "$(samples good gpus | sed -n 2p)" \
    '[{"percent": 40, "memory_bytes": 1073741824, "memory_total_bytes": 42949672960, "power_watts": 65.21}, {"percent": 60, "memory_bytes": 3145728, "memory_total_bytes": 42949672960, "power_watts": null}]'
check_equal "it is summed up" "$(figure good gpu_percent)" '{"mean": 50.0, "max": 50.0}'
check_equal "nvidia-smi is told nothing that it need not know" "$(grep -c '^WORK=' "$WORK/smi-environment")" 0
check_equal "the newest report of neuron-monitor counts" "$(samples good neuron_cores | grep -v '^-' | head -n 1)" \
    '[{"core": 0, "percent": 42.5}, {"core": 1, "percent": 10.5}]'
check_equal "it is summed up, too" "$(figure good neuron_core_percent)" '{"mean": 26.5, "max": 26.5}'
check_status "neuron-monitor ends with the worker" 1 lives "$(cat "$WORK/monitor-pid")"
check_equal "an idle rank computes nothing" "$(figure good cpu_percent mean | cut -d. -f1)" 0

check_equal "garbage is no figure" "$(samples garbage gpus | sort -u) $(samples garbage neuron_cores | sort -u)" "- -"
check_equal "garbage harms nothing else" "$(figure garbage samples) $(ended "$WORK/garbage" cause)" '3 "completed"'

check_equal "a program that hangs delays nothing" "$(figure slow samples) $(ended "$WORK/slow" cause)" '3 "completed"'
check_equal "it is asked anew with each sample" "$(wc -l <"$WORK/slow-pids")" 2
all_gone() {
    local pid
    while read -r pid; do
        ! lives "$pid" || return 1
    done <"$WORK/slow-pids"
}
check "each that hung is killed" all_gone
check_equal "each line has its time" "$(samples good wall_us | sort -n | wc -l)" 3
finish
