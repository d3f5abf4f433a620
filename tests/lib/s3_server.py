#!/usr/bin/python3
"""An S3 server for tests, which checks every signature itself and can be told to misbehave.

  s3_server.py [--port N] [--folder DIR] [--access-key ID] [--secret-key KEY] [--token TOKEN]
               [--region NAME] [--host NAME] [--page N] [--anonymous]

It listens on 127.0.0.1 (port 0: any free one) and says "ready PORT" when it does.  Buckets are
folders of --folder, objects their files, by the key's name percent-encoded.  Spoken, path-style, and
virtual-host style for hosts BUCKET.NAME of --host (default: localhost): GET and HEAD of objects, with
Range and If-Match; PUT; multipart uploads; DELETE; ListObjectsV2 in pages of --page keys; PUT, HEAD of
a bucket.  A request is signed by AWS Signature Version 4 with the one key pair, and the body is what
was signed; --anonymous lets unsigned ones pass.

Faults are rules, which the next requests meet (no signature needed):

  curl -X POST 'http://127.0.0.1:PORT/-/fault?do=WHAT&method=GET&key=REGEX&times=N&after=BYTES'
  curl -X POST http://127.0.0.1:PORT/-/fault?do=none      forgets all rules
  curl http://127.0.0.1:PORT/-/requests                   a line for each request so far
                                                          (method, status, path with query, Range, Host)

WHAT is one of
  403 404 500 503 ...  answer so, with the S3 code of the status
  slowdown             503 SlowDown
  reset                cut the connection after `after` bytes of the body (with a TCP reset)
  lose                 do what is asked, and cut the connection before the answer
  truncate             end the connection orderly after `after` bytes of the body
  corrupt              turn one bit of the byte at `after` of the body
  stall                send nothing more after `after` bytes of the body, for 600 s
  slow                 send 64 KiB at a time, with `after` milliseconds between
  hold                 answer when the rules are forgotten, if the client is still there
  etag                 answer with another ETag (and fail If-Match)
  change               replace the object's bytes by as many others, before answering
method and key (a regular expression, searched in the key) default to all; times defaults to 1,
0 means always; after defaults to 0.
"""

import argparse
import hashlib
import hmac
import http.server
import os
import re
import socket
import socketserver
import struct
import sys
import threading
import time
import urllib.parse
import uuid
from xml.sax.saxutils import escape

CODES = {400: "BadRequest", 403: "AccessDenied", 404: "NoSuchKey", 412: "PreconditionFailed",
         416: "InvalidRange", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable"}
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
SKEW_S = 15 * 60
options = None
lock = threading.Lock()
rules = []
forgotten = 0  # how often all of them were
requests = []
uploads = {}


class Refused(Exception):
    def __init__(self, status, code, message=""):
        super().__init__(code)
        self.status, self.code, self.message = status, code, message


def quote(text, safe=""):
    return urllib.parse.quote(text, safe=safe + "-._~")


def signing_key(date, region):
    key = ("AWS4" + options.secret_key).encode()
    for word in (date, region, "s3", "aws4_request"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    return key


def check_signature(request, path, query, body):
    """Raises Refused unless the request is signed as S3 wants it, by our key."""
    headers = request.headers
    header = headers.get("Authorization")
    if header is None:
        if options.anonymous:
            return
        raise Refused(403, "AccessDenied", "Access Denied (no signature)")
    match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/,]+)/(\d{8})/([^/,]+)/([^/,]+)/aws4_request, ?"
                         r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})", header)
    if not match:
        raise Refused(400, "AuthorizationHeaderMalformed", header)
    access_key, date, region, service, names, signature = match.groups()
    if access_key != options.access_key:
        raise Refused(403, "InvalidAccessKeyId", "The key id does not exist in our records.")
    if region != options.region or service != "s3":
        raise Refused(400, "AuthorizationHeaderMalformed",
                      f"the region '{region}' is wrong; expecting '{options.region}'")
    at = headers.get("x-amz-date", "")
    if not re.fullmatch(r"\d{8}T\d{6}Z", at) or at[:8] != date:
        raise Refused(403, "AccessDenied", "x-amz-date is not what the credential says")
    then = time.mktime(time.strptime(at, "%Y%m%dT%H%M%SZ")) - time.timezone
    if abs(time.time() - then) > SKEW_S:
        raise Refused(403, "RequestTimeTooSkewed", "The difference to the server's time is too large.")
    signed = names.split(";")
    wanted = {name.lower() for name in headers if name.lower().startswith("x-amz-")} | {"host"}
    if signed != sorted(signed) or not wanted <= set(signed):
        raise Refused(403, "AccessDenied", "headers that are not signed: " + " ".join(wanted - set(signed)))
    if options.token and headers.get("x-amz-security-token") != options.token:
        raise Refused(400, "InvalidToken", "The provided token is malformed or otherwise invalid.")
    payload = headers.get("x-amz-content-sha256")
    if payload is None:
        raise Refused(400, "InvalidRequest", "Missing required header: x-amz-content-sha256")
    if payload != "UNSIGNED-PAYLOAD" and payload != hashlib.sha256(body).hexdigest():
        raise Refused(400, "XAmzContentSHA256Mismatch", "x-amz-content-sha256 is not that of the body.")
    pairs = sorted((quote(name), quote(value)) for name, value in query)
    canonical = "\n".join(
        [request.command, quote(path, "/"), "&".join(f"{name}={value}" for name, value in pairs)]
        + [f"{name}:" + ",".join(" ".join(value.split()) for value in headers.get_all(name, []))
           for name in signed]
        + ["", names, payload])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", at, f"{date}/{region}/s3/aws4_request",
                         hashlib.sha256(canonical.encode()).hexdigest()])
    ours = hmac.new(signing_key(date, region), to_sign.encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(ours, signature):
        raise Refused(403, "SignatureDoesNotMatch",
                      "The request signature we calculated does not match the signature you provided.")


def object_path(bucket, key):
    return os.path.join(options.folder, quote(bucket), quote(key))


def etag_of(path):
    """The MD5, or what a multipart upload left beside the object."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if os.path.exists(path + "%.etag"):  # no key's name ends so: % is encoded
            with open(path + "%.etag", encoding="ascii") as kept:
                size_kept, etag = kept.read().split()
            if int(size_kept) == size:
                return etag
        digest = hashlib.md5()
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def store(bucket, key, blocks, etag=None):
    path = object_path(bucket, key)
    if not os.path.isdir(os.path.dirname(path)):
        raise Refused(404, "NoSuchBucket", "The specified bucket does not exist")
    temp = os.path.join(options.folder, "%" + uuid.uuid4().hex)
    with open(temp, "wb") as file:
        for block in blocks:
            file.write(block)
        size = file.tell()
    etag = etag or etag_of(temp)
    with open(path + "%.etag", "w", encoding="ascii") as file:
        file.write(f"{size} {etag}")
    os.rename(temp, path)
    return etag


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_any(self):
        target = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(target.path)
        query = urllib.parse.parse_qsl(target.query, keep_blank_values=True)
        if path.startswith("/-/"):
            return self.control(path, dict(query))
        length = int(self.headers.get("Content-Length") or 0)
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        body = self.rfile.read(length)
        bucket, _, key = path[1:].partition("/")
        host = self.headers.get("Host", "").partition(":")[0]
        if host.endswith("." + options.host):
            bucket, key = host[:-len(options.host) - 1], path[1:]
        self.fault = self.take_rule(key)
        try:
            check_signature(self, path, query, body)
            self.misbehave(bucket, key)
            self.serve(bucket, key, dict(query), body)
        except Refused as refused:
            text = (f"<?xml version=\"1.0\"?><Error><Code>{refused.code}</Code>"
                    f"<Message>{escape(refused.message)}</Message><Key>{escape(key)}</Key></Error>")
            self.answer(refused.status, text.encode(), {"Content-Type": "application/xml"}, faulty=False)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_any

    def control(self, path, query):
        global forgotten
        text = ""
        with lock:
            if path == "/-/requests":
                text = "".join(requests)
            elif query["do"] == "none":
                rules.clear()
                forgotten += 1
            else:
                rules.append({"do": query["do"], "method": query.get("method", ""),
                              "key": query.get("key", ""), "times": int(query.get("times", 1)),
                              "after": int(query.get("after", 0))})
        self.send_response(200)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def take_rule(self, key):
        with lock:
            for rule in rules:
                if rule["method"] in ("", self.command) and re.search(rule["key"], key):
                    rule["times"] -= 1
                    if rule["times"] == 0:
                        rules.remove(rule)
                    return dict(rule)
        return {"do": "", "after": 0}

    def misbehave(self, bucket, key):
        what = self.fault["do"]
        if what.isdigit():
            raise Refused(int(what), CODES.get(int(what), "Error" + what), "as the test wants it")
        if what == "slowdown":
            raise Refused(503, "SlowDown", "Please reduce your request rate.")
        if what == "hold":
            self.hold()
        if what == "change":
            path = object_path(bucket, key)
            store(bucket, key, [os.urandom(os.path.getsize(path))])

    def hold(self):
        held_since = forgotten
        while forgotten == held_since:
            time.sleep(0.05)
        try:
            if self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b"":
                raise ConnectionAbortedError
        except BlockingIOError:
            pass

    def answer(self, status, body=b"", headers=None, faulty=True):
        """`body`: bytes, or (path, offset, length) of a file."""
        length = len(body) if isinstance(body, bytes) else body[2]
        with lock:
            requests.append(f"{self.command} {status} {self.path} {self.headers.get('Range', '-')} "
                            f"{self.headers.get('Host')}\n")
        if self.fault["do"] == "lose":
            self.cut()
            return
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204 and "Content-Length" not in (headers or {}):
            self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command == "HEAD":
            return
        if faulty and self.fault["do"] in ("reset", "truncate", "corrupt", "stall", "slow"):
            self.send_badly(body)
        elif isinstance(body, bytes):
            self.wfile.write(body)
        else:
            with open(body[0], "rb") as file:
                self.wfile.flush()
                self.connection.sendfile(file, body[1], body[2]) if body[2] else None

    def send_badly(self, body):
        what, after = self.fault["do"], self.fault["after"]
        if not isinstance(body, bytes):
            with open(body[0], "rb") as file:
                file.seek(body[1])
                body = file.read(body[2])
        if what == "corrupt":
            at = min(after, len(body) - 1)
            self.wfile.write(body[:at] + bytes([body[at] ^ 1]) + body[at + 1:])
            return
        if what == "slow":
            for at in range(0, len(body), 65536):
                self.wfile.write(body[at:at + 65536])
                time.sleep(after / 1000)
            return
        self.wfile.write(body[:after])
        self.wfile.flush()
        if what == "stall":
            time.sleep(600)
        if what == "reset":
            # What was sent must arrive before the reset, or it may be thrown away.
            time.sleep(0.1)
            self.cut()
        self.close_connection = True

    def cut(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())
        self.close_connection = True

    def serve(self, bucket, key, query, body):
        if not key:
            self.serve_bucket(bucket, query)
        elif self.command in ("GET", "HEAD"):
            self.serve_object(object_path(bucket, key))
        elif self.command == "PUT" and "uploadId" in query:
            self.take_part(query, body)
        elif self.command == "PUT":
            self.answer(200, b"", {"ETag": f'"{store(bucket, key, [body])}"'})
        elif self.command == "POST":
            self.serve_upload(bucket, key, query, body)
        elif "uploadId" in query:
            with lock:
                uploads.pop(query["uploadId"], None)
            self.answer(204)
        else:
            path = object_path(bucket, key)
            if os.path.exists(path):
                os.unlink(path)
            self.answer(204)

    def serve_bucket(self, bucket, query):
        folder = os.path.join(options.folder, quote(bucket))
        if self.command == "PUT":
            os.makedirs(folder, exist_ok=True)
            self.answer(200)
        elif not os.path.isdir(folder):
            raise Refused(404, "NoSuchBucket", "The specified bucket does not exist")
        elif self.command == "HEAD":
            self.answer(200)
        elif query.get("list-type") == "2":
            self.answer(200, self.listing(bucket, folder, query).encode(), {"Content-Type": "application/xml"})
        else:
            raise Refused(501, "NotImplemented", self.path)

    @staticmethod
    def listing(bucket, folder, query):
        prefix = query.get("prefix", "")
        keys = sorted((urllib.parse.unquote(name) for name in os.listdir(folder) if not name.endswith("%.etag")),
                      key=str.encode)
        after = urllib.parse.unquote(query.get("continuation-token", ""))
        keys = [key for key in keys if key.startswith(prefix) and key.encode() > after.encode()]
        page = keys[:min(options.page, int(query.get("max-keys", 1000)))]
        # As S3 has it: blanks become "+", and slashes stay.
        show = (lambda key: urllib.parse.quote_plus(key, safe="/")) if query.get("encoding-type") == "url" else escape
        rows = []
        for key in page:
            path = object_path(bucket, key)
            rows.append(f"<Contents><Key>{show(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
                        f"<ETag>&quot;{etag_of(path)}&quot;</ETag><Size>{os.path.getsize(path)}</Size>"
                        f"<StorageClass>STANDARD</StorageClass></Contents>")
        more = len(page) < len(keys)
        return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                f"<Name>{bucket}</Name><Prefix>{show(prefix)}</Prefix><KeyCount>{len(page)}</KeyCount>"
                + ("<EncodingType>url</EncodingType>" if query.get("encoding-type") == "url" else "")
                + f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
                # A token may hold what XML and URLs escape.
                + (f"<NextContinuationToken>{escape(quote(page[-1]))}</NextContinuationToken>" if more else "")
                + "".join(rows) + "</ListBucketResult>")

    def serve_object(self, path):
        if not os.path.isfile(path):
            raise Refused(404, "NoSuchKey", "The specified key does not exist.")
        etag = etag_of(path) if self.fault["do"] != "etag" else "0" * 32
        size = os.path.getsize(path)
        wanted = self.headers.get("If-Match")
        if wanted and wanted.strip('"') != etag:
            raise Refused(412, "PreconditionFailed", "At least one of the pre-conditions did not hold")
        headers = {"ETag": f'"{etag}"', "Accept-Ranges": "bytes", "Content-Type": "binary/octet-stream"}
        if self.command == "HEAD":
            headers["Content-Length"] = str(size)
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not match:
            return self.answer(200, (path, 0, size), headers)
        first = int(match[1])
        last = min(int(match[2] or size - 1), size - 1)
        if first > last:
            raise Refused(416, "InvalidRange", "The requested range is not satisfiable")
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
        return self.answer(206, (path, first, last - first + 1), headers)

    def take_part(self, query, body):
        with lock:
            parts = uploads.get(query["uploadId"])
            if parts is None:
                raise Refused(404, "NoSuchUpload", "The specified upload does not exist.")
            parts[int(query["partNumber"])] = body
        self.answer(200, b"", {"ETag": f'"{hashlib.md5(body).hexdigest()}"'})

    def serve_upload(self, bucket, key, query, body):
        if "uploads" in query:
            name = uuid.uuid4().hex + "+/="
            with lock:
                uploads[name] = {}
            text = (f"<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{escape(key)}</Key>"
                    f"<UploadId>{name}</UploadId></InitiateMultipartUploadResult>")
            return self.answer(200, text.encode(), {"Content-Type": "application/xml"})
        with lock:
            parts = uploads.get(query.get("uploadId"))
        if parts is None:
            raise Refused(404, "NoSuchUpload", "The specified upload does not exist.")
        named = re.findall(r"<Part><PartNumber>(\d+)</PartNumber><ETag>(?:&quot;|\")?([0-9a-f]{32})(?:&quot;|\")?</ETag>"
                           r"</Part>", body.decode())
        ours = [(str(number), hashlib.md5(parts[number]).hexdigest()) for number in sorted(parts)]
        if named != ours or not ours:
            raise Refused(400, "InvalidPart", "One or more of the specified parts could not be found.")
        if any(len(parts[number]) < 5 << 20 for number in sorted(parts)[:-1]):
            raise Refused(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
        etag = hashlib.md5(b"".join(bytes.fromhex(md5) for _, md5 in ours)).hexdigest() + f"-{len(ours)}"
        store(bucket, key, [parts[number] for number in sorted(parts)], etag)
        with lock:
            uploads.pop(query["uploadId"], None)
        text = f"<CompleteMultipartUploadResult><ETag>&quot;{etag}&quot;</ETag></CompleteMultipartUploadResult>"
        return self.answer(200, text.encode(), {"Content-Type": "application/xml"})


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, OSError)):
            super().handle_error(request, client_address)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", default=".")
    parser.add_argument("--access-key", default="AKIDEXAMPLE")
    parser.add_argument("--secret-key", default="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    parser.add_argument("--token")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--page", type=int, default=1000)
    parser.add_argument("--anonymous", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    server = Server(("127.0.0.1", options.port), Handler)
    print("ready", server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
