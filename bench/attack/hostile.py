"""Hostile requests by kind: what `serve.py` sends. Each kind makes the bytes of one request from a random generator."""
import gzip
import json

ROW = {"area": 80, "side": "north", "garden": 12.5}
GOOD = json.dumps(ROW).encode()
MEGABYTE = 1 << 20


def head(first, *lines):
    return b"\r\n".join([first, b"Host: localhost", *lines, b"", b""])


def post(body, *lines, path=b"/predict"):
    return head(b"POST " + path + b" HTTP/1.1", b"Content-Length: %d" % len(body), *lines) + body


def chunked(body, *lines):
    return head(b"POST /predict HTTP/1.1", b"Transfer-Encoding: chunked", *lines) + body


def some_bytes(draw, most):
    return draw.randbytes(draw.randint(1, most))


def quoted(data):
    return b"".join(b"%%%02x" % byte for byte in data)


def mutated(draw, data, pieces):
    out = bytearray(data)
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(out) or 1)
        choice = draw.random()
        if choice < 0.4 and out:
            out[at] = draw.randrange(256)
        elif choice < 0.7:
            del out[at:at + draw.randint(1, 5)]
        else:
            out[at:at] = draw.choice(pieces)
    return bytes(out)


JSON_PIECES = [b"[", b"{", b'"', b"null", b"1e999", b"\x00", b"\xff", b"-", b'"area":', b'"rows":[', b"NaN", b"\\u0000", b"\\ud800"]
HTTP_PIECES = [b"\r\n", b"\r", b"\n", b"\x00", b" ", b":", b"\xff", b"Content-Length: 5\r\n", b"HTTP/1.1", b"\r\n\r\n", b"chunked"]
CSV = b"area,side,garden\n80,north,12.5\n70,south,1\n"
CSV_PIECES = [b",", b"\n", b'"', b"\x00", b"\xff", b"1e999", b"\r"]
ARROW = b"\xff\xff\xff\xff\x10\x00\x00\x00" + bytes(64)

# Requests of which there are many.
LIGHT = {
    "path of any bytes": lambda d: head(b"GET /" + some_bytes(d, 40) + b" HTTP/1.1"),
    "quoted path of any bytes": lambda d: head(d.choice([b"GET", b"POST", b"DELETE"]) + b" /" + quoted(some_bytes(d, 40)) + b" HTTP/1.1"),
    "quoted query of any bytes": lambda d: post(GOOD, path=b"/predict?" + d.choice([b"level=", b"quantiles=", b""]) + quoted(some_bytes(d, 20))),
    "body of any bytes": lambda d: post(some_bytes(d, 2000)),
    "mutated JSON": lambda d: post(mutated(d, GOOD, JSON_PIECES)),
    "deep JSON": lambda d: post(d.choice([b"[", b'{"a":', b'[{"area":']) * d.randint(3, 3000)),
    "numbers beyond bounds": lambda d: post(b'{"area":%s}' % d.choice([b"1e308", b"-1e308", b"1e999", b"9" * 400, b"0." + b"0" * 400 + b"1", b"-0"])),
    "bad chunk sizes": lambda d: chunked(d.choice([b"zz\r\n", b"-1\r\n", b"\r\n", b"1\r\nxx", b"ffffffffffffffffff\r\n", b"5\r\nab\r\n0\r\n\r\n"])),
    "chunk beyond the limit": lambda d: chunked(b"%x\r\n" % d.randint(17 * MEGABYTE, 1 << 62)),
    "two lengths": lambda d: head(b"POST /predict HTTP/1.1", b"Content-Length: %d" % len(GOOD), b"Content-Length: %d" % d.randint(0, 60)) + GOOD,
    "length and chunks": lambda d: chunked(b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n", b"Content-Length: %d" % d.randint(0, 60)),
    "codings that are not known": lambda d: head(b"POST /predict HTTP/1.1", b"Transfer-Encoding: " + d.choice([b"gzip", b"xchunked", b"chunked, identity", b"\x0bchunked"])) + GOOD,
    "lengths beyond bounds": lambda d: head(b"POST /predict HTTP/1.1", b"Content-Length: " + d.choice([b"-1", b"x", b"9" * 30, b"17000000", b"1e3", b"+5", b""])) + GOOD,
    "body that ends early": lambda d: head(b"POST /predict HTTP/1.1", b"Content-Length: %d" % d.randint(100, 10_000)) + GOOD,
    "requests together": lambda d: post(GOOD) * d.randint(2, 30),
    "garbage after a request": lambda d: post(GOOD) + some_bytes(d, 500),
    "foreign hosts": lambda d: b"GET / HTTP/1.1\r\n" + d.choice([b"", b"Host: evil.example\r\n", b"Host: a\r\nHost: b\r\n", b"Host: " + d.randbytes(8) + b"\r\n"]) + b"\r\n",
    "bytes that are not HTTP": lambda d: some_bytes(d, 3000),
    "TLS": lambda d: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + d.randbytes(500),
    "HTTP/2": lambda d: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + d.randbytes(30),
    "mutated heads": lambda d: mutated(d, post(GOOD, b"Content-Type: application/json"), HTTP_PIECES),
    "methods and versions": lambda d: head(d.choice([b"TRACE", b"CONNECT", b"OPTIONS", b"get", b"X" * 50, b""]) + b" / HTTP/" + d.choice([b"1.1", b"9.9", b"0.9", b""])),
    "line breaks in a query": lambda d: post(GOOD, path=b"/predict?level=0.5%0d%0aSet-Cookie:%20x" + b"%0a" * d.randint(0, 9)),
    "paths that climb": lambda d: head(b"GET /" + d.choice([b"../", b"..%2f", b"%2e%2e/", b".\\", b"//"]) * d.randint(1, 20) + b"etc/passwd HTTP/1.1"),
    "mutated CSV": lambda d: post(mutated(d, CSV, CSV_PIECES), b"Content-Type: text/csv"),
    "mutated Arrow": lambda d: post(mutated(d, ARROW, [b"\xff" * 4, bytes(8)]), b"Content-Type: application/vnd.apache.arrow.stream"),
    "forms": lambda d: post(b"--b\r\n" + some_bytes(d, 200), b"Content-Type: multipart/form-data; boundary=b"),
    "many quantiles": lambda d: post(GOOD, path=b"/predict?quantiles=" + b",".join([b"0.5"] * d.randint(50, 3000))),
    "ranges": lambda d: post(b"[" + b",".join([GOOD] * 20) + b"]", b"Range: bytes=" + b",".join([b"0-"] * d.randint(1, 2000))),
    "asked to continue, and gone": lambda d: head(b"POST /predict HTTP/1.1", b"Content-Length: 500", b"Expect: 100-continue"),
}

# Requests that are large, or that take time to make and to read.
HEAVY = {
    "many empty objects": lambda d: post(b"[" + b",".join([b"{}"] * d.randint(100_000, 5_000_000)) + b"]"),
    "many keys": lambda d: post(b"{" + b",".join(b'"k%d":0' % k for k in range(d.randint(20_000, 300_000))) + b"}"),
    "lists in lists": lambda d: post(b'{"other":[' + b",".join([b"[1]"] * d.randint(100_000, 1_000_000)) + b'],"area":1}'),
    "a long text": lambda d: post(b'{"area":"' + b"x" * d.randint(MEGABYTE, 15 * MEGABYTE) + b'"}'),
    "chunks without end": lambda d: chunked((b"10000\r\n" + b" " * 0x10000 + b"\r\n") * 400),
    "chunk lines without end": lambda d: chunked(b"1;" + b"x" * 3 * MEGABYTE),
    "trailers without end": lambda d: chunked(b"0\r\n" + b"X: y\r\n" * 500_000),
    "gzip bombs": lambda d: post(gzip.compress(bytes(30 * MEGABYTE), 1), b"Content-Encoding: gzip"),
    "a line without end": lambda d: b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 20 * MEGABYTE,
    "a target without end": lambda d: b"GET /" + b"a" * 20 * MEGABYTE,
    "lines without end": lambda d: b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-Y: z\r\n" * MEGABYTE,
    "as many rows as allowed": lambda d: post(b"[" + b",".join([GOOD] * 10_000) + b"]"),
    "rows beyond the limit": lambda d: post(b"[" + b",".join([GOOD] * 250_000) + b"]"),
}

# Beginnings of requests on connections that stay open.
HELD = {
    "silent connections": lambda d: b"",
    "heads that do not end": lambda d: b"GET / HTTP/1.1\r\nHost: loc",
    "bodies that do not end": lambda d: head(b"POST /predict HTTP/1.1", b"Content-Length: 1000") + b"x" * d.randint(0, 900),
    "large bodies that do not end": lambda d: head(b"POST /predict HTTP/1.1", b"Content-Length: %d" % (15 * MEGABYTE)) + b" " * MEGABYTE,
    "answers that nobody takes": lambda d: post(b"[" + b",".join([GOOD] * 2000) + b"]") * 3,
    "idle after a request": lambda d: post(GOOD),
}
