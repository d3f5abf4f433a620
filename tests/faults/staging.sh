#!/bin/bash
# Data that is not there, not to be had, too much or not to be stored, and who dies while it is moved: each job ends in
# time, with its true cause and words that help, billed as documented; nothing is left running, nothing half is left
# where data goes, and nothing that could not be stored is lost.
# shellcheck disable=SC2119
if [ -z "${PRIVATE_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
    PRIVATE_MOUNTS=1 exec unshare -m "$BASH" "$0"
fi
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"
. "$(dirname "$0")/../lib/s3.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
# configure ENDPOINT KEYS
configure() {
    cat >"$DAEMON_CONFIG" <<CONFIG
pools: [{instance_type: ml.c5.2xlarge, scheduler: local, count: 60, emulated: true}]
s3: {endpoint: "$1", region: us-east-1, addressing: path, credentials_file: "$2"}
CONFIG
}
# Root may write everywhere, unless it is told not to.
if [ "$(id -u)" = 0 ]; then
    daemon_prefix=(setpriv '--inh-caps=-dac_override,-dac_read_search' '--bounding-set=-dac_override,-dac_read_search')
fi
s3_start || { not_ok "an S3 server starts"; finish; }
s3_keys "$WORK/keys"
configure "$s3_url" "$WORK/keys"
mkdir "$s3_folder"/{data,out} "$WORK/out" "$WORK/empty" "$WORK/pipe"
daemon_start || { not_ok "a daemon starts"; finish; }

# --- what a test asks ---

# ends NAME [SECONDS].  Without a daemon the rest of the test would only wait.
ends() {
    check "$1 ends in time" wait_for "$1" "${2:-60}"
    http /readyz >/dev/null || {
        not_ok "the daemon is still there" "$(tail -n 20 "$WORK/railheadd.log")"
        finish
    }
}

# ended_as NAME CAUSE WORDS: its failure_reason has these, a regular expression.
ended_as() {
    local reason
    ends "$1"
    check_equal "$1: its cause" "$(show "$1" end.cause)" "\"$2\""
    reason=$(show "$1" failure_reason | jq -r .)
    if grep -Eq -- "$3" <<<"$reason"; then
        ok "$1: its reason helps"
    else
        not_ok "$1: its reason helps" "$reason"
    fi
}

# no_input NAME WORDS: it never ran, and held its instance from ready on.
no_input() {
    ended_as "$1" input "Data download failed: .*$2"
    check "$1 is billed for the instance that it held" [ "$(show "$1" billable_seconds)" -ge 1 ]
    check "$1 has launched nothing" eval '! grep -q launched "$(worker_of "'"$1"'")/journal.jsonl"'
}

completes() {
    ends "$1" "${2:-}"
    check_equal "$1 completes" "$(show "$1" end.cause) $(show "$1" failure_reason)" '"completed" null'
}

# causes NAME: of its attempts.
causes() {
    http "/v1/training-jobs/$1" | jq -r '[.attempts[].end.cause] | join(" ")'
}

# from URI [MEMBERS OF THE CHANNEL]: members of a job that has it as train.
from() {
    printf '{"inputs": {"train": {"uri": "%s"%s}}}' "$1" "${2:+, $2}"
}

# The programs of this test's daemons by that name; all of them have its WORK in their environment.
ours() {
    local process name

    for process in /proc/[0-9]*; do
        read -r name 2>/dev/null <"$process/comm" || continue
        [ "$name" = "$1" ] && grep -qzFx "WORK=$WORK" "$process/environ" 2>/dev/null && echo "${process#/proc/}"
    done
}
none_of() {
    [ -z "$(ours "$1")" ]
}

object() {
    head -c "${2:-3000}" /dev/urandom >"$s3_folder/data/$1"
}

# --- what is refused before it costs anything ---

# refused WHAT MEMBERS WORDS
refused() {
    jq -nc "{command: [\"true\"], instance_type: \"ml.c5.2xlarge\"} + $2" >"$WORK/refused.json"
    "$JOBCTL" submit "$WORK/refused.json" >"$WORK/said" 2>&1
    check_equal "$1 is an invalid spec" $? 2
    check "$1: what and why is said" grep -Eq -- "$3" "$WORK/said"
}

refused "an unknown member of a distribution" '{distribution: {torch_distributed: {enabled: true, procesess_per_host: 2}}}' \
    "distribution.torch_distributed.procesess_per_host.*(processes_per_host)?"
check "the nearest name is said" grep -q "processes_per_host'\\?" "$WORK/said"
refused "an unknown distribution" '{distribution: {torch_distribute: {enabled: true}}}' "distribution.torch_distribute.*torch_distributed"
refused "more processes than slots" '{distribution: {mpi: {enabled: true, processes_per_host: 9}}}' \
    "9 processes are more than the 8 slots .*oversubscribe: true"
refused "a channel of files without objects" "$(from "file://$WORK/empty")" "inputs.train.*$WORK/empty is empty"
chmod 555 "$WORK/empty"
refused "an output_path that cannot be written" "{output_path: \"file://$WORK/empty/out\"}" \
    "output_path.*$WORK/empty cannot be written"
check_equal "none of them is a job" "$(http /v1/training-jobs | jq '.items | length')" 0

submit crowd 'echo here' '{"distribution": {"none": {"enabled": true, "processes_per_host": 9, "oversubscribe": true}}}'

# --- what cannot be had from S3 ---

for name in denied gone broken stalls-once stalls stalls-too corrupt changed 'dots%2F..%2Fabove'; do
    object "$name"
done
object whole 3000000
object reset-always 3000000
cp "$s3_folder/data/whole" "$s3_folder/data/reset-thrice"
printf '[{"prefix": "s3://data/"}, "whole", "not-there"]' >"$s3_folder/data/manifest"
printf '[{"prefix": "s3://data/"}, "../above"]' >"$s3_folder/data/dotted"

s3_fault 'do=stall&method=GET&key=^stalls-once&after=1000'
s3_fault 'do=403&method=GET&key=^denied&times=0'
s3_fault 'do=404&method=GET&key=^gone&times=0'
s3_fault 'do=500&method=GET&key=^broken&times=0'
s3_fault 'do=reset&method=GET&key=^reset-always&times=0&after=1000'
s3_fault 'do=reset&method=GET&key=^reset-thrice&times=3&after=500000'
s3_fault 'do=stall&method=GET&key=^stalls(-too)?$&times=0&after=1000'
s3_fault 'do=corrupt&method=GET&key=^corrupt&times=0&after=9'
s3_fault 'do=change&method=GET&key=^changed'

submit stalls-once 'cmp $SM_CHANNEL_TRAIN/stalls-once '"$s3_folder/data/stalls-once" "$(from s3://data/stalls-once)"
for name in denied gone broken reset-always corrupt changed; do
    submit $name true "$(from s3://data/$name)"
done
submit pair true "{\"instance_count\": 2, $(from s3://data/denied | tail -c +2)"
# As often as one attempt tries, and no more.
s3_fault 'do=503&method=GET&key=^back-later&times=5'
object back-later
submit back-later true "{\"retry\": {\"max_attempts\": 2, \"on\": [\"input\"]}, $(from s3://data/back-later | tail -c +2)"
submit denied-for-good true "{\"retry\": {\"max_attempts\": 2, \"on\": [\"input\"]}, $(from s3://data/denied | tail -c +2)"
submit no-objects true "$(from s3://data/nothing/here)"
submit no-bucket true "$(from s3://nowhere/train/)"
submit no-object true "$(from s3://data/manifest '"data_type": "ManifestFile"')"
submit dotted true "$(from s3://data/dotted '"data_type": "ManifestFile"')"
submit dots true "$(from s3://data/dots)"
submit reset-thrice 'cmp $SM_CHANNEL_TRAIN/reset-thrice '"$s3_folder/data/whole" "$(from s3://data/reset-thrice)"
submit stalls true "{\"max_run\": 4, $(from s3://data/stalls | tail -c +2)"
submit stalls-too true "$(from s3://data/stalls-too)"

completes crowd
check_equal "processes above the slots run when it is meant" "$(cat "$(worker_of crowd)"/rank-?.log | grep -c here)" 9
no_input denied "channel train: .*s3://data/denied: 403 .*need the right to it"
check_status "jobctl wait tells it by its status" 1 "$JOBCTL" wait denied
check "jobctl show by its words" grep -q "s3://data/denied: 403" <<<"$("$JOBCTL" show denied)"
no_input denied-for-good "channel train: .*s3://data/denied: 403"
check_equal "what is denied is not asked for by another attempt" "$(causes denied-for-good)" input
completes back-later
check_equal "what was not available is" "$(causes back-later)" "input completed"
no_input pair "channel train: .*s3://data/denied: 403"
no_input gone "s3://data/gone.*404"
no_input broken "s3://data/broken \(tried 5 times\): 500"
no_input reset-always "s3://data/reset-always \(tried 5 times\)"
no_input corrupt "s3://data/corrupt.*MD5"
no_input changed "s3://data/changed.*changed"
no_input no-objects "channel train: there are no objects at s3://data/nothing/here"
no_input no-bucket "channel train.*s3://nowhere.*404 NoSuchBucket"
no_input no-object "s3://data/not-there.*404"
no_input dotted 'channel train.*"\.\./above" can be no name'
no_input dots 'channel train.*"\.\./above" can be no name'
completes reset-thrice
ended_as stalls max_run ""
wait_until 10 in_state stalls-too Downloading
stop stalls-too
check "a job whose data has fallen silent can be stopped" wait_for stalls-too 5
check_equal "it is Stopped" "$(show stalls-too end.cause)" '"user_stop"'

# --- Pipe channels ---

for name in never late leaves twice vanishing; do
    mkdir "$WORK/pipe/$name"
    head -c 3000000 /dev/urandom >"$WORK/pipe/$name/a"
    echo b >"$WORK/pipe/$name/b"
done
# piped NAME SCRIPT
piped() {
    submit "$1" "$2" "$(from "file://$WORK/pipe/$1" '"mode": "Pipe"')"
}
piped never 'sleep 1'
piped late '/usr/bin/python3 -c "import os; open(os.environ[\"SM_CHANNEL_TRAIN\"] + \"_3\")"'
piped leaves 'head -c 10 ${SM_CHANNEL_TRAIN}_0 >first; cat ${SM_CHANNEL_TRAIN}_1 | cmp - <(cat '"$WORK/pipe/leaves/a $WORK/pipe/leaves/b)"
piped twice 'cat ${SM_CHANNEL_TRAIN}_0 >one & cat ${SM_CHANNEL_TRAIN}_0 >other; a=$?; wait $!; b=$?; [ $a$b = 00 ]'
piped vanishing 'rm '"$WORK/pipe/vanishing/b"'; cat ${SM_CHANNEL_TRAIN}_0 >all; sleep 1000'
completes never
ended_as late failed "FileNotFoundError.*train_3"
completes leaves
# Who comes second finds no FIFO; where both came at once, neither is given half.
ends twice
case $(show twice end.cause) in
'"failed"') check "a FIFO that is read is none for others" grep -q "_0: No such file" "$(worker_of twice)/rank-0.log" ;;
*) ended_as twice input "channel train: epoch 0: it is read twice at once: by process [0-9]* .* and process" ;;
esac
ended_as vanishing input "channel train: epoch 0: .*vanishing/b.*No such file"

# --- a file that goes while it is waited for ---

object slowly 4000000
echo here >"$WORK/vanishing-file"
s3_fault 'do=slow&method=GET&key=^slowly&after=30'
submit vanishes true "{\"inputs\": {\"first\": \"s3://data/slowly\", \"second\": \"file://$WORK/vanishing-file\"}}"
is_fetching() { s3_requests | grep -q "^GET 20. /data/$1 "; }
wait_until 20 is_fetching slowly
rm "$WORK/vanishing-file"
no_input vanishes "channel second: .*$WORK/vanishing-file: No such file"

# --- outputs that cannot be stored ---

# stores NAME URI [STATUS]: a job with a model, which is to be stored there.
stores() {
    submit "$1" "echo weights of $1 >\$SM_MODEL_DIR/weights; ${3:-true}" "{\"output_path\": \"$2\"}"
}
# no_output NAME WORDS: it is said what was not stored and why, and it is kept.
no_output() {
    ended_as "$1" output "Artifact upload failed: .*$2"
    kept "$1"
}
kept() {
    local folder
    folder=$(worker_of "$1")
    check_equal "$1: what was not stored is kept" "$(cat "$folder/ml/model/weights")" "weights of $1"
    check "$1: and it is said where" grep -Fq "they are kept in $folder/ml" <<<"$(show "$1" failure_reason)"
    check "$1 is billed" [ "$(show "$1" billable_seconds)" -ge 1 ]
}

mkdir "$WORK/out/closes"
s3_fault 'do=403&method=PUT&key=^put-denied/&times=0'
s3_fault 'do=503&method=PUT&key=^put-broken/&times=0'
s3_fault 'do=503&method=PUT&key=^put-thrice/&times=3'
stores put-denied s3://out
stores put-broken s3://out
stores put-thrice s3://out
stores put-nowhere s3://nowhere/at/all
stores put-after-failure s3://nowhere 'exit 7'
stores closes "file://$WORK/out/closes" "chmod 555 $WORK/out/closes"
stores stored "file://$WORK/out"
no_output put-denied "s3://out/put-denied/output/model.tar.gz.*403"
no_output put-broken "s3://out/put-broken/output/model.tar.gz.* \(tried 5 times\): 503"
no_output put-nowhere "s3://nowhere/at/all/put-nowhere/output/model.tar.gz.*404 NoSuchBucket"
ended_as put-after-failure failed "exited with code 7.*s3://nowhere"
kept put-after-failure
no_output closes "$WORK/out/closes.*Permission denied"
completes put-thrice
check "what was refused three times is stored" \
    eval 'tar -xOzf "$s3_folder/out/put-thrice%2Foutput%2Fmodel.tar.gz" weights | grep -qx "weights of put-thrice"'
completes stored
check "nothing half is where outputs go" eval '! find "$WORK/out" "$s3_folder/out" -name "*.railhead-*" | grep .'

# --- checkpoints ---

mkdir "$WORK/checkpoints"
s3_fault 'do=403&method=GET&key=^denied/'
mkdir -p "$s3_folder/ckpt"
echo old >"$s3_folder/ckpt/denied%2Fstep"
s3_fault 'do=403&method=PUT&key=^readonly/&times=0'
submit no-restore true '{"checkpoint": {"uri": "s3://ckpt/denied/"}}'
submit no-sync 'echo new >$RAILHEAD_CHECKPOINT_DIR/step' '{"checkpoint": {"uri": "s3://ckpt/readonly/"}}'
no_input no-restore "checkpoints: .*s3://ckpt/denied/step.*403"
ended_as no-sync output "s3://ckpt/readonly/step.*403"
check "checkpoints that were not stored are kept" grep -qx new "$(worker_of no-sync)/ml/checkpoints/step"

# --- a launch that fails costs nothing ---

submit no-program true '{"command": ["/no/such/program"]}'
ended_as no-program launch "/no/such/program"
check_equal "a launch that failed is not billed" "$(show no-program billable_seconds)" 0

completes stalls-once 90

# --- kill -9 ---

worker_pid() {
    wait_until 10 test -s "$(worker_of "$1")/journal.jsonl"
    line "$(worker_of "$1")" ready pid
}
stages_of() {
    pgrep -P "$(worker_pid "$1")" -f railhead-stage
}
is_staging() {
    in_state "$1" "$2" && [ -n "$(stages_of "$1")" ]
}
# kill_worker NAME: with kill -9, while it moves data.
kill_worker() {
    local stages
    stages=$(stages_of "$1")
    kill -KILL "$(worker_pid "$1")"
    check "the stage of $1 does not outlive its worker" wait_until 2 gone "$stages"
}
gone() {
    local pid
    for pid in $1; do ! lives "$pid" || return 1; done
}

s3_fault do=none
s3_fault 'do=hold&method=GET&key=^held&times=0'
s3_fault 'do=hold&method=PUT&key=^up-&times=0'
object held
for name in once again daemon; do
    retry=
    [ $name != again ] || retry='"retry": {"max_attempts": 2},'
    submit in-$name "cmp \$SM_CHANNEL_TRAIN/held $s3_folder/data/held" \
        "{$retry \"inputs\": {\"train\": \"s3://data/held\"}}"
    submit up-$name "echo weights of up-$name >\$SM_MODEL_DIR/weights" "{$retry \"output_path\": \"s3://out\"}"
done
for name in once again daemon; do
    check "in-$name is fetching" wait_until 20 is_staging in-$name Downloading
    check "up-$name is storing" wait_until 20 is_staging up-$name Uploading
done
daemon_kill
daemon_start
for name in once again; do
    kill_worker in-$name
    kill_worker up-$name
done
s3_fault do=none
for name in in-once up-once; do
    ended_as $name lost "a worker vanished"
done
check_equal "what a worker that was killed would have stored is kept" \
    "$(cat "$(worker_of up-once)/ml/model/weights")" "weights of up-once"
check "and nothing half is stored" test ! -e "$s3_folder/out/up-once%2Foutput%2Fmodel.tar.gz"
for name in in-again up-again; do
    completes $name
    check_equal "$name is the second attempt's" "$(causes $name)" "lost completed"
done
for name in in-daemon up-daemon; do
    completes $name
    check_equal "$name does not mind that the daemon was killed" "$(causes $name)" completed
done
for name in up-again up-daemon; do
    check "$name has stored its model" \
        eval 'tar -xOzf "$s3_folder/out/'$name'%2Foutput%2Fmodel.tar.gz" weights | grep -qx "weights of '$name'"'
done

# --- keys and servers that are wrong ---

daemon_stop
sed 's/^\(aws_secret_access_key = .\).*/\1/' "$WORK/keys" >"$WORK/wrong-keys"
chmod 600 "$WORK/wrong-keys"
configure "$s3_url" "$WORK/wrong-keys"
daemon_start
submit wrong-key true "$(from s3://data/whole)"
no_input wrong-key "channel train: .*s3://data.*403 SignatureDoesNotMatch.*is the secret key right"
daemon_stop
configure http://127.0.0.1:9 "$WORK/keys"
daemon_start
submit no-server true "$(from s3://data/whole)"
no_input no-server "channel train: .*s3://data.*127.0.0.1:9: cannot connect: Connection refused"
daemon_stop

# --- disks that are too small ---

STATE=$WORK/small
mkdir -p "$STATE/jobs"
if [ -n "${PRIVATE_MOUNTS:-}" ] && mount -t tmpfs -o size=48m none "$STATE/jobs"; then
    at_exit 'umount -l "$WORK/small/jobs"'
    configure "$s3_url" "$WORK/keys"
    daemon_start
    mkdir "$WORK/huge"
    truncate -s 60M "$WORK/huge/file" "$s3_folder/data/huge"
    object medium 20000000
    mkdir "$WORK/medium"
    cp "$s3_folder/data/medium" "$WORK/medium/"
    submit huge-file true "$(from "file://$WORK/huge")"
    submit huge-s3 true "$(from s3://data/huge)"
    submit huge-checkpoint true "{\"checkpoint\": {\"uri\": \"file://$WORK/huge\"}}"
    no_input huge-file "not enough room for the channels: .* needs 62914560 bytes, [0-9]* are free"
    no_input huge-s3 "not enough room for the channels: .* needs 62914560 bytes, [0-9]* are free"
    no_input huge-checkpoint "not enough room for the checkpoints: .* needs 62914560 bytes, [0-9]* are free"
    check_equal "no byte of them is written" "$(find "$STATE/jobs" -type f -size +100k)" ""

    # Enough room at first; then somebody else takes it, while an earlier channel is on its way.
    for second in s3://data/medium "file://$WORK/medium"; do
        name=full-${second%%:*}
        s3_fault 'do=slow&method=GET&key=^slowly&after=50'
        submit "$name" true "{\"inputs\": {\"first\": \"s3://data/slowly\", \"second\": \"$second\"}}"
        check "$name is fetching" wait_until 20 is_staging "$name" Downloading
        head -c 28000000 /dev/zero >"$STATE/jobs/filling"
        no_input "$name" "channel second: .*(disk is full|No space left)"
        rm "$STATE/jobs/filling"
        check "$name has left nothing half by its name" test ! -e "$(worker_of "$name")/ml/input/data/second/medium"
    done
    submit roomy 'cmp $SM_CHANNEL_TRAIN/medium '"$WORK/medium/medium" "$(from s3://data/medium)"
    completes roomy
    daemon_stop
else
    echo "# no mounts of our own: not root"
fi

check "no stage is left running" wait_until 5 none_of railhead-stage
check "and no worker" wait_until 5 none_of railhead-worker
finish
