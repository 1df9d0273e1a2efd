"""PROTO: JSON-RPC and MCP messages. Nothing here needs a cell, except that the case ends with a call that works."""

import json
import time

from checks import check, same
from output import key_of
from registry import case

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602


def null_errors(t, *codes):
    """Exactly these errors have come with `"id": null`, in order, and are hereby looked at."""
    t.ping()  # in order on one stream: what came before is there
    for message in t.output.null_errors:
        check("id" in message and message["id"] is None, f"no null id: {message}")
        check("result" not in message and isinstance(message["error"].get("message"), str), f"no error: {message}")
    same([message["error"]["code"] for message in t.output.null_errors], list(codes), "error codes")
    t.output.null_errors.clear()


def error_code(t, identifier):
    message = t.answer(identifier, 5)
    check("error" in message and "result" not in message, f"expected an error: {message}")
    return message["error"]["code"]


@case("C102")
def bad_json(t):
    for line in ("{bad json", "", "   ", "123", '"x"', "null", '{"jsonrpc":"2.0","id":5,"method":"tools/li'):
        t.raw(line)
    null_errors(t, PARSE_ERROR, INVALID_REQUEST, INVALID_REQUEST, INVALID_REQUEST, PARSE_ERROR)
    for line in ('{"id":6,"method":"ping"}', '{"jsonrpc":"1.0","id":7,"method":"ping"}', '{"jsonrpc":"2.0","id":8}',
                 '{"jsonrpc":"2.0","id":8,"result":{}}', '{"jsonrpc":"2.0","id":9,"method":5}'):
        t.send_bytes(line + "\n")
    for identifier in (6, 7, 8, 9):
        t.owe(identifier)
        same(error_code(t, identifier), INVALID_REQUEST, f"code for id {identifier}")
    t.raw('{"jsonrpc":"2.0","id":10,"method":"ping"}')
    same(t.answer(10).get("result"), {}, "ping")
    null_errors(t)


@case("C102.a")
def rude_bytes(t):
    for line in (b"\xff\xfe{}", b'{"jsonrpc":"2.0","id":1,"method":"\xc3\x28"}', b"\x00", b"[[[[[[[[[[", b"{}{}", b"'single'",
                 b'{"jsonrpc":"2.0","id":1,"method":"ping"} trailing', b"NaN", b"+1", b'"\\ud800"x'):
        t.send_bytes(line + b"\n")
    null_errors(t, *[PARSE_ERROR] * 10)
    t.send_bytes(b"[" * 100_000 + b"\n" + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n")
    t.ping()
    check([m["error"]["code"] for m in t.output.null_errors] and
          all(m["error"]["code"] in (PARSE_ERROR, INVALID_REQUEST) for m in t.output.null_errors), "deep nesting")
    same(len(t.output.null_errors), 2, "answers to two deep lines")
    t.output.null_errors.clear()


@case("C102.b")
def almost_requests(t):
    for line in ("{}", '{"jsonrpc":2.0,"id":[1],"method":"ping"}', "true", "[]", '{"jsonrpc":"2.0","id":true,"method":"ping"}'):
        t.send_bytes(line + "\n")
    null_errors(t, *[INVALID_REQUEST] * 5)
    for line in ('{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"stray"}}', '{"jsonrpc":"2.0","result":1,"id":null}',
                 '{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{"a":[1]}}',
                 '\t{"jsonrpc":"2.0","method":"notifications/initialized"}  '):
        t.send_bytes(line + "\n")
    null_errors(t)
    t.owe(40)
    t.send_bytes('  {"jsonrpc" : "2.0", "extra": {"x": [null]}, "id":40, "params": {}, "method":"ping"}\t\r\n')
    same(t.answer(40, 5).get("result"), {}, "ping with odd white space")


@case("C104")
def batches_where_there_are_none(t):
    pings = [{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in (1, 2)]
    for line in (json.dumps(pings), "[]", "[1]"):
        t.raw(line)
    null_errors(t, *[INVALID_REQUEST] * 3)
    t.raw('{"jsonrpc":"2.0","id":3,"method":"ping"}')
    same(t.answer(3).get("result"), {}, "ping")


def batch_server(t):
    server = t.start(handshake=False)
    server.handshake({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}})
    return server


@case("C104.a")
def batches_of_2025_03_26(t):
    server = batch_server(t)
    server.raw(json.dumps([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in (1, 2)]))
    server.ping()
    same(sorted(m["id"] for m in server.output.batches[0]), [1, 2], "ids in the array")
    check(all(m["result"] == {} for m in server.output.batches[0]), f"{server.output.batches}")
    server.send_bytes('[{"jsonrpc":"2.0","method":"notifications/initialized"}]\n')
    server.ping()
    same(len(server.output.batches), 1, "arrays: none for notifications alone")
    server.send_bytes("[]\n")
    null_errors(server, INVALID_REQUEST)
    server.send_bytes('[1, {"jsonrpc":"2.0","id":5,"method":"no/such"}]\n')
    server.ping()
    codes = {json.dumps(m["id"]): m["error"]["code"] for m in server.output.batches[1]}
    same(codes, {"null": INVALID_REQUEST, "5": NO_METHOD}, "codes in the second array")


@case("C104.b")
def calls_in_a_batch(t):
    server = batch_server(t)
    calls = [json.loads(server.call_line(f"sleep 0.{i}; echo b{i}; exit {i}", i)) for i in (3, 1, 2)]
    server.raw(json.dumps([*calls, {"jsonrpc": "2.0", "id": "p", "method": "ping"}]))
    server.output.wait(lambda: server.output.batches, time.monotonic() + 20 * t.bench.slowness)
    check(len(server.output.batches) == 1, f"arrays: {server.output.batches}; {server.troubles()}")
    answers = {m["id"]: m["result"] for m in server.output.batches[0]}
    same(set(answers), {1, 2, 3, "p"}, "ids in the array")
    for i in (1, 2, 3):
        same(answers[i]["content"][0]["text"], f"b{i}\n[cell: exit {i}]", f"text of call {i}")


@case("C105")
def id_types(t):
    for text in ("0", '""', '"1"', "1", "-1", "9007199254740993", "18446744073709551615"):
        identifier = json.loads(text)
        t.owe(identifier)
        t.send_bytes('{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % text)
        t.ping()
        line = t.output.answers(identifier)[-1][2]
        check(f'"id":{text}'.encode() in line.replace(b" ", b""), f"id {text} came back as {line!r}")
    t.send_bytes('{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n')
    t.ping()
    echoed = t.output.count("1.5")
    if echoed:
        t.owe(1.5)
    else:
        null_errors(t, INVALID_REQUEST)
    t.send_bytes('{"jsonrpc":"2.0","id":null,"method":"ping"}\n{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n')
    null_errors(t, INVALID_REQUEST, INVALID_REQUEST)
    t.send_bytes('{"jsonrpc":"2.0","method":"ping"}\n{"jsonrpc":"2.0","method":"no/such/notification"}\n')
    null_errors(t)


@case("C105.a")
def ids_of_calls(t):
    t.start(handshake=False).handshake(id="hello")
    for identifier in (0, "", "a" * 5000, "é\u2028\n\"\\", -(2**63), "0", "null"):
        t.call("echo hi", id=identifier).ok("hi")
        check(key_of(identifier) in t.output.keys(), f"id {identifier!r:.40} not echoed")


@case("C105.b")
def one_id_twice_and_odd_numbers(t):
    t.owe(5, 2)
    t.send_bytes('{"jsonrpc":"2.0","id":5,"method":"ping"}\n{"jsonrpc":"2.0","id":5,"method":"ping"}\n')
    t.ping()
    same(t.output.count("5"), 2, "answers to an id used twice in turn")
    for text in ("[1]", "true", "false", "[]", "{}"):
        t.send_bytes('{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"bash","arguments":'
                     '{"command":"touch ran"}}}\n' % text)
    null_errors(t, *[INVALID_REQUEST] * 5)
    t.call("ls").ok("")


@case("C107")
def calls_before_the_handshake(t):
    server = t.start(handshake=False)
    server.call("touch /workspace/early", id=1).ok("")
    server.raw('{"jsonrpc":"2.0","id":2,"method":"ping"}')
    same(server.answer(2).get("result"), {}, "ping")
    server.handshake(id=0)
    server.call("ls /workspace/early 2>&1; cd /tmp; V=1", id=3).ok("/workspace/early")
    server.handshake(id=50)
    server.call("pwd; echo $V", id=51).ok("/tmp\n1")


@case("C107.a")
def initialized_never_comes(t):
    server = t.start(handshake=False)
    server.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}, id=0)
    same(server.answer(0, 5)["result"]["protocolVersion"], "2025-06-18", "version")
    server.call("echo served").ok("served")
    check("tools" in server.answer(server.request("tools/list"), 5)["result"], "no tools")


@case("C107.b")
def a_second_initialize_during_a_call(t):
    running = t.start_call("touch /tmp/on; sleep 2; echo end")
    t.wait_for("sleep 2")
    t.notify("notifications/initialized")
    message = t.handshake(id="again")
    same(message["result"]["protocolVersion"], "2025-11-25", "version")
    t.finish_call(running).ok("end")
    t.call("ls /tmp/on").ok("/tmp/on")
