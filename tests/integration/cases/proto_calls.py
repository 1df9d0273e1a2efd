"""PROTO, continued: versions, unknown names, size and framing of requests, order of answers, progress."""

import json
import threading
import time

from checks import check, has, same
from harness import INITIALIZE
from processes import resident_kib
from registry import case
from reply import Reply
from cases.proto import BAD_PARAMS, INVALID_REQUEST, NO_METHOD, PARSE_ERROR, error_code, null_errors

MODERN = "2026-07-28"
CLAIM = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ENVELOPE = {CLAIM: MODERN, CAPABILITIES: {}}
ABSENT = object()


def initialize_with(version):
    parameters = {key: value for key, value in INITIALIZE.items() if key != "protocolVersion"}
    return parameters if version is ABSENT else {**parameters, "protocolVersion": version}


@case("C108")
def version_negotiation(t):
    known = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    for version in (*known, "2099-01-01", "", ABSENT, 5, None):
        server = t.start(handshake=False)
        server.request("initialize", initialize_with(version), id=0)
        message = server.answer(0, 5)
        check("result" in message, f"{version!r}: {message}")
        same(message["result"]["protocolVersion"], version if version in known else "2025-11-25", f"answer to {version!r}")
    probe = t.start(handshake=False)
    probe.raw(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {CLAIM: MODERN}}}))
    same(error_code(probe, 1), BAD_PARAMS, "code without clientCapabilities")
    probe.request("server/discover", {"_meta": ENVELOPE}, id=2)
    same(probe.answer(2, 5)["result"]["supportedVersions"], [MODERN], "supportedVersions")
    same(probe.handshake()["result"]["protocolVersion"], "2025-11-25", "version after a probe")


@case("C108.a")
def modern_without_a_handshake(t):
    server = t.start(handshake=False)
    meta = {"_meta": ENVELOPE}
    tools = server.answer(server.request("tools/list", meta), 5)["result"]
    same((tools["resultType"], [tool["name"] for tool in tools["tools"]]), ("complete", ["bash"]), "tools/list")
    check(isinstance(tools.get("ttlMs"), int) and tools.get("cacheScope"), f"no caching fields: {tools}")
    call = server.request("tools/call", {"name": "bash", "arguments": {"command": "echo modern"}, **meta})
    result = server.answer(call, 20)["result"]
    same((result["resultType"], result["content"][0]["text"]), ("complete", "modern"), "result of a modern call")
    for method in ("initialize", "ping", "logging/setLevel"):
        same(error_code(server, server.request(method, {**INITIALIZE, **meta})), NO_METHOD, f"modern {method}")
    bad = server.request("tools/list", {"_meta": {**ENVELOPE, CLAIM: "2031-01-01"}})
    error = server.answer(bad, 5)["error"]
    same((error["code"], error["data"]), (-32022, {"supported": [MODERN], "requested": "2031-01-01"}), "unsupported version")


@case("C108.b")
def both_eras_on_one_connection(t):
    modern = t.answer(t.request("tools/list", {"_meta": ENVELOPE}), 5)["result"]
    legacy = t.answer(t.request("tools/list"), 5)["result"]
    same(set(legacy), {"tools"}, "members of the legacy result")
    same(legacy["tools"], modern["tools"], "tools in both eras")
    t.request("tools/call", {"name": "bash", "arguments": {"command": "V=kept"}, "_meta": ENVELOPE}, id=90)
    check("result" in t.answer(90), "modern call")
    t.call("echo $V").ok("kept")
    same(error_code(t, t.request("server/discover")), BAD_PARAMS, "server/discover without an envelope")


@case("C109")
def unknown_methods_tools_and_arguments(t):
    t.raw('{"jsonrpc":"2.0","id":1,"method":"no/such"}')
    t.raw('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":null}')
    t.raw('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"command":"echo x"}}}')
    t.raw('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"zsh","arguments":{"command":"echo x"}}}')
    for identifier, code in ((1, NO_METHOD), (3, BAD_PARAMS), (4, BAD_PARAMS)):
        same(error_code(t, identifier), code, f"code for id {identifier}")
    check(error_code(t, 2) in (BAD_PARAMS, INVALID_REQUEST), "code for params null")
    calls = {5: '{"name":"bash"}', 7: '{"name":"bash","arguments":{"command":5}}',
             8: '{"name":"bash","arguments":{"cmd":"echo x"}}'}
    for identifier, params in calls.items():
        t.raw('{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}' % (identifier, params))
        Reply(t.answer(identifier, 5), 0).refused("command")
    t.raw('{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"bash","arguments":["echo x"]}}')
    message = t.answer(6, 5)
    check(message.get("error", {}).get("code") == BAD_PARAMS or message["result"]["isError"], f"{message}")
    t.call("echo x", id=9, extra=1).ok("x")
    t.raw('{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{"cursor":"zzz"}}')
    check("result" in t.answer(10) or error_code(t, 10) == BAD_PARAMS, "tools/list with a cursor")
    t.raw('{"jsonrpc":"2.0","id":11,"method":"resources/list"}')
    same(error_code(t, 11), NO_METHOD, "resources/list")


@case("C109.a")
def what_clients_add(t):
    t.call("echo a", wait_for_previous=True, description="x", run_in_background=None).ok("a")
    t.call("echo b", meta={"claudecode/toolUseId": "t", "x": {"y": [1]}, "progressToken": None}).ok("b")
    for method in ("Ping", "tools/Call", "tools", "", "rpc.discover", "completion/complete", "sampling/createMessage"):
        same(error_code(t, t.request(method, {})), NO_METHOD, f"code for {method!r}")
    for params in ({"name": None}, {"name": 5, "arguments": {}}, {"name": "Bash", "arguments": {"command": "echo x"}}):
        same(error_code(t, t.request("tools/call", params)), BAD_PARAMS, f"code for {params}")


@case("C109.b")
def wrong_types_name_the_field_and_run_nothing(t):
    for value in (None, True, 1.5, [], ["touch ran"], {"a": 1}):
        t.raw(json.dumps({"jsonrpc": "2.0", "id": t.new_id(), "method": "tools/call",
                          "params": {"name": "bash", "arguments": {"command": value}}}))
        Reply(t.answer(t.next_id, 5), 0).refused("command")
    for params in ("[]", '"tools/call"', "5", "[1,2]"):
        identifier = t.new_id()
        t.raw('{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}' % (identifier, params))
        check(error_code(t, identifier) in (BAD_PARAMS, INVALID_REQUEST), f"params {params}")
    t.call("ls -A").ok("")


class Peak:
    """The most resident memory a process has had while a block ran."""

    def __init__(self, pid):
        self.pid, self.most, self.stop = pid, 0, threading.Event()

    def sample(self):
        while not self.stop.wait(0.01):
            self.most = max(self.most, resident_kib(self.pid))

    def __enter__(self):
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


@case("C110")
def huge_lines(t):
    t.call("echo " + "x" * 1_000_000 + " | wc -c").ok("1000001")
    with Peak(t.pid) as peak:
        chunk = b"A" * (1 << 20)
        for _ in range(1024):
            t.send_bytes(chunk)
        t.send_bytes("\n")
        t.raw('{"jsonrpc":"2.0","id":2,"method":"ping"}')
        same(t.answer(2, 30).get("result"), {}, "ping after 1 GiB")
    check(0 < peak.most < (8 + 32) * 1024 * (1 if t.bench.slowness == 1 else 6), f"resident {peak.most} KiB")
    null_errors_any(t, 1)
    big = json.dumps({"jsonrpc": "2.0", "id": 99, "method": "ping", "params": {"x": "y" * (17 << 20)}})
    t.send_bytes(big + "\n")
    t.raw('{"jsonrpc":"2.0","id":3,"method":"ping"}')
    same(t.answer(3, 30).get("result"), {}, "ping after 17 MiB")
    null_errors_any(t, 1)


def null_errors_any(t, count):
    t.ping()
    codes = [message["error"]["code"] for message in t.output.null_errors]
    check(len(codes) == count and all(code in (PARSE_ERROR, INVALID_REQUEST) for code in codes), f"{count} errors: {codes}")
    t.output.null_errors.clear()


@case("C110.a")
def many_members_and_strings(t):
    t.raw(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {f"k{n}": n for n in range(40_000)}}))
    same(t.answer(1, 20).get("result"), {}, "ping with 40,000 members")
    t.send_bytes('{"jsonrpc":"2.0","id":2,"method":"ping","params":[' + "0," * 3_000_000 + "0]}\n")
    null_errors_any(t, 1)
    for params in ({"_meta": "\u0000" * 500_000}, {"x": "😀" * 200_000}):
        identifier = t.request("ping", params)
        check(t.answer(identifier, 20), "no answer")
    t.call("x='" + "\\" * 400_000 + "'; echo ${#x}; unset x").ok("400000")


@case("C110.b")
def over_the_cap_in_the_middle_of_work(t):
    running = t.start_call("sleep 2; echo held")
    t.wait_for("sleep 2")
    t.send_bytes(b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":"' + b"B" * (9 << 20) + b'"}\n')
    t.send_bytes(b" " * (9 << 20) + b"\n")
    t.ping()
    check(1 <= len(t.output.null_errors) <= 2, f"errors: {t.output.null_errors}")
    t.output.null_errors.clear()
    t.finish_call(running).ok("held")


@case("C111")
def framing(t):
    for byte in b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n':
        t.send_bytes(bytes([byte]))
        time.sleep(0.001)
    t.owe(1)
    same(t.answer(1, 5).get("result"), {}, "ping, byte by byte")
    pings = ['{"jsonrpc":"2.0","id":%d,"method":"ping"}' % i for i in range(2, 52)]
    for i in range(2, 52):
        t.owe(i)
    t.send_bytes("\n".join(pings) + "\n")
    for i in range(2, 52):
        t.answer(i, 5)
    t.owe(60)
    t.send_bytes('{"jsonrpc":"2.0","id":60,"method":"ping"}\r\n')
    t.answer(60, 5)
    t.owe(70)
    t.send_bytes('Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":70,"method":"ping"}\n')
    t.answer(70, 5)
    null_errors(t, PARSE_ERROR)
    t.call("printf 'l1\\nl2\\u2028l3\\n'").ok("l1\nl2\u2028l3")
    last = t.start()
    last.owe(71)
    last.send_bytes('{"jsonrpc":"2.0","id":71,"method":"ping"}')
    last.close_input()
    same(last.wait_exit(), 0, "exit code")
    same(last.answer(71, 1).get("result"), {}, "ping without a newline before the end")


@case("C111.a")
def calls_in_odd_pieces(t):
    line = (t.call_line("printf 'é😀\\n'; echo end", 7) + "\r\n").encode()
    t.owe(7)
    for start in range(0, len(line), 3):
        t.send_bytes(line[start:start + 3])
    Reply(t.answer(7), 0).ok("é😀\nend")
    t.owe(8)
    t.owe(9)
    t.send_bytes("\n\r\n" + t.call_line("echo eight", 8) + "\n\n  \n" + t.call_line("echo nine", 9) + "\n")
    Reply(t.answer(8), 0).ok("eight")
    Reply(t.answer(9), 0).ok("nine")


@case("C111.b")
def nothing_in_a_reply_breaks_a_line(t):
    reply = t.call("printf 'a\\r\\nb\\x0bc\\x0cd\\u0085e\\u2029f\\n'; printf '\"\\\\/\\n'").ok()
    has(reply.text, "a\nb", '"\\/')
    for line in ('POST / HTTP/1.1', 'Host: x', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'):
        t.send_bytes(line + "\n")
    t.ping()
    check(2 <= len(t.output.null_errors) <= 3, f"{t.output.null_errors}")
    if len(t.output.null_errors) == 2:
        t.owe(1)
    t.output.null_errors.clear()


@case("C114")
def ping_beside_a_slow_call(t):
    slow = t.start_call("sleep 6; echo slow", id=1)
    check(t.ping(0.5) < 0.5 * t.slowness, "ping")
    sent = time.monotonic()
    _, instant = t.answer_and_instant(t.request("tools/list", id=3), 1)
    check(instant - sent < 0.5 * t.slowness, "tools/list")
    t.call("echo queued", id=4).ok("queued", within=3)
    reply = t.finish_call(slow).ok("slow")
    check(5.9 < reply.wall < 8 * t.slowness, f"the slow call took {reply.wall:.1f} s")


@case("C114.a", "--parallel", "1")
def a_queued_call_has_its_whole_time(t):
    t.call("true").ok("")
    slow = t.start_call("sleep 3; echo slow")
    queued = t.start_call("sleep 1; echo queued", timeout=2)
    for _ in range(3):
        check(t.ping(0.5) < 0.5 * t.slowness, "ping")
    t.finish_call(slow).ok("slow")
    reply = t.finish_call(queued).ok("queued")
    check(reply.wall > 3.9, f"side by side after all: {reply.wall:.1f} s")


@case("C114.b")
def more_calls_than_places(t):
    t.call("true").ok("")
    start = time.monotonic()
    calls = [t.start_call(f"sleep 1; echo {n}", timeout=3) for n in range(8)]
    check(t.ping(0.5) < 0.5 * t.slowness, "ping")
    walls = sorted(t.finish_call(call).ok(str(n)).wall for n, call in enumerate(calls))
    check(time.monotonic() - start < 6 * t.slowness, "not side by side")
    check(walls[3] < 1.9 * t.slowness and walls[4] > 1.9, f"not four at a time: {walls}")


def progress_of(t, token):
    return [(at, m["params"]["progress"]) for at, m in t.output.notifications
            if m["method"] == "notifications/progress" and json.dumps(m["params"]["progressToken"]) == json.dumps(token)]


@case("C115")
def progress(t):
    first = t.start_call("sleep 12; echo p", meta={"progressToken": "t1"})
    reply = t.finish_call(first).ok("p")
    seen = progress_of(t, "t1")
    check(seen, "no progress for t1")
    check(all(a[1] < b[1] for a, b in zip(seen, seen[1:])), f"not growing: {seen}")
    check(seen[-1][0] <= t.sent_at[str(first)] + reply.wall, "progress after the response")
    t.call("sleep 3; echo q").ok("q")
    t.call("true", meta={"progressToken": 0}).ok("")
    t.call("sleep 6").ok("")
    same(len(t.output.notifications), len(seen), "notifications in all")


@case("C115.a")
def progress_of_two_calls_with_number_tokens(t):
    tokens = {0: t.start_call("sleep 11; echo a", meta={"progressToken": 0}),
              "0": t.start_call("sleep 11; echo b", meta={"progressToken": "0"})}
    t.start_call("sleep 11; echo c", id="plain")
    ends = {token: t.sent_at[str(call)] + t.finish_call(call).ok().wall for token, call in tokens.items()}
    t.finish_call("plain").ok("c")
    for token, end in ends.items():
        seen = progress_of(t, token)
        check(seen and seen[-1][0] <= end, f"progress for {token!r}: {seen}")
    same(len(t.output.notifications), sum(len(progress_of(t, token)) for token in tokens), "notifications in all")


@case("C115.b")
def no_progress_after_a_cancel(t):
    call = t.start_call("sleep 60", meta={"progressToken": 7})
    check(t.output.wait(lambda: progress_of(t, 7), time.monotonic() + 12 * t.slowness), "no progress")
    t.remember_jobs()
    t.cancel(call)
    t.ping()
    seen = len(progress_of(t, 7))
    t.call("sleep 6; echo later").ok("later")
    same(len(progress_of(t, 7)), seen, "progress after the cancel")
