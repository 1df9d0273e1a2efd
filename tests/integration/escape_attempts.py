"""Ways out of a cell, as a table: what is tried (escape_probe.c), against which threat, and what stands in the way.

Each way must fail in a cell, and succeed in a container that is the same but for its barriers (escape_controls.py), so that none
fails for want of something that has nothing to do with security."""

from collections import namedtuple

# optional: it takes what some machines do not have for root either (a part of the kernel, a capability in a virtual machine)
Attempt = namedtuple("Attempt", "name what barriers optional", defaults=(False,))

SECCOMP, CAPS, USER, NNP, NOSUID, MASKS = "seccomp", "capabilities", "user", "no_new_privs", "nosuid", "masked paths"
SYSFS, DEVICES, ROOT, MOUNTS, LIMITS = "no /sys", "devices", "read-only root", "read-only mounts", "rlimits"
PID, NET, CGROUP, GROUPS, FILES, GUARD = ("pid namespace", "network namespace", "cgroup namespace", "read-only cgroups",
                                          "no files of the host", "PID 1 is not dumpable")

KERNEL = "Attack surface of the kernel"
RIGHTS = "Capabilities, set-uid programs, devices"
HOST = "Files, processes and settings of the host"
NETWORK = "Network and services of the host"
PLUMBING = "bashcell's own parts in the cell"

ATTEMPTS = {
    KERNEL: [
        Attempt("user-namespace", "unshare a user namespace", (SECCOMP,)),
        Attempt("clone-namespace", "clone into a user namespace", (SECCOMP,)),
        Attempt("mount-namespace", "unshare a mount namespace", (SECCOMP, CAPS)),
        Attempt("mount", "mount a tmpfs", (SECCOMP, CAPS)),
        Attempt("chroot", "chroot", (SECCOMP, CAPS)),
        Attempt("trace-child", "ptrace a process of its own", (SECCOMP,)),
        Attempt("keyctl", "use the session keyring", (SECCOMP,), True),
        Attempt("add-key", "add a key", (SECCOMP,), True),
        Attempt("bpf", "make a BPF map", (SECCOMP, CAPS), True),
        Attempt("io-uring", "set up an io_uring", (SECCOMP,), True),
        Attempt("userfaultfd", "handle page faults (userfaultfd)", (SECCOMP,), True),
        Attempt("perf", "count events of a processor (perf_event_open)", (SECCOMP, CAPS), True),
        Attempt("kexec", "load another kernel (kexec_load)", (SECCOMP, CAPS), True),
        Attempt("module", "load a kernel module", (SECCOMP, CAPS), True),
        Attempt("kernel-log", "read the kernel's log (syslog)", (SECCOMP, CAPS), True),
        Attempt("personality", "switch address randomising off", (SECCOMP,)),
        Attempt("crypto-socket", "open an AF_ALG socket", (SECCOMP,), True),
        Attempt("packet-socket", "open a packet socket", (SECCOMP, CAPS), True),
    ],
    RIGHTS: [
        Attempt("raw-socket", "open a raw IP socket", (CAPS,)),
        Attempt("mknod", "make a device node", (SECCOMP, CAPS)),
        Attempt("device", "make and open /dev/kmsg", (SECCOMP, CAPS, DEVICES)),
        Attempt("set-uid", "become root by a set-uid program", (NNP, NOSUID)),
        Attempt("core-files", "raise the limit of core files", (LIMITS,)),
        Attempt("open-files", "raise the hard limit of open files", (CAPS,), True),
        Attempt("priority", "raise its priority", (CAPS,)),
        Attempt("oom-score", "be spared when memory runs out", (CAPS,), True),
    ],
    HOST: [
        Attempt("handle", "open a file of the host by its handle (open_by_handle_at)", (SECCOMP, CAPS), True),
        Attempt("host-file", "open a file of the host by its path", (FILES,)),
        Attempt("link", "follow a link in the workspace to a file of the host", (FILES,)),
        Attempt("root-file", "read a file of root's in the workspace", (USER,)),
        Attempt("root-folder", "make a file in /", (ROOT, CAPS)),
        Attempt("host-process", "signal a process of the host with the same uid", (PID,)),
        Attempt("core-pattern", "open /proc/sys/kernel/core_pattern to write", (MASKS, USER)),
        Attempt("sysrq", "open /proc/sysrq-trigger to write", (MASKS, USER), True),
        Attempt("kcore", "open /proc/kcore", (MASKS, CAPS), True),
        Attempt("proc-keys", "list keys of all users (/proc/keys)", (MASKS,), True),
        Attempt("sys", "open a setting below /sys to write", (SYSFS, USER), True),
        Attempt("own-limits", "raise its own cgroup's limits", (GROUPS, USER)),
        Attempt("release-agent", "open a cgroup's release_agent to write", (SECCOMP, CAPS, CGROUP), True),
        Attempt("trusted-file", "write .mcp.json", (MOUNTS,)),
        Attempt("hook", "add a git hook", (MOUNTS,)),
        Attempt("move-git", "rename .git, hooks and all", (MOUNTS,)),
    ],
    NETWORK: [
        Attempt("host-loopback", "connect to a service on the host's 127.0.0.1", (NET,)),
        Attempt("abstract-socket", "connect to an abstract socket of the host", (NET,)),
    ],
    PLUMBING: [
        Attempt("pid1-memory", "open PID 1's memory to write", (GUARD,)),
        Attempt("pid1-environment", "read PID 1's environment", (GUARD,)),
        Attempt("pid1-descriptors", "read PID 1's descriptors", (GUARD,)),
        Attempt("trace-pid1", "ptrace PID 1", (SECCOMP, GUARD)),
        Attempt("read-pid1", "read PID 1's memory (process_vm_readv)", (SECCOMP, GUARD)),
        Attempt("supervisor", "open bashcell-init to write", (MOUNTS, CAPS)),
        Attempt("shelf", "put a command on the shelf", (MOUNTS, CAPS)),
    ],
}
ALL = [attempt for group in ATTEMPTS.values() for attempt in group]
