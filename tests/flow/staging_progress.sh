#!/bin/bash
# Who waits for a job sees how far its data is: a bar on a terminal, a line every tenth elsewhere.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/daemon.sh"
. "$SOURCE/tests/lib/jobs.sh"
. "$SOURCE/tests/lib/s3.sh"

check "an S3 server starts" s3_start
s3_keys "$WORK/keys"
cat >"$WORK/railhead.yaml" <<END
pools: [{instance_type: ml.c5.2xlarge, scheduler: local, count: 2, emulated: true}]
s3: {endpoint: "$s3_url", region: us-east-1, addressing: path, credentials_file: "$WORK/keys"}
END
DAEMON_CONFIG=$WORK/railhead.yaml
check "a daemon starts" daemon_start
mkdir "$s3_folder/data"
head -c 6000000 /dev/zero >"$s3_folder/data/large"

# spec NAME: a job that reads them; they take 4 s to come.
spec() {
    s3_fault 'do=slow&method=GET&key=large&times=1&after=40' >/dev/null
    echo "{\"name\": \"$1\", \"command\": [\"true\"], \"instance_type\": \"ml.c5.2xlarge\", \"inputs\": {\"train\": \"s3://data/large\"}}" \
        >"$WORK/$1.json"
}

spec plain
check "a job that reads from S3 completes" "$JOBCTL" submit "$WORK/plain.json" --wait
grep 'Downloading' "$WORK/check.out" >"$WORK/lines"
check "lines tell what comes, how much of how much, and how fast" \
    grep -Eq '^jobctl: plain: Downloading  [0-9]+%  train  [0-9.]+ of 5\.7 MiB  [0-9.]+ [KM]iB/s  [0-9]+ s left' "$WORK/lines"
sed -nE 's/.*Downloading  ([0-9]+)%.*/\1/p' "$WORK/lines" >"$WORK/percents"
check "they rise" sort -nuc "$WORK/percents"
lines=$(wc -l <"$WORK/percents")
check "there are a few of them, not one a moment" test "$lines" -ge 3 -a "$lines" -le 11

spec shown
"$JOBCTL" submit "$WORK/shown.json" >/dev/null
shows() {
    "$JOBCTL" show shown | grep -Eq '^  moves +train  [0-9.]+ of 5\.7 MiB'
}
check "show tells it, too" wait_until 10 shows
check "until it has come" wait_for shown
check_equal "and not afterwards" "$("$JOBCTL" show shown | grep -c '^  moves')" 0

spec drawn
# A terminal of its own for jobctl.
on_a_terminal() {
    TERM=xterm /usr/bin/python3 -c '
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 30, 100, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
try:
    while bytes := os.read(terminal, 4096):
        sys.stdout.buffer.write(bytes)
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$@" >"$WORK/typescript"
}
# draws_a_bar COMMAND...: beside the same figures.
draws_a_bar() {
    on_a_terminal "$@" && tr '\r' '\n' <"$WORK/typescript" |
        grep -Eq 'Downloading  [0-9]+%  \[#+-+\]  train  [0-9.]+ of 5\.7 MiB  [0-9.]+ [KM]iB/s  [0-9]+ s left'
}
check "who submits at a terminal sees a bar" draws_a_bar "$JOBCTL" submit "$WORK/drawn.json" --wait
spec followed
"$JOBCTL" submit "$WORK/followed.json" >/dev/null
check "so does who follows its log there" draws_a_bar "$JOBCTL" logs followed -f
finish
