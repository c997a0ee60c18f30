"""A client of the server, a rank 0 and somebody on the path, by hand: what they say and do is up to who calls them.

    client = by_hand.Client(port, key); client.rank(9, rank=2)
    client, stream = by_hand.led(port, key)
    relay = by_hand.Relay(port, from_client=True, nth=1, part=0.5)
"""

import contextlib
import hashlib
import hmac
import json
import socket
import struct
import threading
import zlib

# Version of the protocol in which frames have codes, and how many before it are spoken.
PROTOCOL, EARLIER = 12, 8
MESH = {"mesh": {"schedules": ["serial"], "latency": [1], "throughput": [1024], "visit": "10us"}}


def take(stream, count):
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise ConnectionError("it has gone")
        data += more
    return data


def greeting(purpose):
    return b"linerate" + struct.pack(">HBB", PROTOCOL, purpose, EARLIER) + b"\r\n\r\n"


def mac(key, role, server, client):
    letters = key.replace("-", "").encode()
    return hmac.new(letters, role + struct.pack(">H", PROTOCOL) + server + client, hashlib.sha256).digest()


class Seal:
    def __init__(self, secret):
        self.secret, self.next = secret, 0

    def code(self, frame):
        self.next += 1
        return hmac.new(self.secret, struct.pack(">Q", self.next - 1) + frame, hashlib.sha256).digest()[:16]


def say(stream, message, seal=None):
    content = json.dumps(message).encode()
    frame = struct.pack(">I", len(content)) + content
    stream.sendall(frame + (seal.code(frame) if seal else b""))


def hear(stream, seal=None):
    head = take(stream, 4)
    length = struct.unpack(">I", head)[0]
    content = take(stream, length & 0x7FFFFFFF)
    if seal and take(stream, 16) != seal.code(head + content):
        raise ValueError("a frame with another code")
    if length >> 31:
        content = zlib.decompress(content, -15)
    return json.loads(content)


def frame(stream, code):
    head = take(stream, 4)
    return head + take(stream, (struct.unpack(">I", head)[0] & 0x7FFFFFFF) + code)


def listener():
    bound = socket.create_server(("127.0.0.1", 0))
    bound.settimeout(20)
    return bound, bound.getsockname()[1]


class Client:
    """A client with the key, by hand."""

    def __init__(self, port, key):
        self.stream = socket.create_connection(("127.0.0.1", port), 10)
        self.stream.settimeout(30)
        self.stream.sendall(greeting(1))
        welcome = self.take(44)
        challenge, own = welcome[12:], bytes([5] * 32)
        self.says = self.hears = None
        self.say({"prove": {"challenge": list(own), "proof": list(mac(key, b"linerate client", challenge, own))}})
        self.hear()
        self.says = Seal(mac(key, b"linerate client frames", challenge, own))
        self.hears = Seal(mac(key, b"linerate server frames", challenge, own))

    def take(self, count):
        return take(self.stream, count)

    def say(self, message):
        say(self.stream, message, self.says)

    def hear(self):
        return hear(self.stream, self.hears)

    def rank(self, port, **changes):
        """Asks the server to be a rank; whether it sets out, or why not."""
        hour = 3_600_000
        order = {"rank": 1, "size": 2, "first": 1, "name": "n1", "plan": MESH, "within_ms": hour, "patience_ms": hour}
        order |= changes
        self.say({"rank": {"port": port, "order": order}})
        while True:
            reply = self.hear()
            if "queued" not in reply:
                return reply


def led(server, key, size=2, rows=None, sealed=True):
    """The server at a port as rank 1, and rank 0 by hand, which has told the table: the client and the connection of the
    ranks. What is not sealed has a code that is not rank 0's."""
    bound, port = listener()
    client = Client(server, key)
    reply = client.rank(port, size=size)
    if reply != "rank":
        raise ValueError(f"it refused: {reply}")
    with bound:
        stream, _ = bound.accept()
    stream.settimeout(20)
    take(stream, 16)
    ours = bytes([7] * 32)
    stream.sendall(b"linerate" + struct.pack(">HBB", PROTOCOL, 0, EARLIER) + ours)
    introduction = hear(stream)
    theirs = bytes(introduction["challenge"])
    say(stream, {"received": {"proof": list(mac(key, b"linerate server", ours, theirs))}})
    rows = rows or [{"name": f"n{nth}", "address": f"127.0.0.1:{port}"} for nth in range(size)]
    table = {"table": {"session": "00" * 16, "rows": rows, "more": False}}
    seal = Seal(mac(key, b"linerate server frames", ours, theirs) if sealed else bytes(32))
    say(stream, table, seal)
    return client, stream


class Relay:
    """Passes connections, and turns a bit of one frame of the conversation."""

    def __init__(self, port, from_client, nth, part):
        self.bound, self.port = listener()
        self.server, self.from_client, self.nth, self.part = port, from_client, nth, part
        self.done = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.passes, args=(self.bound.accept()[0],), daemon=True).start()

    def passes(self, client):
        with contextlib.suppress(OSError):
            server = socket.create_connection(("127.0.0.1", self.server))
            head = take(client, 16)
            server.sendall(head)
            control = head[10] == 1
            if control:
                client.sendall(take(server, 44))
                server.sendall(frame(client, 0))
                client.sendall(frame(server, 0))
            for source, sink, is_client in ((client, server, True), (server, client, False)):
                bad = self.nth if control and is_client == self.from_client else None
                threading.Thread(target=self.pump, args=(source, sink, bad), daemon=True).start()

    def pump(self, source, sink, bad):
        nth = 0
        with contextlib.suppress(OSError):
            while bad is not None:
                data = bytearray(frame(source, 16))
                if nth == bad:
                    self.done = True
                    data[4 + int((len(data) - 4) * self.part)] ^= 1
                sink.sendall(data)
                nth += 1
            while data := source.recv(1 << 16):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)
