#!/bin/bash
# What a job would miss or could not store, and more processes than slots, are refused at submission.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

cat >"$WORK/railhead.yaml" <<'END'
pools:
- {instance_type: ml.c5.xlarge, scheduler: local, count: 2, emulated: true}
- {instance_type: ml.p4d.24xlarge, scheduler: local, count: 2, emulated: true}
- {instance_type: ml.trn1.32xlarge, scheduler: local, count: 2, emulated: true}
- {instance_type: ml.c5.9xlarge, scheduler: fake, count: 2}
END
DAEMON_CONFIG=$WORK/railhead.yaml
# Root may read and write everywhere, unless it is told not to.
if [ "$(id -u)" = 0 ]; then
    daemon_prefix=(setpriv '--inh-caps=-dac_override,-dac_read_search' '--bounding-set=-dac_override,-dac_read_search')
fi
check "a daemon starts" daemon_start

# told MEMBERS: a line a problem, "path | message | hint"; nothing when there is none.  Of one ml.c5.xlarge, if MEMBERS do
# not say otherwise.
told() {
    jq -nc "{command: [\"true\"], instance_type: \"ml.c5.xlarge\"} + $1" |
        curl -sS --max-time 20 --unix-socket "$RAILHEAD_SOCKET" -H 'Content-Type: application/json' --data-binary @- \
            "http://railhead/v1/training-jobs?dry_run=true" |
        jq -rn 'input | if .plan then empty else .errors[] | "\(.path) | \(.message) | \(.hint)" end' || echo "no answer"
}

# refuses NAME MEMBERS PROBLEM
refuses() {
    check_equal "$1" "$(told "$2")" "$3"
}

takes() {
    refuses "$1" "$2" ""
}

there="put the data there, or name a folder or file that the head node has"
D=$WORK/data
mkdir -p "$D"/{empty,some/deeper,closed,readable} "$D/a b"
touch "$D/file" "$D/some/.hidden" "$D/a b/c" "$D/closed/x"
mkfifo "$D/fifo"
chmod 0 "$D/closed"
chmod 555 "$D/readable"

refuses "a channel that is not there" "{inputs: {train: \"file://$D/none\"}}" \
    "inputs.train | $D/none: No such file or directory | $there"
refuses "a channel without objects" "{inputs: {train: {uri: \"file://$D/empty\", mode: \"Pipe\"}}}" \
    "inputs.train | $D/empty is empty | $there"
refuses "a channel that is no file" "{inputs: {train: \"$D/fifo\"}}" \
    "inputs.train | $D/fifo is neither a folder nor a file | $there"
refuses "a channel that cannot be read" "{inputs: {train: \"$D/closed\"}}" \
    "inputs.train | $D/closed: Permission denied | let railheadd's user read it"
refuses "a manifest that is a folder" "{inputs: {train: {uri: \"$D/some\", data_type: \"ManifestFile\"}}}" \
    "inputs.train | $D/some is a folder, no manifest | name the manifest itself"
takes "files, folders, encoded names and S3 are taken" \
    "{inputs: {a: \"file://$D/file\", b: \"$D/some\", c: \"file://$D/a%20b\", d: \"s3://bucket/none\"}}"

refuses "outputs where nothing can be written" "{output_path: \"file://$D/readable/new/out\"}" \
    "output_path | $D/readable cannot be written: Permission denied | let railheadd's user write there"
refuses "outputs beneath a file" "{output_path: \"$D/file/out\"}" \
    "output_path | $D/file/out: Not a directory | name another folder"
refuses "checkpoints in a file" "{checkpoint: {uri: \"$D/file\"}}" \
    "checkpoint.uri | $D/file is not a folder | name a folder"
takes "folders that are still to be made" "{output_path: \"$D/new/er/out\", checkpoint: {uri: \"file://$D/new/ckpt\"}}"
check "and are not made for the asking" test ! -e "$D/new"
takes "a job of timers reads nothing" "{instance_type: \"ml.c5.9xlarge\", inputs: {train: \"$D/none\"}, fake: {}}"

# processes KIND COUNT: members of a job with so many processes on each instance.
processes() {
    echo "{distribution: {$1: {enabled: true, processes_per_host: $2}}}"
}
for kind in torch_distributed mpi parameter_server multi_worker_mirrored_strategy none; do
    refuses "more processes than vCPUs under $kind" "$(processes $kind 5)" \
        "distribution.$kind.processes_per_host | 5 processes are more than the 4 slots (vCPUs) of ml.c5.xlarge | ask for at most 4, or say oversubscribe: true"
done
takes "as many as there are" "$(processes torch_distributed 4)"
takes "more when it is meant" "$(processes torch_distributed 5) * {distribution: {torch_distributed: {oversubscribe: true}}}"
refuses "more than GPUs" "$(processes torch_distributed 9) + {instance_type: \"ml.p4d.24xlarge\"}" \
    "distribution.torch_distributed.processes_per_host | 9 processes are more than the 8 slots (GPUs) of ml.p4d.24xlarge | ask for at most 8, or say oversubscribe: true"
takes "as many as NeuronCores" "$(processes torch_distributed 32) + {instance_type: \"ml.trn1.32xlarge\"}"
refuses "more than NeuronCores" "$(processes torch_distributed 33) + {instance_type: \"ml.trn1.32xlarge\"}" \
    "distribution.torch_distributed.processes_per_host | 33 processes are more than the 32 slots (NeuronCores) of ml.trn1.32xlarge | ask for at most 32, or say oversubscribe: true"

# Paths of a file of jobctl's begin at its folder.
cat >"$D/job.yaml" <<'END'
command: ["true"]
instance_type: ml.c5.xlarge
inputs: {train: some, test: {uri: ./none}}
output_path: out
END
cd / || exit 1
status=0
"$JOBCTL" submit --dry-run "$D/job.yaml" >"$WORK/out" 2>&1 || status=$?
check_equal "jobctl refuses what the daemon refuses" $status 2
check "and says where a path leads" grep -qF "$D/none: No such file or directory" "$WORK/out"
check_equal "and nothing else" "$(grep -cF "$D/" "$WORK/out")" 1

finish
