"""Servers of the tests' own, for cells to reach or not to reach. Both are used in a `with` statement."""

import http.server
import socket
import threading


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"reached\n")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """An HTTP server of this machine, used in a `with` statement."""

    daemon_threads = True

    def __init__(self, address):
        super().__init__((address, 0), Answers)
        self.port = self.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class NameServer:
    """At port 53 of `at`. Answers every question for an IPv4 address with `address`."""

    def __init__(self, at, address):
        self.address = address
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((at, 53))

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.socket.close()

    def serve(self):
        while True:
            try:
                question, sender = self.socket.recvfrom(4096)
                wants_v4 = b"\0\x01\0\x01" in question
                end = question.index(b"\0", 12) + 5
                answer = question[:2] + b"\x81\x80\0\x01" + (b"\0\x01" if wants_v4 else b"\0\0") + b"\0\0\0\0" + question[12:end]
                if wants_v4:
                    answer += b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04" + socket.inet_aton(self.address)
                self.socket.sendto(answer, sender)
            except (OSError, ValueError):
                if self.socket.fileno() < 0:
                    return
