/* Ways out of a cell, one by one: escape_probe NAME... prints "NAME SUCCEEDED" or "NAME refused: WHY" for each.
 *
 * Static, so that it runs in any root. Each way is tried in a process of its own, and does no harm where it works: it
 * opens and writes nothing, or writes what was there. What it needs to know of the host is in the environment,
 * ESCAPE_*.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* True for success; else errno says why not. */
typedef int attempt(void);

static const char* given(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int can_open(const char* path, int flags) { return open(path, flags | O_CLOEXEC) >= 0; }

/* --- system calls ----------------------------------------------------------------------------------------------- */

static int mount_tmpfs(void) { return mount("none", "/tmp", "tmpfs", 0, "size=4k") == 0; }
static int new_root(void) { return chroot("/tmp") == 0; }
static int user_namespace(void) { return unshare(CLONE_NEWUSER) == 0; }
static int mount_namespace(void) { return unshare(CLONE_NEWNS) == 0; }

static int clone_user_namespace(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid > 0;
}

static int trace_child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  int done = ptrace(PTRACE_SEIZE, pid, 0, 0) == 0;
  int why = errno;
  kill(pid, SIGKILL);
  errno = why;
  return done;
}

static int trace_1(void) { return ptrace(PTRACE_SEIZE, 1, 0, 0) == 0; }

static int read_1(void) {
  char byte = 0;
  FILE* maps = fopen("/proc/1/maps", "r");
  unsigned long at = 0;
  if (!maps) return 0;
  if (fscanf(maps, "%lx", &at) != 1) return 0;
  struct iovec here = {&byte, 1}, there = {(void*)at, 1};
  return process_vm_readv(1, &here, 1, &there, 1, 0) == 1;
}

static int session_keyring(void) { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1) > 0; }
static int new_key(void) { return syscall(SYS_add_key, "user", "escape", "x", 1, KEY_SPEC_PROCESS_KEYRING) > 0; }

static int bpf_map(void) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = attributes.value_size = 4;
  attributes.max_entries = 1;
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes) >= 0;
}

static int io_uring(void) {
  struct io_uring_params parameters;
  memset(&parameters, 0, sizeof parameters);
  return syscall(SYS_io_uring_setup, 1, &parameters) >= 0;
}

static int userfaultfd(void) { return syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */) >= 0; }

static int perf_kernel(void) {
  struct perf_event_attr event;
  memset(&event, 0, sizeof event);
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  return syscall(SYS_perf_event_open, &event, -1, 0, -1, 0) >= 0; /* of a whole processor */
}

/* With arguments that no kernel takes: what counts is whether it looks at them. */
static int looked_at(long result) { return result == 0 || (errno != EPERM && errno != ENOSYS); }
static int load_kernel(void) { return looked_at(syscall(SYS_kexec_load, 0, 99999, 0, 0)); }
static int load_module(void) { return looked_at(syscall(SYS_init_module, "no module", 9, "")); }

static int kernel_log(void) {
  char text[256];
  return syscall(SYS_syslog, 3 /* SYSLOG_ACTION_READ_ALL */, text, sizeof text) > 0;
}

/* A file of the host that is in no mount of the cell, by its number alone: ESCAPE_HANDLE is "TYPE HEX". */
static int file_by_handle(void) {
  union {
    struct file_handle handle;
    char bytes[sizeof(struct file_handle) + 128];
  } room;
  int type = 0, at = 0;
  const char* text = given("ESCAPE_HANDLE");
  if (sscanf(text, "%d %n", &type, &at) != 1) return 0;
  unsigned count = 0, byte = 0;
  for (text += at; count < 128 && sscanf(text, "%2x", &byte) == 1; text += 2)
    room.handle.f_handle[count++] = (char)byte;
  room.handle.handle_type = type;
  room.handle.handle_bytes = count;
  int top = open(given("ESCAPE_TOP"), O_RDONLY | O_CLOEXEC);
  char found[64] = "";
  int file = open_by_handle_at(top, &room.handle, O_RDONLY);
  return file >= 0 && read(file, found, sizeof found - 1) > 0 && strncmp(found, "canary", 6) == 0;
}

static int make_device(void) {
  int made = mknod("/tmp/device", S_IFCHR | 0600, makedev(1, 11)) == 0;
  if (made) unlink("/tmp/device");
  return made;
}

static int use_device(void) { /* the kernel's log */
  if (mknod("/dev/escape", S_IFCHR | 0600, makedev(1, 11)) != 0) return 0;
  int done = can_open("/dev/escape", O_RDONLY | O_NONBLOCK);
  int why = errno;
  unlink("/dev/escape");
  errno = why;
  return done;
}

static int fixed_addresses(void) { return personality(ADDR_NO_RANDOMIZE) != -1; }
static int raw_socket(void) { return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0; }
static int packet_socket(void) { return socket(AF_PACKET, SOCK_RAW, 0) >= 0; }
static int crypto_socket(void) { return socket(38 /* AF_ALG */, SOCK_SEQPACKET, 0) >= 0; }

/* --- processes --------------------------------------------------------------------------------------------------- */

static int memory_of_1(void) { return can_open("/proc/1/mem", O_RDWR); }
static int environment_of_1(void) { return can_open("/proc/1/environ", O_RDONLY); }

static int descriptors_of_1(void) {
  DIR* folder = opendir("/proc/1/fd");
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    char target[256], path[300];
    snprintf(path, sizeof path, "/proc/1/fd/%s", entry->d_name);
    if (entry->d_name[0] != '.' && readlink(path, target, sizeof target) > 0) return 1;
  }
  return 0;
}

static int process_of_host(void) { return kill(atoi(given("ESCAPE_PID")), 0) == 0; }

/* A program of root's with the set-uid bit: this one, which the test has put there. */
static int become_root(void) {
  pid_t pid = fork();
  if (pid == 0) {
    execl("/workspace/set-uid", "set-uid", "--am-i-root", (char*)0);
    _exit(99);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  errno = EPERM;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int raise_limit(int what, rlim_t to) {
  struct rlimit limit = {to, to};
  return setrlimit(what, &limit) == 0;
}
static int core_files(void) { return raise_limit(RLIMIT_CORE, RLIM_INFINITY); }
static int open_files(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  return raise_limit(RLIMIT_NOFILE, limit.rlim_max + 1);
}
static int priority(void) { return setpriority(PRIO_PROCESS, 0, -5) == 0; }
static int spared_from_memory_killer(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  return fd >= 0 && write(fd, "-1000", 5) == 5;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static int core_pattern(void) { return can_open("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int sysrq(void) { return can_open("/proc/sysrq-trigger", O_WRONLY); }
static int kernel_memory(void) { return can_open("/proc/kcore", O_RDONLY); }
static int keys_of_all(void) {
  char byte;
  int fd = open("/proc/keys", O_RDONLY | O_CLOEXEC);
  return fd >= 0 && read(fd, &byte, 1) == 1;
}
static int kernel_setting(void) { return can_open("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY); }
static int own_limits(void) {
  char line[512], group[400], path[500];
  FILE* groups = fopen("/proc/self/cgroup", "r");
  while (groups && fgets(line, sizeof line, groups)) {
    if (sscanf(line, "0::%399s", group) == 1) {
      snprintf(path, sizeof path, "/sys/fs/cgroup%s/pids.max", group);
    } else if (sscanf(line, "%*d:pids:%399s", group) == 1) {
      snprintf(path, sizeof path, "/sys/fs/cgroup/pids%s/pids.max", group);
    } else {
      continue;
    }
    if (can_open(path, O_WRONLY)) return 1;
    if (errno != ENOENT) return 0;
  }
  return 0;
}

/* The program that the kernel runs on the host when a control group of v1 is empty. */
static int release_agent(void) {
  char line[512], controllers[256];
  FILE* groups = fopen("/proc/self/cgroup", "r");
  mkdir("/tmp/groups", 0700);
  while (groups && fgets(line, sizeof line, groups)) {
    if (sscanf(line, "%*d:%255[^:]:", controllers) != 1 || strncmp(controllers, "name=", 5) == 0) continue;
    if (mount("cgroup", "/tmp/groups", "cgroup", 0, controllers) != 0) continue;
    int done = can_open("/tmp/groups/release_agent", O_WRONLY);
    int why = errno;
    umount("/tmp/groups");
    errno = why;
    return done;
  }
  return 0;
}

static int file_of_host(void) { return can_open(given("ESCAPE_FILE"), O_RDONLY); }
static int link_to_host(void) { return can_open("/workspace/link", O_RDONLY); }
static int file_of_root(void) { return can_open("/workspace/of-root", O_RDONLY); }
static int file_in_root(void) { return open("/escape", O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0; }
static int supervisor(void) { /* which may well run: then the kernel has looked at the rights before it says so */
  return can_open("/run/cell/bashcell-init", O_WRONLY) || errno == ETXTBSY;
}
static int shelf(void) { return open("/run/cell/shelf/bin/escape", O_CREAT | O_WRONLY | O_CLOEXEC, 0700) >= 0; }
static int trusted_file(void) { return can_open("/workspace/.mcp.json", O_WRONLY); }
static int hook(void) { return open("/workspace/.git/hooks/escape", O_CREAT | O_WRONLY | O_CLOEXEC, 0700) >= 0; }
static int move_git(void) {
  int moved = rename("/workspace/.git", "/workspace/.moved") == 0;
  if (moved) rename("/workspace/.moved", "/workspace/.git");
  return moved;
}

/* --- network ----------------------------------------------------------------------------------------------------- */

static int loopback_of_host(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(given("ESCAPE_PORT")))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return connect(fd, (struct sockaddr*)&address, sizeof address) == 0;
}

static int abstract_socket(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char* name = given("ESCAPE_SOCKET");
  size_t length = strnlen(name, sizeof address.sun_path - 2);
  memcpy(address.sun_path + 1, name, length);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return connect(fd, (struct sockaddr*)&address, (socklen_t)(sizeof address.sun_family + 1 + length)) == 0;
}

// clang-format off
static const struct {
  const char *name;
  attempt *run;
} kAttempts[] = {
    {"mount", mount_tmpfs}, {"chroot", new_root}, {"user-namespace", user_namespace},
    {"mount-namespace", mount_namespace}, {"clone-namespace", clone_user_namespace}, {"trace-child", trace_child},
    {"trace-pid1", trace_1}, {"read-pid1", read_1}, {"keyctl", session_keyring}, {"add-key", new_key},
    {"bpf", bpf_map}, {"io-uring", io_uring}, {"userfaultfd", userfaultfd}, {"perf", perf_kernel},
    {"kexec", load_kernel}, {"module", load_module}, {"kernel-log", kernel_log}, {"handle", file_by_handle},
    {"mknod", make_device}, {"device", use_device}, {"personality", fixed_addresses}, {"raw-socket", raw_socket},
    {"packet-socket", packet_socket}, {"crypto-socket", crypto_socket}, {"pid1-memory", memory_of_1},
    {"pid1-environment", environment_of_1}, {"pid1-descriptors", descriptors_of_1},
    {"host-process", process_of_host}, {"set-uid", become_root}, {"core-files", core_files},
    {"open-files", open_files}, {"priority", priority}, {"oom-score", spared_from_memory_killer},
    {"core-pattern", core_pattern}, {"sysrq", sysrq}, {"kcore", kernel_memory}, {"proc-keys", keys_of_all},
    {"sys", kernel_setting}, {"own-limits", own_limits}, {"release-agent", release_agent},
    {"host-file", file_of_host}, {"link", link_to_host}, {"root-file", file_of_root}, {"root-folder", file_in_root},
    {"supervisor", supervisor}, {"shelf", shelf}, {"trusted-file", trusted_file}, {"hook", hook},
    {"move-git", move_git}, {"host-loopback", loopback_of_host}, {"abstract-socket", abstract_socket},
};
// clang-format on

static void try_one(const char* name, attempt* run) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    errno = 0;
    if (run()) {
      printf("%s SUCCEEDED\n", name);
    } else {
      printf("%s refused: %s\n", name, errno ? strerrorname_np(errno) : "empty");
    }
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status)) printf("%s refused: killed\n", name);
}

int main(int count, char** names) {
  if (count == 2 && strcmp(names[1], "--am-i-root") == 0) return geteuid() == 0 ? 0 : 1;
  for (int i = 1; i < count; ++i) {
    size_t at = 0;
    while (at < sizeof kAttempts / sizeof *kAttempts && strcmp(kAttempts[at].name, names[i]) != 0) ++at;
    if (at == sizeof kAttempts / sizeof *kAttempts) {
      printf("%s unknown\n", names[i]);
      return 2;
    }
    try_one(kAttempts[at].name, kAttempts[at].run);
  }
  return 0;
}
