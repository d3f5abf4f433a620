#!/bin/bash
# The example trains without Railhead too: under the real torchrun, and as one process.
. "$(dirname "$0")/../lib/test.sh"

train=$SOURCE/examples/language-id/train.py
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
few=(--samples 60000 --epochs 2 --batch-size 2000)

[ -x /usr/bin/torchrun ] || skip "python3-torch is not installed"
[ -e /usr/share/dict/ngerman ] || skip "the word lists are not installed"

# accuracy_of FILE, samples_of FILE: the last value; torchrun puts "[default0]:" before each line.
accuracy_of() {
    sed -n 's/^\(\[default0\]:\)\?accuracy=//p' "$1" | tail -n 1
}

samples_of() {
    sed -n 's/.*samples_seen=\([0-9]*\) .*/\1/p' "$1" | tail -n 1
}

is_above() {
    awk -v got="$1" -v least="$2" 'BEGIN { exit !(got > least) }'
}

two_ranks() {
    SM_MODEL_DIR=$WORK/model /usr/bin/torchrun -r 1 -t 1 --nnodes=1 --node_rank=0 --nproc_per_node=2 \
        --master_addr=127.0.0.1 --master_port="$(free_port)" "$train" "${few[@]}" >"$WORK/two" 2>"$WORK/two.err" || {
        cat "$WORK/two" "$WORK/two.err"
        return 1
    }
}

free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

one_process() {
    env -u RANK -u WORLD_SIZE /usr/bin/python3 "$train" "${few[@]}" >"$WORK/one"
}

saved_metrics_agree() {
    /usr/bin/python3 - "$WORK/model/metrics.json" "$(accuracy_of "$WORK/two")" <<'CODE'
import json, sys
metrics = json.load(open(sys.argv[1]))
assert metrics["accuracy"] == float(sys.argv[2]), metrics
assert metrics["samples_seen"] == 120000, metrics
CODE
}

mkdir "$WORK/model"
check "two ranks train under torchrun" two_ranks
check_equal "both ranks' samples are counted" "$(samples_of "$WORK/two")" 120000
check "held-out accuracy of two ranks is above 0.75" is_above "$(accuracy_of "$WORK/two")" 0.75
check "the figures beside the model are those of the log" saved_metrics_agree
check "the model is saved" test -s "$WORK/model/model.pt"
check "one process trains without torchrun" one_process
check_equal "one process learns what two ranks learn" "$(accuracy_of "$WORK/one")" "$(accuracy_of "$WORK/two")"
check "missing word lists are named by their packages" \
    grep -q 'apt-get install wamerican wfrench wngerman witalian wspanish' <(/usr/bin/python3 "$train" --words "$WORK" 2>&1)
finish
