#!/bin/bash
# src/s3.h against servers that are not ours: s3rver, which keeps objects and checks no signature; moto, which
# checks signatures, where it is installed.
. "$(dirname "$0")/../lib/test.sh"
. "$SOURCE/tests/lib/s3.sh"

verbs=$BUILD/tests/flow/s3_verbs
[ -x "$verbs" ] || skip "the build has no $verbs: make check_PROGRAMS"
head -c 1000 /dev/urandom >"$WORK/small"
head -c 20000000 /dev/urandom >"$WORK/large"

# There, listed, streamed, fetched and deleted.
round_trip() {
    local file=$1 key=$2
    rm -rf "$WORK/in" && mkdir "$WORK/in" &&
        "$verbs" put "$file" "s3://train/$key" &&
        [ "$("$verbs" list "s3://train/$key" | cut -d' ' -f3-)" = "$key" ] &&
        "$verbs" stream "s3://train/$key" | cmp - "$file" &&
        "$verbs" fetch "s3://train/$key" "$WORK/in" && cmp "$WORK/in/0" "$file" &&
        "$verbs" delete "s3://train/$key" && [ -z "$("$verbs" list "s3://train/$key")" ]
}

keys_are() {
    printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$1" "$2" >"$WORK/keys"
    chmod 600 "$WORK/keys"
    export S3_KEYS=$WORK/keys
}

if s3rver_start train; then
    export S3_ENDPOINT=$s3rver_url
    keys_are S3RVER S3RVER
    for key in plain 'a key/with blanks' 'plus+and%25percent' 'ünï/日本'; do
        check "s3rver: an object under the key $key goes there and back" round_trip "$WORK/small" "$key"
    done
    check "s3rver: so does a large one" round_trip "$WORK/large" large
else
    echo "# not run: npm cannot give s3rver"
fi

# moto's first calls may be anybody's: a user with keys is made by them.  Keys that are percent-encoded in the
# URL, and prefixes that are, it refuses from every client, so plain ones are asked for here.
moto_start() {
    local port
    port=$(/usr/bin/python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    INITIAL_NO_AUTH_ACTION_COUNT=4 moto_server -H 127.0.0.1 -p "$port" >"$WORK/moto.log" 2>&1 &
    at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null"
    moto_url=http://127.0.0.1:$port
    wait_until 30 grep -q 'Running on' "$WORK/moto.log"
}
iam() {
    curl -sS --fail -H 'Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/iam/aws4_request' \
        "$moto_url/" "$@"
}

if command -v moto_server >/dev/null && moto_start; then
    iam -d Action=CreateUser -d UserName=u -d Version=2010-05-08 >"$WORK/out"
    iam -d Action=PutUserPolicy -d UserName=u -d PolicyName=p -d Version=2010-05-08 --data-urlencode \
        'PolicyDocument={"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}' >"$WORK/out"
    iam -d Action=CreateAccessKey -d UserName=u -d Version=2010-05-08 >"$WORK/key.xml"
    curl -sS --fail -X PUT "$moto_url/train" >"$WORK/out"
    keys_are "$(sed -n 's:.*<AccessKeyId>\(.*\)</AccessKeyId>.*:\1:p' "$WORK/key.xml")" \
        "$(sed -n 's:.*<SecretAccessKey>\(.*\)</SecretAccessKey>.*:\1:p' "$WORK/key.xml")"
    export S3_ENDPOINT=$moto_url
    check "moto, which checks signatures: an object goes there and back" round_trip "$WORK/small" plain
    check "moto: so does a large one" round_trip "$WORK/large" large
    sed -i 's/\(secret_access_key = \).*/\1wrong/' "$WORK/keys"
    check_status "moto: a wrong secret is refused" 1 "$verbs" list s3://train/
else
    echo "# not run: moto_server is not installed"
fi
finish
