"""What holds after every case (shared/cases/README.md), whatever the case was about."""

import time

from checks import check, same, shown
from processes import descriptors

SANITIZER_MARKS = ("ERROR: AddressSanitizer", "runtime error:", "ERROR: LeakSanitizer", "Assertion")
NOTIFICATIONS = ("notifications/progress", "notifications/message")


def check_books(server):
    """Each id answered exactly once, a cancelled one never, and nothing on stdout that was not asked for."""
    output = server.output
    same(output.faults, [], "faults of stdout")
    for key in output.keys():
        check(key in server.owed, f"an answer to {key}, which was never asked: {shown(output.count(key))}")
    for key, (least, most) in server.owed.items():
        count = output.count(key)
        check(least <= count <= most, f"id {key} answered {count} times, expected {least}..{most}")
    same(output.null_errors, [], "errors without an id that the case did not expect")
    allowed = NOTIFICATIONS + (("notifications/cancelled",) if output.on_request else ())  # of a request that it gave up
    for _, message in output.notifications:
        check(message["method"] in allowed, f"unexpected notification {shown(message)}")
    errors = server.stderr()
    for mark in SANITIZER_MARKS:
        check(mark not in errors, f"{mark} on stderr: {errors[-4000:]}")


def check_alive(server):
    reply = server.call("echo alive-$((40+2))")
    reply.ok("alive-42", within=3)


def zombies(server):
    return [member for member in server.members() if member.state == "Z"]


def check_at_rest(server):
    """No zombies, no more descriptors than a server that has done one call, exactly one cell in /proc and in the engine."""
    server.wait_until(lambda: not zombies(server), 2, lambda: f"zombies: {zombies(server)}")
    most = server.bench.resting_descriptors() + server.extra_descriptors
    server.wait_until(lambda: len(descriptors(server.pid)) <= most, 2,
                      lambda: f"more than {most} descriptors: {descriptors(server.pid)}")
    server.init()
    server.wait_until(lambda: len(server.probe.containers(server.owner)) == 1, 2,
                      lambda: f"expected one cell in the engine, there are {server.probe.containers(server.owner)}")


def settle(server):
    """The server is up: all that is owed has come, the next call works, and everything is at rest."""
    deadline = time.monotonic() + 30 * server.slowness
    server.output.wait(lambda: all(server.output.count(key) >= book[0] for key, book in server.owed.items()), deadline)
    if server.checks_alive:
        check_alive(server)
        check_at_rest(server)
    else:
        server.ping()
    check_books(server)


def check_gone(server, seconds=2):
    """Nothing is left of an ended server: no process of its cell, nothing in the engine."""
    server.wait_until(lambda: not server.cells(), seconds, lambda: f"the cell outlives its server: {server.cells()}")
    probe = server.probe
    server.wait_until(lambda: not probe.containers(server.owner), seconds,
                      lambda: f"left in the engine: {probe.state(server.owner)} {probe.cgroups(server.owner)}")


def finish(server):
    """Ends the server as clients do, unless the case has, and asserts that nothing is left of it."""
    if server.returncode is None:
        settle(server)
        server.close_input()
        same(server.wait_exit(), 0, f"exit code at the end of input (stderr {shown(server.stderr())})")
        check_gone(server)
        check_books(server)
