"""A TLS server on a free port of loopback, which it prints: tls_server.py CERTIFICATE KEY [CLIENTS_AUTHORITY].

It answers requests with "tls", and echoes after an upgrade. Without CERTIFICATE and KEY ("-") it speaks no TLS. It ends
when its stdin does.
"""
import os
import socket
import ssl
import sys
import threading

UPGRADED = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntls"


def serve(connection, context):
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        received = b""
        while True:
            data = connection.recv(65536)
            if not data:
                return
            received += data
            if not received[:1].isalpha():  # a handshake, for example
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                return
            while b"\r\n\r\n" in received:
                request, received = received.split(b"\r\n\r\n", 1)
                if b"Upgrade: tcp" in request:
                    connection.sendall(UPGRADED + received)
                    while data := connection.recv(65536):
                        connection.sendall(data)
                    return
                connection.sendall(ANSWER)
    except OSError:
        pass
    finally:
        connection.close()


def main():
    certificate, key, authority = (sys.argv[1:] + [""])[:3]
    context = None
    if certificate != "-":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        if authority:
            context.load_verify_locations(authority)
            context.verify_mode = ssl.CERT_REQUIRED
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept_all():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, context), daemon=True).start()

    threading.Thread(target=accept_all, daemon=True).start()
    sys.stdin.buffer.read()
    os._exit(0)


main()
