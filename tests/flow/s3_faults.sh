#!/bin/bash
# src/s3.h when the server, the network or the disk fails: what is tried again, and what is an error at once.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/s3.sh"

verbs=$BUILD/tests/flow/s3_verbs
[ -x "$verbs" ] || skip "the build has no $verbs: make check_PROGRAMS"
# shellcheck disable=SC2119 # no options
s3_start || { not_ok "the test server starts"; finish; }
s3_keys "$WORK/keys"
export S3_ENDPOINT=$s3_url S3_KEYS=$WORK/keys
mkdir "$s3_folder/train"
head -c 300000 /dev/urandom >"$WORK/small"
head -c 30000000 /dev/urandom >"$WORK/large"
cp "$WORK/small" "$s3_folder/train/small"
cp "$WORK/large" "$s3_folder/train/large"

stream_is() {
    "$verbs" stream "s3://train/$1" | cmp - "$WORK/$1"
}
folders=0
fetch_is() {
    folders=$((folders + 1))
    mkdir -p "$WORK/in/$folders"
    "$verbs" fetch "s3://train/$1" "$WORK/in/$folders" && cmp "$WORK/in/$folders/0" "$WORK/$1"
}
# fails NAME WORDS COMMAND...: ends with an error that has these words (a regular expression).
fails() {
    local name=$1 words=$2
    shift 2
    if "$@" >"$WORK/out" 2>&1; then
        not_ok "$name" "it did not fail"
    elif grep -Eq "$words" "$WORK/out"; then
        ok "$name"
    else
        not_ok "$name" "$(tail -n 5 "$WORK/out")"
    fi
}
count() {
    s3_requests | grep -c "$1"
}

# --- tried again ---

for what in 500 502 503 504 429 slowdown; do
    s3_fault "do=$what&method=GET&key=small&times=2"
    check "an object is fetched after $what twice" fetch_is small
done
s3_fault 'do=500&method=HEAD&times=1'
check "its size is asked for again after a 500" stream_is small
s3_fault 'do=503&key=^$&times=2'
check "a listing is asked for again" "$verbs" list s3://train/
for what in reset truncate; do
    s3_fault "do=$what&method=GET&key=small&after=100000"
    check "a small object is fetched after a $what in its middle" fetch_is small
    s3_fault "do=$what&method=GET&key=large&after=5000000&times=3"
    check "a large one after a $what in three parts" fetch_is large
    s3_fault "do=$what&method=GET&key=large&after=7000000&times=3"
    check "a stream goes on where it was after a $what" stream_is large
done
s3_fault 'do=corrupt&method=GET&key=small&after=5'
check "a small object whose bytes are wrong is fetched again" fetch_is small
s3_fault 'do=corrupt&method=GET&key=large&after=5'
check "a large one too" fetch_is large
check_equal "the bytes that it tells of are those that it has" \
    "$(s3_fault 'do=corrupt&method=GET&key=large&after=5'; "$verbs" fetch s3://train/large "$WORK/in/1" | cut -d, -f2)" \
    " 30000000 bytes"
s3_fault 'do=500&method=PUT&times=2'
check "a file is stored after 500 twice" "$verbs" put "$WORK/small" s3://train/stored
check "as it is" cmp "$s3_folder/train/stored" "$WORK/small"
s3_fault 'do=slowdown&method=PUT&times=3'
check "a large one after SlowDown in three parts" "$verbs" put "$WORK/large" s3://train/stored
check "as it is too" cmp "$s3_folder/train/stored" "$WORK/large"

# --- the MD5 beside ---

# Of 20 parts: the first are read back when the wrong one comes.
head -c 160000000 /dev/urandom >"$WORK/huge"
cp "$WORK/huge" "$s3_folder/train/huge"
s3_fault 'do=pass&method=GET&key=huge&times=17'
s3_fault 'do=corrupt&method=GET&key=huge&after=2000000'
check "an object that is wrong far behind its start is fetched again" fetch_is huge
check_equal "all of it" "$(count 'GET 206 /train/huge ')" 40
rm "$WORK/huge" "$s3_folder/train/huge" "$WORK/in/$folders/0"

# More objects of several parts than have their MD5 computed at once, or are begun.
mkdir "$s3_folder/many" "$WORK/in/many"
for ((i = 0; i < 20; i++)); do
    head -c $((9000000 + i)) "$WORK/large" >"$s3_folder/many/$((100 + i))"
done
all_are_there() {
    for ((i = 0; i < 20; i++)); do
        cmp "$WORK/in/many/$i" "$s3_folder/many/$((100 + i))" || return
    done
}
s3_fault 'do=corrupt&method=GET&key=1.7&after=5&times=2'
check "many large objects are fetched though two requests bring wrong bytes" "$verbs" fetch s3://many/ "$WORK/in/many"
check "and each is right" all_are_there
check_equal "nothing is left beside them" "$(find "$WORK/in/many" -name '*.parts')" ""

# --- bounded ---

before=$(count ' /train/small ')
s3_fault 'do=500&key=small&times=0'
fails "a server that goes on failing is given up, with its own words" \
    'unavailable: GET s3://train/small \(tried 5 times\): 500 InternalError: as the test wants it' fetch_is small
check_equal "after five tries" "$(($(count ' /train/small ') - before))" 5
s3_fault do=none
s3_fault 'do=corrupt&method=GET&key=small&times=0'
fails "bytes that stay wrong are an error" 'internal: s3://train/small: .*MD5' fetch_is small
s3_fault do=none
s3_fault 'do=truncate&method=GET&key=small&after=1000&times=0'
fails "a body that always ends early is given up" 'unavailable: GET s3://train/small' stream_is small
s3_fault do=none

# --- never tried again ---

for what in 403 404; do
    before=$(count "GET $what /train/small ")
    s3_fault "do=$what&method=GET&key=small&times=2"
    fails "a $what is an error at once" "s3://train/small: $what .*; " fetch_is small
    check_equal "asked for once" "$(($(count "GET $what /train/small ") - before))" 1
    s3_fault do=none
done
fails "a bucket that is not there is told" 'not_found: .*404 NoSuchBucket' "$verbs" list s3://nothing/
fails "so is an object" 'not_found: HEAD s3://train/nothing: 404' "$verbs" stream s3://train/nothing
s3_fault 'do=change&method=GET&key=small'
fails "an object that changed since it was listed is a conflict" 'conflict: GET s3://train/small: 412 .*changed' \
    fetch_is small
cp "$WORK/small" "$s3_folder/train/small"
rm -f "$s3_folder/train/small%.etag"
check_status "a server that is not there is given up" 1 \
    env S3_ENDPOINT=http://127.0.0.1:9 timeout 60 "$verbs" list s3://train/
fails "with the cause" 'unavailable: .*refused' env S3_ENDPOINT=http://127.0.0.1:9 "$verbs" list s3://train/
fails "an endpoint that is none is refused" 'invalid: s3 endpoint' env S3_ENDPOINT=ftp://x "$verbs" list s3://train/
fails "a URI that is none is refused" 'invalid: s4://x: expected s3://' "$verbs" list s4://x
mkdir "$WORK/in/x"
fails "a folder that is not there is told" 'not_found: open .*/nowhere/0' \
    "$verbs" fetch s3://train/small "$WORK/in/nowhere"

# --- uploads ---

s3_fault 'do=403&method=PUT&key=stored&times=1'
fails "an upload that is refused is an error" 'denied: PUT s3://train/stored: 403' \
    "$verbs" put "$WORK/large" s3://train/stored
check_equal "and taken back" "$(count 'DELETE 204 /train/stored?uploadId=')" 1

s3_fault 'do=pass&method=POST&key=stored'
s3_fault 'do=truncate&method=POST&key=stored'
rm "$s3_folder/train/stored"
check "one whose last answer is lost on the way is known to be stored" "$verbs" put "$WORK/large" s3://train/stored
check "as it is, then" cmp "$s3_folder/train/stored" "$WORK/large"

# --- begun again after kill -9 ---

s3_fault 'do=slow&method=GET&key=large&after=30&times=0'
mkdir "$WORK/in/resumed"
"$verbs" fetch s3://train/large "$WORK/in/resumed" >"$WORK/out" 2>&1 &
fetcher=$!
# Four parts, of which the last is the shortest: it is whole before the others.
last='bytes=25165824-29999999'
noted() {
    [ "$(tail -c 4 "$WORK/in/resumed/0.parts")" = 0001 ]
}
check "a part that is whole is noted beside the file" wait_until 30 noted
kill -9 $fetcher
wait $fetcher 2>/dev/null
s3_fault do=none
before=$(count "$last")
check "a fetch that was killed is begun again" "$verbs" fetch s3://train/large "$WORK/in/resumed"
check_equal "without the part that was there" "$(($(count "$last") - before))" 0
check "and gives the whole object" cmp "$WORK/in/resumed/0" "$WORK/large"
head -c 30000000 /dev/urandom >"$WORK/other"
mkdir "$WORK/in/changed"
printf '%s 30000000 %s\n1111' "$(md5sum <"$WORK/other" | cut -d' ' -f1)" "$(cat /proc/sys/kernel/random/boot_id)" \
    >"$WORK/in/changed/0.parts"
cp "$WORK/other" "$WORK/in/changed/0"
check "parts of another object are not taken for this one's" \
    eval '"$verbs" fetch s3://train/large "$WORK/in/changed" && cmp "$WORK/in/changed/0" "$WORK/large"'

printf '%s 30000000 %s\n1111' "$(md5sum <"$WORK/large" | cut -d' ' -f1)" "$(cat /proc/sys/kernel/random/boot_id)" \
    >"$WORK/in/changed/0.parts"
rm "$WORK/in/changed/0"
before=$(count "$last")
check "nor parts whose file is gone" "$verbs" fetch s3://train/large "$WORK/in/changed"
check_equal "those are asked for" "$(($(count "$last") - before))" 1

# --- the disk ---

if mkdir "$WORK/disk" && mount -t tmpfs -o size=10m none "$WORK/disk" 2>"$WORK/out"; then
    at_exit "umount '$WORK/disk'"
    before=$(count 'GET 206')
    fails "an object larger than the disk is an error" 'disk_full: .*disk/0: room for .*No space left' \
        "$verbs" fetch s3://train/large "$WORK/disk"
    check_equal "before a byte of it is asked for" "$(($(count 'GET 206') - before))" 0
    head -c 10400000 /dev/zero >"$WORK/disk/fill"
    fails "so is a disk that becomes full" 'disk_full: write .*disk/0: No space left' \
        "$verbs" fetch s3://train/small "$WORK/disk"
else
    echo "# not run: no right to mount a small disk"
fi

# --- a server that falls silent ---

s3_fault 'do=stall&method=GET&key=small&after=1000'
SECONDS=0
check "an object is fetched though its connection fell silent" fetch_is small
check "after the half minute that is documented" [ $SECONDS -ge 29 ]
finish
