#!/bin/bash
# railhead-api(7) by curl: paths and methods, bodies, repeats, sources, logs, callers, the socket.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

cat >"$WORK/http.yaml" <<'END'
pools: [{instance_type: local, scheduler: local, count: 8}]
limits: {body_bytes: 65536, source_bytes: 1048576}
END
DAEMON_CONFIG=$WORK/http.yaml
JOBS=/v1/training-jobs
JSON='Content-Type: application/json'

# status PATH [OPTION OF CURL...]: the status of the answer, which is left in $WORK/answer, its headers in $WORK/headers.
status() {
    local path=$1
    shift
    curl -sS --max-time 20 --unix-socket "$RAILHEAD_SOCKET" -D "$WORK/headers" -o "$WORK/answer" \
        -w '%{http_code}' "$@" "http://localhost$path"
}

# answers NAME STATUS CODE PATH [OPTION...]: CODE is the problem's; "-" when it is none.
answers() {
    local name=$1 wanted="$2 $3" path=$4 got
    shift 4
    got="$(status "$path" "$@") $(jq -r '.code? // "-"' "$WORK/answer" 2>/dev/null || echo -)"
    check_equal "$name" "$got" "$wanted"
}

header() {
    sed -n "s/^$1: *//Ip" "$WORK/headers" | tr -d '\r'
}

# spec NAME COMMAND: a job of one process.
spec() {
    jq -nc --arg name "$1" --arg command "$2" \
        '{name: $name, command: ["/bin/sh", "-c", $command], instance_type: "local"}'
}

daemon_start --listen 127.0.0.1:0 || exit 1
port=$(sed -n 's/.*api.listening address=127.0.0.1:\([0-9]*\) .*/\1/p' "$WORK/railheadd.log")

answers "an unknown path is 404" 404 unknown_path /v1/nothing
answers "a wrong method is 405" 405 method_not_allowed $JOBS -X DELETE
check_equal "405 names the right methods" "$(header Allow)" "POST, GET, HEAD"
answers "an unknown parameter is refused" 400 invalid_parameter "$JOBS?limits=5"
check_equal "with the nearest right name" "$(jq -r '.errors[0].hint' "$WORK/answer")" "did you mean limit?"
check_equal "HEAD works where GET does" "$(status /healthz -I)" 200

answers "malformed JSON is 400" 400 malformed_json $JOBS -H "$JSON" -d '{"name": }'
check "with line and column" grep -q 'line 1 column 10' "$WORK/answer"
answers "malformed YAML is 400" 400 malformed_yaml $JOBS -H 'Content-Type: application/yaml' -d 'a: [b'
check "with line and column, too" grep -Eq 'line [0-9]+ column [0-9]+' "$WORK/answer"
answers "a form is not understood" 415 unsupported_media_type $JOBS -d 'name=x'
answers "a spec with mistakes is 400" 400 invalid_spec $JOBS -H "$JSON" -d '{"named": "x", "instance_type": "local"}'

size=32000
many_large() {
    jq -nc --arg large "$(printf "%${size}s" x)" \
        '{command: ["true"], instance_type: "local", instance_count: 8, hyperparameters: {large: $large},
          distribution: {torch_distributed: {enabled: true, processes_per_host: 256, oversubscribe: true}}}'
}
answers "many ranks with large hyperparameters are refused" 400 invalid_spec "$JOBS?dry_run=true" -H "$JSON" -d "$(many_large)"
check_equal "with what they would take" "$(jq -r '.errors[0].message' "$WORK/answer")" \
    "command lines and environments of 2048 ranks are 330 MiB together, at most 128 are allowed"
size=10000
answers "with smaller ones they are not" 200 - "$JOBS?dry_run=true" -H "$JSON" -d "$(many_large)"

answers "a type that is not offered is refused" 400 invalid_spec $JOBS -H "$JSON" \
    -d '{"command": ["true"], "instance_type": "locale", "priority": 300}'
check_equal "together with other mistakes" "$(jq -r '.errors[].path' "$WORK/answer" | sort | xargs)" "instance_type priority"

head -c 70000 /dev/zero | tr '\0' ' ' >"$WORK/large"
answers "a body above the limit is 413" 413 payload_too_large $JOBS -H "$JSON" --data-binary @"$WORK/large"
answers "a chunked one, too" 413 payload_too_large $JOBS -H "$JSON" -H 'Transfer-Encoding: chunked' \
    --data-binary @"$WORK/large"
answers "one that waits to be sent, too" 413 payload_too_large $JOBS -H "$JSON" -H 'Expect: 100-continue' \
    --data-binary @"$WORK/large"

answers "a dry run is 200" 200 - "$JOBS?dry_run=true" -H "$JSON" -d "$(spec dry true)"
check_equal "and starts nothing" "$(http $JOBS | jq '.items | length')" 0
answers "a submit is 201" 201 - $JOBS -H "$JSON" -H 'Idempotency-Key: k1' -d "$(spec first 'echo one; echo two')"
check_equal "and says where the job is" "$(header Location)" $JOBS/first
answers "its repeat is 200" 200 - $JOBS -H "$JSON" -H 'Idempotency-Key: k1' -d "$(spec first 'echo one; echo two')"
check_equal "and says so" "$(header Idempotent-Replay)" true
answers "the key with another body is 409" 409 conflict $JOBS -H "$JSON" -H 'Idempotency-Key: k1' -d "$(spec x true)"
answers "the name with another key is 409" 409 conflict $JOBS -H "$JSON" -d "$(spec first true)"
answers "a key with a blank is 400" 400 invalid_header $JOBS -H "$JSON" -H 'Idempotency-Key: a b' -d "$(spec x true)"
printf 'name: by-yaml\ncommand: [/bin/true]\ninstance_type: local\n' >"$WORK/job.yaml"
answers "YAML is taken" 201 - $JOBS -H 'Content-Type: text/yaml; charset=utf-8' --data-binary @"$WORK/job.yaml"

has_ended() {
    [ "$(http "$JOBS/$1" | jq -r .end)" != null ]
}
check "the job ends" wait_until 20 has_ended first
# Nothing runs now, so nothing else commits what a refused name has begun.
check "the other one too" wait_until 20 has_ended by-yaml
answers "a name that is taken is 409" 409 conflict $JOBS -H "$JSON" -d "$(spec first true)"
answers "a repeat behind it is answered at once" 200 - $JOBS --max-time 5 -H "$JSON" -H 'Idempotency-Key: k1' \
    -d "$(spec first 'echo one; echo two')"
check_equal "its log is as it was written" "$(http $JOBS/first/logs)" $'one\ntwo'
check_equal "tail gives the last lines" "$(http "$JOBS/first/logs?tail=1")" two
answers "a rank that is not there is 404" 404 not_found "$JOBS/first/logs?rank=5"
answers "a stop of what has ended is 409" 409 conflict $JOBS/first/stop -X POST
answers "a NUL does not end the name of a job" 404 not_found "$JOBS/first%00x"
answers "a job that is not there is 404" 404 not_found $JOBS/nobody/logs
answers "transitions are a list" 200 - $JOBS/first/transitions
answers "metrics are a list" 200 - $JOBS/first/metrics
answers "the plan is there" 200 - $JOBS/first/plan
answers "instance types are a list" 200 - /v1/instance-types

http $JOBS -H "$JSON" -d "$(spec slow 'echo begin; sleep 0.5; printf "no line feed"')" >/dev/null
check_equal "following ends when the job has" "$(http "$JOBS/slow/logs?follow=true" -N)" $'begin\nno line feed'
http $JOBS -H "$JSON" -d "$(spec long 'echo here; exec sleep 100' | jq -c '.instance_count = 2')" >/dev/null
(http "$JOBS/long/logs?follow=true" -N >"$WORK/followed"; echo $? >"$WORK/followed.status") &
check "a follower of two ranks sees both" wait_until 20 grep -qzP '\[0\] here\n\[1\] here|\[1\] here\n\[0\] here' "$WORK/followed"
answers "a stop is accepted" 202 - $JOBS/long/stop -X POST
check "and the follower ends" wait_until 20 grep -qx 0 "$WORK/followed.status"

head -c 300000 /dev/urandom >"$WORK/source"
digest=$(sha256sum "$WORK/source" | cut -c1-64)
answers "a source that is not there is 404" 404 not_found "/v1/sources/$digest"
answers "other bytes than promised are refused" 400 digest_mismatch "/v1/sources/$digest" -T "$WORK/large"
answers "and are not kept" 404 not_found "/v1/sources/$digest"
answers "a source is taken" 201 - "/v1/sources/$digest" -T "$WORK/source"
answers "once" 200 - "/v1/sources/$digest" -T "$WORK/source"
check_equal "HEAD finds it" "$(status "/v1/sources/$digest" -I)" 200
head -c 1100000 /dev/zero >"$WORK/too-large"
answers "one above the limit is 413" 413 payload_too_large \
    "/v1/sources/$(sha256sum "$WORK/too-large" | cut -c1-64)" -T "$WORK/too-large"
answers "a name that is no digest is 400" 400 invalid /v1/sources/abc -T "$WORK/source"
check_equal "nothing half is left" "$(find "$STATE" -name '.upload-*')" ""

# by_tcp [OPTION...]: the problem's code, or "-".
by_tcp() {
    curl -sS --max-time 20 "$@" "http://127.0.0.1:$port/healthz" | jq -r '.code // "-"'
}
check_equal "TCP is answered" "$(by_tcp)" -
check_equal "another host name is refused" "$(by_tcp -H 'Host: evil.example')" host_refused
check_equal "another origin is refused" "$(by_tcp -H 'Origin: http://evil.example')" origin_refused
check_equal "the own origin is not" "$(by_tcp -H "Origin: http://127.0.0.1:$port")" -
check_equal "by socket the owner is the user" "$(http $JOBS/first | jq -r .owner)" "$(id -un)"
curl -sS --max-time 20 -o "$WORK/answer" -H "$JSON" -d "$(spec by-tcp true)" "http://127.0.0.1:$port$JOBS"
check_equal "by TCP it is anonymous" "$(http $JOBS/by-tcp | jq -r .owner)" anonymous

check_equal "the socket is for owner and group" "$(stat -c %a "$RAILHEAD_SOCKET")" 660
check "a second daemon at the socket does not start" \
    bash -c "! '$BUILD/railheadd' --config '$DAEMON_CONFIG' --state '$WORK/other' --socket '$RAILHEAD_SOCKET'"
check "and the first one goes on" http /readyz
daemon_kill
check "a socket that was left is replaced" daemon_start
daemon_stop
check "a daemon that stops removes its socket" test ! -e "$RAILHEAD_SOCKET"
finish
