#!/bin/bash
# src/s3.h against a server that checks signatures: every verb, keys that need encoding, both styles of
# address, pages, parts.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/s3.sh"

verbs=$BUILD/tests/flow/s3_verbs
[ -x "$verbs" ] || skip "the build has no $verbs: make check_PROGRAMS"
s3_start --page 3 --host localhost || { not_ok "the test server starts"; finish; }
s3_keys "$WORK/keys"
export S3_ENDPOINT=$s3_url S3_KEYS=$WORK/keys
mkdir "$s3_folder/train" "$WORK/in"
head -c 1000 /dev/urandom >"$WORK/small"
head -c 20000000 /dev/urandom >"$WORK/large"
: >"$WORK/empty"

# --- keys ---

keys=('plain' 'a key/with blanks' 'plus+and%25percent' 'ünï/日本' "quotes'\"&<>*()!~;=?#@" 'a//b/../c' '&amp;')
put_and_stream() {
    "$verbs" put "$WORK/small" "s3://train/$1" && "$verbs" stream "s3://train/$1" | cmp - "$WORK/small"
}
for key in "${keys[@]}"; do
    check "an object comes back from under the key $key" put_and_stream "$key"
done
"$verbs" list s3://train/ >"$WORK/list"
check_equal "a listing of several pages has every key as it is, in the order of their bytes" \
    "$(cut -d' ' -f3- "$WORK/list")" "$(printf '%s\n' "${keys[@]}" | LC_ALL=C sort)"
check_equal "and the size and MD5 of each" "$(cut -d' ' -f1,2 "$WORK/list" | sort -u)" \
    "1000 $(md5sum <"$WORK/small" | cut -d' ' -f1)"
check_equal "a prefix leaves out the others" "$("$verbs" list 's3://train/a ' | cut -d' ' -f3-)" 'a key/with blanks'
check_equal "a prefix of nothing is an empty listing" "$("$verbs" list s3://train/nothing)" ""
check "objects are deleted, and one that is not there is well" \
    eval '"$verbs" delete "s3://train/&amp;" && "$verbs" delete "s3://train/&amp;"'
check_equal "what was deleted is no longer listed" "$("$verbs" list 's3://train/&')" ""

# --- sizes ---

check "an empty object is stored and fetched" \
    eval '"$verbs" put "$WORK/empty" s3://train/empty && mkdir "$WORK/in/0" && "$verbs" fetch s3://train/empty "$WORK/in/0" && cmp "$WORK/in/0/0" "$WORK/empty"'
mkfifo "$WORK/fifo"
check_status "a FIFO is refused, and not waited for" 1 timeout 10 "$verbs" put "$WORK/fifo" s3://train/fifo
check "a large file is stored in parts" "$verbs" put "$WORK/large" s3://train/large
check_equal "of 8 MiB each" "$(s3_requests | grep -c 'PUT 200 /train/large?partNumber=')" 3
check_equal "and has the ETag of three parts" "$("$verbs" head s3://train/large | sed 's/^20000000 [0-9a-f]\{32\}//')" "-3 large"
check "it comes back as a stream" eval '"$verbs" stream s3://train/large | cmp - "$WORK/large"'
check "from an offset too" \
    eval '"$verbs" stream s3://train/large 12345678 | cmp - <(tail -c +12345679 "$WORK/large")'
mkdir "$WORK/in/1"
check "it is fetched into a file" "$verbs" fetch s3://train/large "$WORK/in/1"
check "which is the same" cmp "$WORK/in/1/0" "$WORK/large"
check_equal "by one request for each of its parts" \
    "$(s3_requests | grep -E -c 'GET 206 .* bytes=(0-8388607|8388608-16777215|16777216-19999999) ')" 3
check_equal "and nothing else is left beside it" "$(ls "$WORK/in/1")" 0

# --- addresses and keys of accounts ---

as_host() {
    S3_VIRTUAL=1 S3_ENDPOINT=http://localhost:${s3_url##*:} "$@"
}
check "a bucket as a host name is asked there" \
    eval 'as_host "$verbs" stream "s3://train/a key/with blanks" | cmp - "$WORK/small"'
check "and listed there" eval 'as_host "$verbs" list s3://train/ | cmp - <("$verbs" list s3://train/)'
check "the requests named it" eval 's3_requests | grep -q "train.localhost"'

check_denied() {
    local name=$1 words=$2
    shift 2
    "$@" >"$WORK/out" 2>&1
    if grep -q "^denied: .*$words" "$WORK/out"; then
        ok "$name"
    else
        not_ok "$name" "$(cat "$WORK/out")"
    fi
}
sed 's/EXAMPLEKEY/WRONGKEY/' "$WORK/keys" >"$WORK/wrong"
chmod 600 "$WORK/wrong"
check_denied "a wrong secret is told as that" "SignatureDoesNotMatch.*secret key" \
    env S3_KEYS="$WORK/wrong" "$verbs" list s3://train/
check_denied "a request without keys is denied" "403 AccessDenied" env -u S3_KEYS "$verbs" list s3://train/
s3_start --token 'session/token+==' || not_ok "another server starts"
mkdir "$s3_folder/train"
check "a session's token goes along, signed" \
    env S3_ENDPOINT="$s3_url" S3_TOKEN='session/token+==' "$verbs" put "$WORK/small" s3://train/x
s3_start --anonymous || not_ok "a third server starts"
mkdir "$s3_folder/open"
check "a public bucket needs no keys" env -u S3_KEYS S3_ENDPOINT="$s3_url" "$verbs" list s3://open/
finish
