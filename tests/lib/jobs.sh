# shellcheck shell=bash
# Jobs of a test, by REST.  After daemon.sh:
#
#   submit NAME SCRIPT [MEMBERS]     a shell script as a job; MEMBERS are further ones of the spec, as JSON
#   show NAME end.cause              a member of its answer, as JSON
#   in_state NAME STATUS             whether that is its secondary status
#   wait_for NAME [SECONDS]          until it has ended
#   worker_of NAME [WORKER]          its folder

submit() {
    local members=${3:-}
    [ -n "$members" ] || members='{}'
    /usr/bin/python3 - "$1" "$2" "$members" >"$WORK/spec.json" <<'PYTHON'
import json, sys
name, script, members = sys.argv[1:]
print(json.dumps({"name": name, "command": ["/bin/bash", "-c", script], "framework": "plain",
                  "instance_type": "ml.c5.2xlarge", **json.loads(members)}))
PYTHON
    http /v1/training-jobs -H 'Content-Type: application/json' --data-binary "@$WORK/spec.json" >"$WORK/submit.out" \
        || sed 's/^/# /' "$WORK/submit.out"
}

show() {
    http "/v1/training-jobs/$1" | /usr/bin/python3 -c '
import json, sys
value = json.load(sys.stdin)
for part in sys.argv[1].split("."):
    value = value[int(part)] if isinstance(value, list) else (value or {}).get(part)
print(json.dumps(value))' "$2"
}

stop() {
    http "/v1/training-jobs/$1/stop" -X POST >/dev/null
}

in_state() {
    [ "$(show "$1" secondary_status)" = "\"$2\"" ]
}

has_ended() {
    case $(show "$1" status) in
    '"Completed"' | '"Failed"' | '"Stopped"') return 0 ;;
    esac
    return 1
}

wait_for() {
    wait_until "${2:-20}" has_ended "$1"
}

worker_of() {
    echo "$STATE/jobs/$(show "$1" id | tr -d '"')-1-${2:-0}"
}

# line FOLDER KIND MEMBER: of the last journal line of that kind; KIND empty: of any.
line() {
    /usr/bin/python3 - "$@" <<'PYTHON'
import json, sys
folder, kind, member = sys.argv[1:]
found = None
with open(folder + "/journal.jsonl", encoding="utf-8") as file:
    for text in file:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if kind in ("", line["kind"]):
            found = line[member]
print(json.dumps(found))
PYTHON
}

# sql STATEMENT: on the database of a daemon that is not running.
sql() {
    /usr/bin/python3 - "$STATE/railhead.db" "$1" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute(sys.argv[2]):
    print(*row)
db.commit()
PYTHON
}

# process_of FILE: the pid that a job wrote there, once it has.
process_of() {
    wait_until 10 test -s "$1" || echo "# nothing in $1" >&2
    head -n 1 "$1"
}
