#include "heal/nearest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

#include "heal/advice.h"

namespace bashcell::heal {

namespace {

struct Advice {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kNoPip = "no pip here: just import the module, known ones are installed then";
constexpr std::string_view kNoEditor = "no editor and no terminal here: write files with cat <<'EOF' or sed -i";
constexpr std::string_view kTooLarge = "too large to be installed in this cell";
constexpr std::string_view kNoTracing = "no process may be traced in a cell";
constexpr std::string_view kIsPython3 = "python is called python3 here";

constexpr Advice kCommands[] = {
    // Other names of what is there.
    {"python", kIsPython3},
    {"python2", kIsPython3},
    {"python2.7", kIsPython3},
    {"py", kIsPython3},
    {"pip", kNoPip},
    {"pip2", kNoPip},
    {"pip3", kNoPip},
    {"uv", kNoPip},
    {"conda", kNoPip},
    {"poetry", kNoPip},
    {"easy_install", kNoPip},
    {"node", "use python3"},
    {"nodejs", "use python3"},
    {"npm", kNoNodePackages},
    {"npx", kNoNodePackages},
    {"yarn", kNoNodePackages},
    {"pnpm", kNoNodePackages},
    {"ll", "ll is ls -l"},
    {"la", "la is ls -A"},
    {"l", "l is ls -CF"},
    {"dir", "use ls"},
    {"cls", "use clear"},
    {"gsed", "gsed is called sed here"},
    {"gawk", "use awk"},
    {"gnused", "use sed"},
    {"ggrep", "ggrep is called grep here"},
    {"gfind", "gfind is called find here"},
    {"gxargs", "gxargs is called xargs here"},
    {"gdate", "gdate is called date here"},
    {"gtar", "gtar is called tar here"},
    {"gcp", "gcp is called cp here"},
    {"gls", "gls is called ls here"},
    {"gsort", "gsort is called sort here"},
    {"ghead", "ghead is called head here"},
    {"gstat", "gstat is called stat here"},
    {"gtimeout", "gtimeout is called timeout here"},
    {"greadlink", "greadlink is called readlink here"},
    {"gshuf", "gshuf is called shuf here"},
    {"gsplit", "gsplit is called split here"},
    {"md5", "md5 is called md5sum here"},
    {"sha1", "use sha1sum"},
    {"sha256", "use sha256sum"},
    {"shasum", "use sha256sum (or sha1sum)"},
    {"jot", "use seq"},
    {"gzcat", "gzcat is called zcat here"},
    {"magick", "ImageMagick 6 here: call convert, identify or mogrify"},
    // Near things, for when the tool itself cannot be had.
    {"rg", "grep -rnE does nearly the same"},
    {"ag", "grep -rnE does nearly the same"},
    {"ack", "grep -rnE does nearly the same"},
    {"fd", "find . -name does nearly the same"},
    {"fdfind", "find . -name does nearly the same"},
    {"bat", "use cat -n"},
    {"batcat", "use cat -n"},
    {"exa", "use ls -la"},
    {"eza", "use ls -la"},
    {"lsd", "use ls -la"},
    {"tree", "find . -print lists the same"},
    {"sd", "use sed"},
    {"dust", "use du -sh * | sort -h"},
    {"duf", "use df -h"},
    {"procs", "use ps aux"},
    {"htop", "no terminal here: use ps aux --sort=-%cpu"},
    {"tldr", "use --help"},
    {"locate", "use find / -name"},
    {"mlocate", "use find / -name"},
    {"jq", "python3 -m json.tool, or python3 -c with json"},
    {"yq", "python3 with yaml"},
    {"bc", "echo $((...)), awk or python3 -c"},
    {"dc", "echo $((...)), awk or python3 -c"},
    {"xxd", "use od -An -tx1"},
    {"hexdump", "use od -An -tx1"},
    {"hd", "use od -An -tx1"},
    {"column", "use awk with printf"},
    {"netstat", "no network in this cell; /proc/net/tcp has its sockets"},
    {"ss", "no network in this cell; /proc/net/tcp has its sockets"},
    {"ifconfig", "no network in this cell"},
    {"ping", "no network in this cell"},
    {"traceroute", "no network in this cell"},
    {"ssh", "no network in this cell"},
    {"unzip", "python3 -m zipfile -e FILE FOLDER"},
    {"zip", "python3 -m zipfile -c FILE ..."},
    {"sqlite3", "python3 -c with sqlite3"},
    {"file", "head -c 16 FILE | od -c"},
    {"which", "use command -v"},
    {"whereis", "use command -v"},
    {"sponge", "write to a file of another name, then mv"},
    {"xmllint", "python3 -c with xml.etree"},
    {"parallel", "use xargs -P"},
    {"realpath", "use readlink -f"},
    {"xsv", "no xsv in Debian: csvcut, csvgrep, csvsort, csvstat and mlr are installed by calling them"},
    {"qsv", "no qsv in Debian: csvcut, csvgrep, csvsort, csvstat and mlr are installed by calling them"},
    {"bun", "use node"},
    {"deno", "use node"},
    {"ts-node", kNoNodePackages},
    {"mysql", "no database server in this cell; sqlite3 needs none"},
    {"clear", "no terminal here, nothing to clear"},
    {"reset", "no terminal here, nothing to reset"},
    // What a cell cannot have.
    {"sudo", kNoRoot},
    {"su", kNoRoot},
    {"doas", kNoRoot},
    {"apt", kNoRoot},
    {"apt-get", kNoRoot},
    {"aptitude", kNoRoot},
    {"apt-cache", kNoRoot},
    {"dpkg", kNoRoot},
    {"snap", kNoRoot},
    {"dnf", kNoRoot},
    {"yum", kNoRoot},
    {"rpm", kNoRoot},
    {"pacman", kNoRoot},
    {"zypper", kNoRoot},
    {"apk", kNoRoot},
    {"brew", kNoRoot},
    {"port", kNoRoot},
    {"useradd", kNoRoot},
    {"adduser", kNoRoot},
    {"strace", kNoTracing},
    {"ltrace", kNoTracing},
    {"gdb", kNoTracing},
    {"systemctl", kNoServices},
    {"service", kNoServices},
    {"journalctl", kNoServices},
    {"launchctl", kNoServices},
    {"docker", kNoContainers},
    {"docker-compose", kNoContainers},
    {"podman", kNoContainers},
    {"kubectl", kNoContainers},
    {"ffmpeg", "ffmpeg is too large to install here: python3 with cv2 reads videos"},
    {"ffprobe", "ffmpeg is too large to install here: python3 with cv2 reads videos"},
    {"go", kTooLarge},
    {"gofmt", kTooLarge},
    {"cargo", kTooLarge},
    {"rustc", kTooLarge},
    {"java", kTooLarge},
    {"javac", kTooLarge},
    {"mvn", kTooLarge},
    {"gradle", kTooLarge},
    {"ghc", kTooLarge},
    {"clang", "use gcc"},
    {"clang++", "use g++"},
    {"R", kTooLarge},
    {"Rscript", kTooLarge},
    {"octave", "python3 with numpy and scipy"},
    {"dotnet", kTooLarge},
    {"nano", kNoEditor},
    {"vi", kNoEditor},
    {"vim", kNoEditor},
    {"nvim", kNoEditor},
    {"emacs", kNoEditor},
    {"code", kNoEditor},
    {"open", kNoDisplay},
    {"xdg-open", kNoDisplay},
    {"start", kNoDisplay},
    {"explorer.exe", kNoDisplay},
    {"firefox", kNoDisplay},
    {"google-chrome", kNoDisplay},
    {"pbcopy", "no clipboard in this cell: write to a file"},
    {"pbpaste", "no clipboard in this cell: read from a file"},
    {"xclip", "no clipboard in this cell: write to a file"},
    {"xsel", "no clipboard in this cell: write to a file"},
    {"clip.exe", "no clipboard in this cell: write to a file"},
    {"say", "no sound in this cell"},
    {"sw_vers", "this is Linux: cat /etc/os-release"},
    {"defaults", "this is Linux, not macOS"},
    {"osascript", "this is Linux, not macOS"},
    {"ipconfig", "this is Linux, and without a network"},
    {"powershell", "this is bash on Linux"},
    {"pwsh", "this is bash on Linux"},
    {"cmd.exe", "this is bash on Linux"},
    {"module", "no environment modules here: programs are on PATH"},
    {"source", "sh is not bash: use . FILE, or run it with bash"},
    {"pushd", "sh is not bash: run it with bash"},
    {"popd", "sh is not bash: run it with bash"},
    {"shopt", "sh is not bash: run it with bash"},
    {"declare", "sh is not bash: run it with bash"},
    {"mapfile", "sh is not bash: run it with bash"},
};

constexpr Advice kModules[] = {
    {"pip", kNoPip},
    {"setuptools", kNoPip},
    {"venv", kNoPip},
    {"ensurepip", kNoPip},
    {"tkinter", kNoDisplay},
    {"_tkinter", kNoDisplay},
    {"Tkinter", kNoDisplay},
    {"turtle", kNoDisplay},
    {"urllib2", "python 2's urllib2 is urllib.request in python 3"},
    {"urlparse", "python 2's urlparse is urllib.parse in python 3"},
    {"httplib", "python 2's httplib is http.client in python 3"},
    {"ConfigParser", "python 2's ConfigParser is configparser in python 3"},
    {"Queue", "python 2's Queue is queue in python 3"},
    {"StringIO", "python 2's StringIO is io.StringIO in python 3"},
    {"cStringIO", "python 2's cStringIO is io.StringIO in python 3"},
    {"cPickle", "python 2's cPickle is pickle in python 3"},
    {"commands", "python 2's commands is subprocess in python 3"},
    {"HTMLParser", "python 2's HTMLParser is html.parser in python 3"},
    {"SimpleHTTPServer", "python 2's SimpleHTTPServer is http.server in python 3"},
    {"BaseHTTPServer", "python 2's BaseHTTPServer is http.server in python 3"},
    {"itertools3", "use itertools"},
    {"imp", "imp is gone from this python: use importlib"},
    {"distutils", "distutils is gone from this python: use shutil or sysconfig"},
    {"asyncore", "asyncore is gone from this python: use asyncio"},
    {"tomllib", "tomllib is new in python 3.11: import tomli"},
    {"MySQLdb", "no database server in this cell; sqlite3 needs none"},
};

// What typing errors are measured against.
constexpr std::string_view kWellKnown[] = {
    "python3",  "grep",     "find",    "xargs",   "sort",   "uniq",      "head",    "tail",   "curl",  "wget",
    "git",      "make",     "cmake",   "docker",  "sed",    "awk",       "cut",     "cat",    "less",  "mkdir",
    "rmdir",    "touch",    "chmod",   "chown",   "echo",   "printf",    "export",  "which",  "ls",    "tar",
    "gzip",     "gunzip",   "unzip",   "node",    "perl",   "bash",      "timeout", "sleep",  "date",  "diff",
    "patch",    "ps",       "kill",    "tee",     "wc",     "tree",      "jq",      "file",   "stat",  "readlink",
    "realpath", "basename", "dirname", "sqlite3", "md5sum", "sha256sum", "base64",  "column", "split", "paste",
    "join",     "history",  "clear",   "python",  "gcc"};

template <size_t N>
std::string_view advice_for(const Advice (&table)[N], std::string_view name) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [name](const Advice& a) { return a.name == name; });
  return found == std::end(table) ? std::string_view() : found->hint;
}

// Insertions, deletions, replacements, and swaps of neighbours. For short names.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// One slip in a short name, two in a long one, and none in the first letter; a name of two letters is near to all.
std::string_view likely_meant(std::string_view name) {
  constexpr size_t kShortest = 3;
  constexpr size_t kLongest = 20;
  if (name.size() < kShortest || name.size() > kLongest) return {};
  std::string_view best;
  constexpr size_t kLong = 8;
  size_t least = name.size() >= kLong ? 3 : 2;
  for (const std::string_view known : kWellKnown) {
    const bool is_like = known.size() >= kShortest && known.front() == name.front();
    const size_t slips = is_like ? distance(name, known) : least;
    if (slips < least) {
      least = slips;
      best = known;
    }
  }
  return best;
}

}  // namespace

std::string hint_for_command(std::string_view command) {
  if (const std::string_view known = advice_for(kCommands, command); !known.empty()) return std::string(known);
  const std::string_view meant = likely_meant(command);
  if (meant.empty()) return {};
  return "did you mean " + std::string(meant == "python" ? "python3" : meant);
}

std::string hint_for_module(std::string_view module) { return std::string(advice_for(kModules, module)); }

}  // namespace bashcell::heal
