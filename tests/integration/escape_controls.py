"""Containers that are a cell but for some of its barriers: the very configuration that bashcell gave to the runtime or the engine, with
these taken away and a script in the supervisor's place."""

import copy
import json
import os
import re
import shutil
import subprocess

from checks import check
from escape_attempts import (CAPS, CGROUP, DEVICES, FILES, GROUPS, GUARD, LIMITS, MASKS, MOUNTS, NET, NNP, NOSUID, PID, ROOT, SECCOMP,
                             SYSFS, USER)
from processes import read_text

# In the kernel's order.
CAPABILITIES = ["CAP_" + name for name in (
    "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST "
    "NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE "
    "SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM "
    "BLOCK_SUSPEND AUDIT_READ").split()]
HELD = int(re.search(r"^CapBnd:\s*(\w+)", read_text("/proc/self/status"), re.M)[1], 16)  # more nobody here can give
CAPABILITIES = [name for number, name in enumerate(CAPABILITIES) if HELD >> number & 1]
IS_OURS = ("/workspace", "/run/cell")  # mount points


class WatchedRuntime:
    """The runtime that cells of this machine have, by a program of the same name that keeps a copy of the bundle before it is gone."""

    def __init__(self, t):
        first = t.start()
        first.call("true").ok("")
        self.program = t.probe.runtime_command(t.probe.container(first.owner))[0]
        self.bundle, self.path = os.path.join(t.folder, "bundle"), os.path.join(t.folder, self.program)
        with open(self.path, "w") as file:
            file.write(f"""#!/bin/sh
last=
for argument; do
  [ "$last" != --bundle ] || cp -a "$argument" {self.bundle}
  last="$argument"
done
exec {shutil.which(self.program)} "$@"
""")
        os.chmod(self.path, 0o755)


class OciControl:
    """`facts` of the test: the folder of the host that FILES opens."""

    def __init__(self, t, server, runtime, facts):
        self.t, self.facts, self.count = t, facts, 0
        self.name = t.probe.container(server.owner)
        self.bundle, self.program = runtime.bundle, runtime.program
        self.config = json.loads(read_text(os.path.join(self.bundle, "config.json")))
        # A root of our own, since some controls write into it.
        self.root = os.path.join(t.folder, "root")
        subprocess.run(["cp", "-a", self.config["root"]["path"], self.root], check=True)

    def without(self, config, barrier):
        linux, process = config["linux"], config["process"]
        ours = [m for m in config["mounts"] if m["destination"].startswith(IS_OURS)]
        spaces = {PID: "pid", NET: "network", CGROUP: "cgroup"}
        if barrier in spaces:
            linux["namespaces"] = [n for n in linux["namespaces"] if n["type"] != spaces[barrier]]
        elif barrier == SECCOMP:
            del linux["seccomp"]
        elif barrier == CAPS:
            process["user"].update(uid=0, gid=0)
            process["capabilities"] = {kind: CAPABILITIES for kind in process["capabilities"]}
        elif barrier == USER:
            process["user"].update(uid=0, gid=0)
        elif barrier == NNP:
            process["noNewPrivileges"] = False
        elif barrier in (NOSUID, MOUNTS):
            dropped = {"nosuid", "rnosuid"} if barrier == NOSUID else {"ro", "rro"}
            for mount in ours:
                mount["options"] = [option for option in mount["options"] if option not in dropped]
            if barrier == MOUNTS:
                config["mounts"] = [m for m in config["mounts"] if not m["destination"].startswith("/workspace/")]
        elif barrier == MASKS:
            linux["maskedPaths"], linux["readonlyPaths"] = [], []
        elif barrier == SYSFS:
            at = next(i for i, m in enumerate(config["mounts"]) if m["destination"] == "/sys/fs/cgroup")
            config["mounts"].insert(at, {"destination": "/sys", "type": "bind", "source": "/sys", "options": ["rbind", "rw"]})
        elif barrier == GROUPS:
            mount = next(m for m in config["mounts"] if m["destination"] == "/sys/fs/cgroup")
            mount["options"].remove("ro")
            linux["readonlyPaths"].remove("/sys/fs/cgroup")
        elif barrier == DEVICES:
            linux["resources"]["devices"] = [{"allow": True, "access": "rwm"}]
        elif barrier == ROOT:
            config["root"]["readonly"] = False
        elif barrier == LIMITS:
            process["rlimits"] = []
        elif barrier == FILES:
            config["mounts"].append({"destination": self.facts.secret, "type": "bind", "source": self.facts.secret,
                                     "options": ["bind", "ro"]})
        else:
            check(barrier == GUARD, f"no way to do without {barrier}")  # the script is PID 1, and guards nothing

    def run(self, script, barriers):
        config = copy.deepcopy(self.config)
        config["root"]["path"] = self.root
        config["process"]["args"] = ["/bin/bash", "-c", script]
        self.count += 1
        name = f"escape-{os.getpid()}-{self.count}"
        if "cgroupsPath" in config["linux"]:
            config["linux"]["cgroupsPath"] = config["linux"]["cgroupsPath"].replace(self.name, name)
        for barrier in barriers:
            self.without(config, barrier)
        bundle = os.path.join(self.t.folder, name)
        shutil.copytree(self.bundle, bundle)
        with open(os.path.join(bundle, "config.json"), "w") as file:
            json.dump(config, file)
        command = [self.program, "--root", os.path.join(self.t.folder, "state")]
        run = subprocess.run([*command, "run", "--bundle", bundle, name], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=60 * self.t.bench.slowness)
        return run.stdout + run.stderr


class ApiControl:
    """`body`: what bashcell asked POST /containers/create for."""

    def __init__(self, t, body, facts):
        self.t, self.api, self.body, self.facts, self.count = t, t.probe.api, body, facts, 0
        self.podman = t.bench.engine == "podman"

    def without(self, body, barrier):
        host = body["HostConfig"]
        spaces = {PID: "PidMode", NET: "NetworkMode", CGROUP: "CgroupnsMode"}
        security = host["SecurityOpt"]
        if barrier in spaces:
            host[spaces[barrier]] = "host"
            if barrier == NET:
                host.pop("ExtraHosts", None)
        elif barrier == SECCOMP:
            security[:] = [option for option in security if not option.startswith("seccomp=")] + ["seccomp=unconfined"]
        elif barrier == CAPS:
            body["User"] = "0:0"
            host.pop("CapDrop")
            host["CapAdd"] = CAPABILITIES
        elif barrier == USER:
            body["User"] = "0:0"
        elif barrier == NNP:
            security[:] = [option for option in security if not option.startswith("no-new-priv")]
        elif barrier == MOUNTS:
            host["Mounts"] = [m for m in host["Mounts"] if not m["Target"].startswith("/workspace/")]
            for mount in host["Mounts"]:
                mount["ReadOnly"] = False
        elif barrier == MASKS:
            if self.podman:
                security.append("unmask=ALL")
            else:
                host["MaskedPaths"], host["ReadonlyPaths"] = [], []
        elif barrier in (SYSFS, GROUPS):
            path = "/sys" if barrier == SYSFS else "/sys/fs/cgroup"
            host.setdefault("Binds", []).append(f"{path}:{path}:rw")
            host["CgroupnsMode"] = "host"
        elif barrier == DEVICES:
            host["Devices"] = [{"PathOnHost": "/dev/kmsg", "PathInContainer": "/dev/kmsg", "CgroupPermissions": "rwm"}]
        elif barrier == ROOT:
            host["ReadonlyRootfs"] = False
        elif barrier == LIMITS:
            next(limit for limit in host["Ulimits"] if limit["Name"] == "core").update(Soft=-1, Hard=-1)
        elif barrier == FILES:
            host.setdefault("Binds", []).append(f"{self.facts.secret}:{self.facts.secret}:ro")
        else:
            check(barrier in (GUARD, NOSUID), f"no way to do without {barrier}")  # an engine's bind mounts are not nosuid

    def run(self, script, barriers):
        body = copy.deepcopy(self.body)
        for barrier in barriers:
            self.without(body, barrier)
        host = body["HostConfig"]
        host["Mounts"] = [m for m in host["Mounts"] if m["Target"] != "/run/cell/control"]
        host["AutoRemove"] = False
        body.update(Entrypoint=["/bin/bash", "-c", script], Cmd=[], OpenStdin=False, StdinOnce=False, AttachStdin=False, Labels={})
        return self.run_body(body)

    def run_plain(self, script):
        """As `docker run -u root -v WORKSPACE:/workspace IMAGE` does: everything else is the engine's default."""
        return self.run_body({"Image": self.body["Image"], "User": "0:0", "Entrypoint": ["/bin/bash", "-c", script], "Env": self.body["Env"],
                              "HostConfig": {"Binds": [f"{self.facts.workspace}:/workspace"]}})

    def run_body(self, body):
        self.count += 1
        name = f"escape-{os.getpid()}-{self.count}"
        made = self.api.ask("POST", f"/containers/create?name={name}", json.dumps(body), headers={"Content-Type": "application/json"})
        try:
            self.api.act(made["Id"], "start")
            self.api.act(made["Id"], "wait")
            return json.dumps(self.api.inspect(made["Id"])["State"])
        finally:
            self.api.remove(made["Id"])
