"""HEAL: scripts that did nothing, repaired by a model: a stand-in that answers as it is told."""

import http.server
import json
import threading

from checks import check, has, lacks, same
from harness import INITIALIZE
from registry import case

SAMPLING = {**INITIALIZE, "capabilities": {**INITIALIZE["capabilities"], "sampling": {}}}
OFF = ("--install", "off")


class Model:
    """An OpenAI-compatible endpoint on loopback. `answers` are given in turn: a text, or (status, body)."""

    def __init__(self, answers):
        self.answers, self.asked = list(answers), []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                answer = model.answers.pop(0)
                status, body = answer if isinstance(answer, tuple) else (
                    200, json.dumps({"choices": [{"message": {"role": "assistant", "content": answer}}]}))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.http = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.options = ("--repair", f"http://127.0.0.1:{self.http.server_port}/v1/chat/completions", "--repair-model", "stand-in")

    def __enter__(self):
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


def fenced(script):
    return f"```bash\n{script}\n```"


@case("C82.c")
def an_endpoint_repairs_what_did_nothing(t):
    with Model([fenced("echo x >> n; echo repaired"), fenced("if"), fenced("echo y >> n; false")]) as model:
        server = t.start(*OFF, *model.options)
        reply = server.call("nosuch_a --count root").ok("repaired")
        has(reply.status, "failed before it did anything; ran instead: echo x >> n; echo repaired")
        has(json.dumps(model.asked[0]), "nosuch_a --count root", "command not found")
        # The first answer does not parse, and is not run; the second one counts, whatever comes of it.
        reply = server.call("if then\necho z >> n").ok("", exit=1)
        has(reply.status, "ran instead: echo y >> n; false")
        # What has done something is nobody's to repair.
        reply = server.call("echo z >> n; nosuch_b").ok(exit=127)
        lacks(reply.status, "instead")
        same(len(model.asked), 3, "questions")
        server.call("cat n").ok("x\ny\nz")


@case("C82.d")
def an_endpoint_that_is_of_no_use(t):
    useless = [(500, "no"), "<html><body>Sign in</body></html>", "", "x" * 1_000_000, "I am sorry.", (200, "null")]
    with Model(useless + [fenced("echo late")] * 20) as model:
        server = t.start(*OFF, *model.options)
        for _ in range(2):
            reply = server.call("nosuch_a").ok("script: line 1: nosuch_a: command not found", exit=127)
            has(reply.status, "not repaired: ")
            check(len(reply.status) < 300, f"a long status: {reply.status}")
        server.call("echo alive").ok("alive")


@case("C82.e")
def the_clients_own_model(t):
    asked = []
    server = t.start(*OFF, "--repair", "client", handshake=False)

    def answer(message):
        asked.append(message)
        server.send_bytes(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {
            "role": "assistant", "model": "stand-in", "content": {"type": "text", "text": fenced("echo x >> n; echo repaired")}}}) + "\n")

    server.output.on_request = answer
    server.handshake(SAMPLING)
    has(server.call("nosuch_a").ok("repaired").status, "ran instead: echo x >> n")
    same([message["method"] for message in asked], ["sampling/createMessage"], "requests")
    server.call("cat n").ok("x")
    # A client that offers no sampling is never asked: a request would be a fault of the server's.
    other = t.start(*OFF, "--repair", "client")
    other.call("nosuch_a").ok("script: line 1: nosuch_a: command not found", exit=127)
    other.call("echo alive").ok("alive")


@case("C82.f")
def a_client_that_never_answers(t):
    server = t.start(*OFF, "--repair", "client", handshake=False)
    server.output.on_request = lambda message: None
    server.handshake(SAMPLING)
    reply = server.call("nosuch_a", 3).ok("script: line 1: nosuch_a: command not found", exit=127)
    has(reply.status, "not repaired: ")
    server.call("echo alive").ok("alive")
