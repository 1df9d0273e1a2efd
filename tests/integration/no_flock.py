#!/usr/bin/env python3
"""Runs a program for which no file system has locks: no_flock.py ENOLCK any|exclusive PROGRAM ARGUMENT…

The kernel itself answers each flock(2) of it and of what it starts with that error, or each that asks for a lock for itself
alone, as that of a network file system does whose server knows none.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

SET_SECCOMP, SET_NO_NEW_PRIVS, FILTER = 22, 38, 2  # of prctl(2)
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # of classic BPF
FLOCK = {"x86_64": 73, "aarch64": 32}
ANSWER_WITH, ALLOW = 0x00050000, 0x7FFF0000
EXCLUSIVE = 2 | 4  # LOCK_EX | LOCK_NB


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def refuse_flock(problem, operations):
    # The number of the system call, and its second argument's lower half.
    steps = [(LOAD, 0, 0, 0), (IF_EQUAL, 0, 3, FLOCK[platform.machine()]), (LOAD, 0, 0, 24),
             (IF_EQUAL, 0, 1, EXCLUSIVE) if operations == "exclusive" else (IF_EQUAL, 0, 0, 0),
             (RETURN, 0, 0, ANSWER_WITH | problem), (RETURN, 0, 0, ALLOW)]
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(steps), b"".join(struct.pack("HBBI", *step) for step in steps))
    if libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    refuse_flock(getattr(errno, sys.argv[1]), sys.argv[2])
    os.execv(sys.argv[3], sys.argv[3:])
