# shellcheck shell=bash
# S3 servers for tests, on loopback; each ends with the test.  After test.sh.
#
#   s3_start [OPTION...]       tests/lib/s3_server.py, which checks signatures; sets s3_url, s3_folder
#   s3_fault 'do=500&times=2'  what its next requests meet (s3_server.py --help)
#   s3rver_start               npm's s3rver, which checks none; sets s3rver_url, s3rver_folder
#   s3_keys FILE               writes a file of the key pair that s3_server.py knows
# shellcheck disable=SC2034 # the names are used where this file is read

S3_ACCESS_KEY=AKIDEXAMPLE
S3_SECRET_KEY=wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY

# Another call starts another server, beside the first.
s3_start() {
    local log
    s3_folder=$(mktemp -d "$WORK/s3.XXXXXX")
    log=$s3_folder.log
    /usr/bin/python3 "$SOURCE/tests/lib/s3_server.py" --folder "$s3_folder" "$@" >"$log" 2>&1 &
    s3_pid=$!
    at_exit "kill $s3_pid 2>/dev/null; wait $s3_pid 2>/dev/null"
    wait_until 20 grep -q '^ready ' "$log" || {
        cat "$log"
        return 1
    }
    s3_url=http://127.0.0.1:$(sed -n 's/^ready //p' "$log")
}

s3_fault() {
    curl -sS --fail -X POST "$s3_url/-/fault?$1"
}

# The requests so far: METHOD STATUS PATH RANGE HOST.
s3_requests() {
    curl -sS --fail "$s3_url/-/requests"
}

s3_keys() {
    printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
        "$S3_ACCESS_KEY" "$S3_SECRET_KEY" >"$1" && chmod 600 "$1"
}

# npm fetches it once into a cache folder; 1 where it cannot be had.
s3rver_install() {
    s3rver_home=${XDG_CACHE_HOME:-$HOME/.cache}/railhead-tests/s3rver-3.7.1
    [ -e "$s3rver_home/node_modules/.bin/s3rver" ] && return
    command -v npm >/dev/null || return 1
    mkdir -p "$s3rver_home" &&
        npm install --silent --no-audit --no-fund --no-save --ignore-scripts --omit=optional \
            --prefix "$s3rver_home" s3rver@3.7.1 >"$WORK/npm.log" 2>&1
}

# s3rver_start BUCKET...: its key pair is S3RVER, S3RVER.
s3rver_start() {
    local port bucket buckets=()
    s3rver_install || return 1
    for bucket; do
        buckets+=(--configure-bucket "$bucket")
    done
    s3rver_folder=$WORK/s3rver
    mkdir -p "$s3rver_folder"
    port=$(/usr/bin/python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    # Its tokens for the next page of a listing are made by a cipher that OpenSSL 3 calls legacy.
    node --openssl-legacy-provider "$s3rver_home/node_modules/.bin/s3rver" --silent -d "$s3rver_folder" -a 127.0.0.1 -p "$port" \
        "${buckets[@]}" >"$WORK/s3rver.log" 2>&1 &
    s3rver_pid=$!
    at_exit "kill $s3rver_pid 2>/dev/null; wait $s3rver_pid 2>/dev/null"
    s3rver_url=http://127.0.0.1:$port
    wait_until 20 curl -s -o "$WORK/s3rver.answer" "$s3rver_url/"
}
