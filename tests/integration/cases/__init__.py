"""All cases, a file a kind: importing this package registers them."""

from cases import (bgfd, stdin_, kill, cancel, state, state_shell, parse, output_, output_escapes, output_filters, exit_, limit, fs,  # noqa: F401
                   env, runtime, runtime_kill, runtime_engine, runtime_setup, heal, levels, share, shelf, heal_repair, proto, proto_calls, stdio, sec, protect)
