#!/bin/bash
# A database that is damaged, cannot be written or is somebody else's: the daemon does not start, says what to do, and
# leaves every byte as it is.
# shellcheck disable=SC2119
if [ -z "${PRIVATE_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
    PRIVATE_MOUNTS=1 exec unshare -m "$BASH" "$0"
fi
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"
. "$(dirname "$0")/../lib/jobs.sh"

DAEMON_CONFIG=$WORK/railhead.yaml
cat >"$DAEMON_CONFIG" <<'CONFIG'
pools:
  - {instance_type: ml.c5.xlarge, scheduler: fake}
CONFIG
WHOLE=$WORK/whole
database=$STATE/railhead.db

# What must be as it was; a log that was not there may have been begun.
sums() {
    (cd "$STATE" && find . -name 'railhead.db*' ! -empty ! -name '*.lock' ! -name '*.reserve' ! -name '*-shm' -exec sha256sum {} + | sort)
}

# A state as kill -9 leaves it, with a database and a log that both have jobs.
daemon_start
submit first true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 10}}'
wait_for first
daemon_stop
daemon_start
submit second true '{"instance_type": "ml.c5.xlarge", "fake": {"run_ms": 600000}}'
daemon_kill
cp -a "$STATE" "$WHOLE"

fresh() {
    rm -rf "$STATE"
    cp -a "$WHOLE" "$STATE"
    : >"$WORK/railheadd.log"
}

# refuses NAME WORDS...: the daemon ends with status 1, once says all WORDS, and has changed nothing.
refuses() {
    local name=$1 before status=0 words
    shift
    before=$(sums)
    timeout 20 "$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$STATE" --socket "$RAILHEAD_SOCKET" \
        >"$WORK/railheadd.log" 2>&1 </dev/null || status=$?
    check_equal "$name: the daemon ends with status 1" "$status" 1
    check_equal "$name: it says why once" "$(grep -c daemon.start_failed "$WORK/railheadd.log")" 1
    for words; do
        check "$name: it says \"$words\"" grep -qF -- "$words" "$WORK/railheadd.log"
    done
    check_equal "$name: nothing was changed" "$(sums)" "$before"
}

# overwrite FILE OFFSET LENGTH: with bytes of no meaning.
overwrite() {
    head -c "$3" /dev/urandom | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# pages TABLE: offset and size of its first page.
first_page() {
    /usr/bin/python3 - "$database" "$1" <<'PYTHON'
import sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro&immutable=1", uri=True)
(root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (sys.argv[2],)).fetchone()
(size,) = db.execute("PRAGMA page_size").fetchone()
print((root - 1) * size, size)
PYTHON
}

fresh
head -c 4096 /dev/urandom >"$database"
refuses "a file that is no database" "file is not a database" "restore a backup"

fresh
rm "$database-wal" "$database-shm"
read -r offset size < <(first_page job_event)
overwrite "$database" "$offset" "$size"
refuses "a page of noise" "damaged and was left as it is" "restore a backup"

fresh
rm "$database-wal" "$database-shm"
truncate -s 20000 "$database"
refuses "a database that was cut" "damaged and was left as it is" "restore a backup"

fresh
truncate -s 9000 "$database-wal"
refuses "a log that was cut" "pages that were written to it are there" "restore a backup"
refuses "the same at the next start" "pages that were written to it are there" "restore a backup"

fresh
overwrite "$database-wal" 5000 100
refuses "a log with noise in it" "pages that were written to it are there" "restore a backup"
rm "$database-shm"
check "without the index it starts on what is left" daemon_start
daemon_stop

fresh
rm "$database-wal"
refuses "a log that is gone" "0 of the" "restore a backup"

fresh
/usr/bin/python3 - "$database" <<'PYTHON' &
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
time.sleep(30)
PYTHON
holder=$!
sleep 1
refuses "a database that another program holds" "is in use by another program"
kill "$holder"
wait "$holder" 2>/dev/null

fresh
daemon_start
status=0
"$BUILD/railheadd" --config "$DAEMON_CONFIG" --state "$STATE" --socket "$WORK/second.sock" 2>"$WORK/second.log" || status=$?
check_equal "a second daemon ends with status 1" "$status" 1
check "it names the first" grep -q "is in use by another railheadd: stop that one" "$WORK/second.log"
check "and the first serves on" http /readyz
daemon_stop

if [ -n "${PRIVATE_MOUNTS:-}" ]; then
    fresh
    mount --bind "$STATE" "$STATE"
    mount -o remount,bind,ro "$STATE"
    refuses "a file system that is read-only" "Read-only file system" "read-write"
    umount "$STATE"
else
    echo "# skipped: a read-only file system: not root"
fi

fresh
check "the state that all of these were made of starts" daemon_start
check_equal "with all its jobs" "$(http /v1/training-jobs | grep -o '"name":"[a-z]*"' | sort | tr -d '\n')" '"name":"first""name":"second"'
finish
