"""CANCEL: notifications/cancelled. A cancelled call is never answered (the harness counts), and its tree dies."""

import json
import os
import random
import time

from checks import check, lacks, same
from output import key_of
from registry import case


def cancel_line(identifier):
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identifier}})


def at_most_one_each(t, identifiers):
    """A cancel that races with the end of a call: 0 or 1 answers."""
    for identifier in identifiers:
        t.server.owed[key_of(identifier)] = [0, 1]


@case("C23")
def the_process_is_killed(t):
    t.call("true").ok("")
    t.remember_jobs()
    call = t.start_call("echo begin; sleep 120", id=1)
    t.wait_for("sleep 120")
    t.cancel(call, "user")
    t.call("pgrep -x sleep | wc -l", seconds=5, id=2)
    t.expect_killed(2)
    t.call("pgrep -x sleep | wc -l").ok("0")


@case("C23.a")
def a_stubborn_detached_tree_dies_and_a_job_lives(t):
    t.call("sleep 778 & echo job").ok("job")
    t.remember_jobs()
    call = t.start_call("trap '' TERM; setsid bash -c \"trap '' TERM; sleep 121; sleep 122\" & disown; "
                        "cat /dev/zero > /dev/null")
    t.wait_for("sleep 121")
    t.wait_for("cat /dev/zero")
    t.cancel(call)
    t.expect_killed(2)
    t.call("pgrep -x 'sleep|cat' -a").ok(has_=("sleep 778",), lacks_=("121", "122", "zero"))


@case("C23.b", "--parallel", "1")
def a_call_that_only_waits_never_runs(t):
    t.call("true").ok("")
    first = t.start_call("sleep 2; echo first")
    t.wait_for("sleep 2")
    second = t.start_call("touch /workspace/ran")
    t.cancel(second)
    third = t.start_call("echo third")
    t.finish_call(first).ok("first")
    t.finish_call(third).ok("third")
    check(not os.path.exists(os.path.join(t.server.workspace, "ran")), "the cancelled call has run")


@case("C24")
def races_with_completion(t):
    t.call("true").ok("")
    ids = range(1, 201)
    at_most_one_each(t, ids)
    for identifier in ids:
        t.send_bytes(t.call_line("true", identifier) + "\n" + cancel_line(identifier) + "\n")
    t.raw('{"jsonrpc":"2.0","id":"after","method":"ping"}')
    same(t.answer("after", 10).get("result"), {}, "ping after the race")
    check(t.process.poll() is None, "the server has ended")


@case("C24.a")
def races_at_random_instants(t):
    t.call("true").ok("")
    chance = random.Random(24)
    spin = t.server.output
    for identifier in range(1, 101):
        at_most_one_each(t, [identifier])
        t.send_bytes(t.call_line(f"echo x{identifier}", identifier) + "\n")
        # Whether the answer or this instant comes first is what varies.
        spin.wait(lambda: spin.count(str(identifier)) > 0, time.monotonic() + chance.uniform(0, 0.008))
        t.send_bytes(cancel_line(identifier) + "\n")
    answered = [i for i in range(1, 101) if t.output.answers(i)]
    for identifier in answered:
        text = t.output.answers(identifier)[0][1]["result"]["content"][0]["text"]
        same(text.strip(), f"x{identifier}", f"text of call {identifier}")
    t.ping()


@case("C24.b")
def twice_and_in_the_middle_of_a_flood(t):
    t.call("true").ok("")
    t.remember_jobs()
    for identifier in range(1, 13):
        at_most_one_each(t, [identifier])
        t.send_bytes(t.call_line("seq 1 300000; yes", identifier) + "\n")
        t.ping()
        t.send_bytes(cancel_line(identifier) + "\n" + cancel_line(identifier) + "\n")
        t.ping()
    t.expect_killed(4)
    t.wait_until(lambda: not t.find("yes"), 2, "floods left")  # the last one may just have begun
    t.call("echo quiet").ok("quiet")


@case("C25")
def unknown_malformed_and_other_typed(t):
    for params in ({"requestId": 999}, {}, None, {"requestId": {"a": 1}}):
        t.notify("notifications/cancelled", params)
    t.ping()
    same(t.output.null_errors, [], "answers to malformed cancels")
    call = t.start_call("sleep 1; echo seven", id=7)
    t.notify("notifications/cancelled", {"requestId": "7"})
    t.finish_call(call).ok("seven")


@case("C25.a")
def a_finished_id_does_not_hit_the_running_call(t):
    t.call("echo five", id=5).ok("five")
    running = t.start_call("sleep 1; echo six", id=6)
    t.wait_for("sleep 1")
    t.notify("notifications/cancelled", {"requestId": 5})
    t.notify("notifications/cancelled", {"requestId": 0})
    t.finish_call(running).ok("six", exit=0)
    t.notify("notifications/cancelled", {"requestId": 6})
    t.call("echo seven").ok("seven")


@case("C25.b")
def strange_ids(t):
    text = t.start_call("sleep 1; echo text", id="7")
    t.wait_for("sleep 1")
    for identifier in (7, 7.0, None, True, [7], "", "07", -7, 2**63, 1e300):
        t.notify("notifications/cancelled", {"requestId": identifier})
    t.notify("notifications/cancelled", ["7"])
    t.send_bytes('{"jsonrpc":"2.0","method":"notifications/cancelled","params":"7"}\n')
    t.finish_call(text).ok("text")
    # Malformed notifications may be refused with null-id errors by some; here they must be ignored.
    same(t.output.null_errors, [], "answers to strange cancels")
    lacks(t.stderr(), "terminate called")
