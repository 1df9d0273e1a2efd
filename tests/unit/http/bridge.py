"""What `ssh HOST docker system dial-stdio` is to bashcell: joins stdin and stdout with a Unix socket."""
import os
import select
import socket
import sys

server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
ways = {0: server.fileno(), server.fileno(): 1}
while ways:
    for source in select.select(list(ways), [], [])[0]:
        data = os.read(source, 65536)
        if not data:  # one way ended; the end of the server's ends it all
            if source != 0:
                sys.exit(0)
            del ways[0]
            server.shutdown(socket.SHUT_WR)
            continue
        while data:
            data = data[os.write(ways[source], data):]
