#!/usr/bin/env python3
"""How a framework runs bashcell with the standard library alone: launcher.py [BASHCELL [OPTION...]]"""

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future


class Bashcell:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)  # a process group, which end() ends
        self.waiting, self.lock = {}, threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()
        self.request(0, "initialize", protocolVersion="2025-11-25", capabilities={},
                     clientInfo={"name": "launcher", "version": "1"}).result()
        self.send(method="notifications/initialized")

    def send(self, **message):
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()

    def request(self, number, method, **params):
        future = self.waiting[number] = Future()
        self.send(id=number, method=method, params=params)
        return future

    def call(self, number, command, **more):  # calls run side by side; result() of each waits for its reply
        return self.request(number, "tools/call", name="bash", arguments={"command": command, **more})

    def cancel(self, number):  # ends the call and its processes; the cell and its other calls go on
        self.send(method="notifications/cancelled", params={"requestId": number})
        self.waiting.pop(number).cancel()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            future = self.waiting.pop(message.get("id"), None) if "method" not in message else None
            if future:
                future.set_result(message.get("result") or message["error"])
        for future in self.waiting.values():
            future.set_exception(RuntimeError("bashcell has ended"))

    def end(self):
        os.killpg(self.process.pid, signal.SIGTERM)  # the cell goes with it
        return self.process.wait(timeout=5)


if __name__ == "__main__":
    server = Bashcell(*(sys.argv[1:] or ["bashcell"]))
    print(server.call(1, "echo hello from a cell; cd /tmp; exit 3").result()["content"][0]["text"])
    sleep = server.call(2, "sleep 60")
    server.cancel(2)
    print("cancelled" if sleep.cancelled() else "done", "in", server.call(3, "pwd").result()["content"][0]["text"])
    print("ended with", server.end())
