#include <algorithm>
#include <array>

#include "heal/nearest.h"

namespace bashcell::heal {

namespace {

enum class Whose { kAny, kBusybox };

struct OptionAdvice {
  std::string_view tool;
  std::string_view option;
  std::string_view hint;
  Whose whose = Whose::kAny;
};

constexpr std::string_view kNoPerl = "busybox grep has no -P: use grep -E, or perl -ne";
constexpr std::string_view kFindThenGrep =
    "busybox grep has no --include: find . -name '*.x' -exec grep -n PATTERN {} +";

constexpr OptionAdvice kAdvice[] = {
    // macOS and BSD -> GNU
    {"date", "-v", "GNU date has no -v: date -d '1 day ago'"},
    {"date", "-j", "GNU date has no -j: date -d TEXT +FORMAT"},
    {"base64", "-D", "GNU base64 decodes with -d"},
    {"base64", "-b", "GNU base64 wraps with -w"},
    {"base64", "-A", "GNU base64: -w 0 for one line"},
    {"tail", "-r", "GNU tail has no -r: use tac"},
    {"stat", "-%", "GNU stat: stat -c %s FILE, not -f"},
    {"stat", "-x", "GNU stat has no -x: plain stat FILE"},
    {"xargs", "-J", "GNU xargs has no -J: use -I{}"},
    {"ls", "-@", "GNU ls has no -@: use getfattr"},
    {"ls", "-T", "GNU ls: --time-style=full-iso"},
    {"find", "-E", "GNU find has no -E: use -regextype posix-extended"},
    {"ps", "-x", "use ps aux"},
    {"cp", "-c", "GNU cp: --reflink=auto"},
    {"du", "-I", "GNU du: --exclude=PATTERN"},
    {"sort", "--natural-sort", "GNU sort: -V"},
    {"wc", "--total", "this wc is older: wc FILES | tail -1"},
    {"wc", "--total=only", "this wc is older: cat FILES | wc"},
    {"cut", "-w", "GNU cut has no -w: use awk '{print $1}'"},
    {"split", "-p", "GNU split has no -p: use csplit"},
    {"tar", "-y", "GNU tar: -j for bzip2, -z for gzip, -J for xz"},
    {"tar", "--disable-copyfile", "leave --disable-copyfile out: this is GNU tar"},
    {"tar", "--no-mac-metadata", "leave --no-mac-metadata out: this is GNU tar"},
    {"grep", "--pcre", "GNU grep: -P"},
    {"grep", "--perl", "GNU grep: -P"},
    {"grep", "-g", "GNU grep: --include='*.x' in place of -g"},
    {"grep", "-t", "GNU grep: --include='*.x' in place of -t"},
    {"grep", "--type", "GNU grep: --include='*.x' in place of --type"},
    {"grep", "--glob", "GNU grep: --include='*.x' in place of --glob"},
    {"grep", "--hidden", "GNU grep -r reads hidden files as it is"},
    {"grep", "--multiline", "GNU grep: -Pzo for several lines"},
    {"rg", "-R", "rg is recursive as it is: leave -R out"},
    {"rg", "--include", "rg: -g '*.x' in place of --include"},
    {"rg", "--exclude-dir", "rg: -g '!FOLDER' in place of --exclude-dir"},
    {"rg", "--exclude", "rg: -g '!*.x' in place of --exclude"},
    {"rg", "--perl-regexp", "rg: -P"},
    {"fd", "-name", "fd takes the pattern itself: fd PATTERN"},
    {"fdfind", "-name", "fd takes the pattern itself: fd PATTERN"},
    {"jq", "-y", "jq has no -y: it writes JSON only"},
    {"jq", "--yaml", "jq has no --yaml: it reads and writes JSON only"},
    {"jq", "--raw", "jq: -r or --raw-output"},
    {"jq", "--null", "jq: -n or --null-input"},
    {"find", "--name", "find: -name with one dash"},
    {"find", "--type", "find: -type with one dash"},
    {"find", "--maxdepth", "find: -maxdepth with one dash"},
    {"find", "-max-depth", "find: -maxdepth"},
    {"find", "-maxDepth", "find: -maxdepth"},
    {"find", "-exclude", "find: -not -path './FOLDER/*'"},
    {"curl", "--timeout", "curl: --max-time SECONDS"},
    {"curl", "--follow", "curl: -L"},
    {"curl", "--body", "curl: --data"},
    {"curl", "--method", "curl: -X METHOD"},
    {"wget", "--output", "wget: -O FILE"},
    {"tree", "--max-depth", "tree: -L N"},
    {"tree", "--depth", "tree: -L N"},
    {"tree", "--exclude", "tree: -I PATTERN"},
    {"du", "--depth", "du: --max-depth=N"},
    {"diff", "--unified-context", "diff: -U N"},
    {"uniq", "--count-only", "uniq: -c"},
    {"awk", "--csv", "this awk has no --csv: use -F, or python3 with csv"},
    {"gawk", "--csv", "this awk has no --csv: use -F, or python3 with csv"},
    {"timeout", "-t", "timeout takes the seconds first: timeout 5 COMMAND"},
    {"pgrep", "--name", "pgrep: -x NAME"},
    {"ps", "--sort-by", "ps: --sort=-%cpu"},
    {"ps", "--tree", "ps: --forest"},
    // GNU -> BusyBox
    {"grep", "-P", kNoPerl, Whose::kBusybox},
    {"grep", "--perl-regexp", kNoPerl, Whose::kBusybox},
    {"grep", "--include", kFindThenGrep, Whose::kBusybox},
    {"grep", "--exclude", kFindThenGrep, Whose::kBusybox},
    {"grep", "--exclude-dir", "busybox grep has no --exclude-dir: find with -prune", Whose::kBusybox},
    {"grep", "-Z", "busybox grep has no -Z: find -exec grep", Whose::kBusybox},
    {"find", "-printf", "busybox find has no -printf: -exec stat -c '%s %n' {} +", Whose::kBusybox},
    {"find", "-regextype", "busybox find has no -regextype: use -regex", Whose::kBusybox},
    {"xargs", "-d", "busybox xargs has no -d: tr '\\n' '\\0' | xargs -0", Whose::kBusybox},
    {"xargs", "--no-run-if-empty", "busybox xargs: -r", Whose::kBusybox},
    {"date", "--date", "busybox date: -d with a plain time", Whose::kBusybox},
    {"date", "--iso-8601", "busybox date: -I", Whose::kBusybox},
    {"sort", "-V", "busybox sort has no -V here: sort -t. -k1,1n -k2,2n", Whose::kBusybox},
    {"sort", "--parallel", "busybox sort has no --parallel: leave it out", Whose::kBusybox},
    {"ls", "--time-style", "busybox ls has no --time-style: ls --full-time", Whose::kBusybox},
    {"cut", "--output-delimiter", "busybox cut has no --output-delimiter: pipe through tr", Whose::kBusybox},
    {"ps", "-u", "busybox ps has few options: ps -o pid,user,args", Whose::kBusybox},
    {"ps", "-e", "busybox ps lists all as it is: ps", Whose::kBusybox},
    {"tar", "--transform", "busybox tar has no --transform", Whose::kBusybox},
    {"realpath", "--relative-to", "busybox realpath has no --relative-to", Whose::kBusybox},
    {"wget", "--content-disposition", "busybox wget: -O FILE", Whose::kBusybox},
    {"du", "--max-depth", "busybox du: -d N", Whose::kBusybox},
    {"head", "--lines", "busybox head: -n N", Whose::kBusybox},
    {"tail", "--lines", "busybox tail: -n N", Whose::kBusybox},
    {"stat", "--format", "busybox stat: -c FORMAT", Whose::kBusybox},
    {"stat", "--printf", "busybox stat: -c FORMAT", Whose::kBusybox},
    {"mktemp", "--suffix", "busybox mktemp has no --suffix", Whose::kBusybox},
    {"cp", "--parents", "busybox cp has no --parents: tar c | tar x", Whose::kBusybox},
    {"sed", "--in-place", "busybox sed: -i", Whose::kBusybox},
    {"readlink", "-m", "busybox readlink: -f", Whose::kBusybox},
    {"diff", "--color", "busybox diff has no --color: leave it out", Whose::kBusybox},
    {"diff", "-y", "busybox diff has no -y: diff -U 3", Whose::kBusybox},
};

// Tools in whose long options writers slip, and the options they mean.
struct LongOptions {
  std::string_view tool;
  std::string_view options;  // with blanks around each
};

constexpr LongOptions kLong[] = {
    {"grep",
     " --ignore-case --recursive --line-number --count --files-with-matches --files-without-match --only-matching"
     " --invert-match --word-regexp --extended-regexp --fixed-strings --perl-regexp --include --exclude"
     " --exclude-dir --after-context --before-context --context --max-count --no-filename --with-filename"
     " --quiet --color --null --text --binary-files "},
    {"ls",
     " --all --almost-all --human-readable --recursive --reverse --sort --time --time-style --size --directory"
     " --group-directories-first --full-time --color --inode --format "},
    {"sort",
     " --numeric-sort --human-numeric-sort --version-sort --reverse --unique --key --field-separator --output"
     " --ignore-case --check --stable --random-sort --zero-terminated --parallel "},
    {"sed", " --quiet --silent --regexp-extended --in-place --expression --file --null-data --separate --unbuffered "},
    {"tar",
     " --extract --create --list --file --verbose --gzip --bzip2 --xz --zstd --directory --exclude --transform"
     " --strip-components --append --update --to-stdout --wildcards "},
    {"cut", " --delimiter --fields --characters --bytes --complement --output-delimiter --only-delimited "},
    {"du", " --human-readable --max-depth --summarize --all --bytes --apparent-size --exclude --total --time "},
    {"date", " --date --iso-8601 --rfc-3339 --rfc-email --utc --reference --universal "},
    {"diff",
     " --unified --recursive --brief --side-by-side --ignore-all-space --ignore-blank-lines --ignore-case"
     " --new-file --color --context --suppress-common-lines "},
    {"head", " --lines --bytes --quiet --verbose "},
    {"tail", " --lines --bytes --follow --quiet --verbose "},
    {"wc", " --lines --words --chars --bytes --max-line-length "},
    {"uniq", " --count --repeated --unique --ignore-case --skip-fields --skip-chars --all-repeated "},
    {"xargs", " --null --max-args --max-procs --replace --no-run-if-empty --delimiter --verbose --max-lines "},
    {"cp", " --recursive --archive --parents --no-clobber --preserve --update --verbose --force "},
    {"curl",
     " --silent --show-error --location --output --header --request --data --fail --max-time --insecure --head"
     " --include --user --remote-name --verbose --compressed --form --get --retry "},
    {"jq",
     " --raw-output --compact-output --slurp --null-input --raw-input --arg --argjson --sort-keys --exit-status"
     " --join-output --tab --slurpfile --rawfile --args --from-file "},
    {"stat", " --format --printf --terse --dereference --file-system "},
};

// The longest begin that they share decides, of at least four letters.
std::string_view nearest_long(std::string_view options, std::string_view wanted) {
  constexpr size_t kLeastShared = 6;  // with the dashes
  std::string_view best;
  size_t most = kLeastShared - 1;
  for (size_t at = options.find("--"); at != std::string_view::npos; at = options.find(" --", at + 1)) {
    if (options[at] == ' ') ++at;
    const std::string_view one = options.substr(at, options.find(' ', at) - at);
    const auto shared =
        static_cast<size_t>(std::mismatch(one.begin(), one.end(), wanted.begin(), wanted.end()).first - one.begin());
    if (shared > most) {
      most = shared;
      best = one;
    }
  }
  return best;
}

}  // namespace

std::string hint_for_option(std::string_view tool, std::string_view option, bool is_busybox) {
  option = option.substr(0, option.find('='));
  for (const OptionAdvice& advice : kAdvice) {
    if (advice.tool != tool || advice.option != option) continue;
    if (advice.whose == Whose::kAny || is_busybox) return std::string(advice.hint);
  }
  if (is_busybox) {
    return option.starts_with("--") ? "busybox tools have few long options: use the short one, or see --help"
                                    : std::string();
  }
  const auto* found =
      std::find_if(std::begin(kLong), std::end(kLong), [tool](const LongOptions& one) { return one.tool == tool; });
  if (found == std::end(kLong) || !option.starts_with("--")) return {};
  const std::string_view near = nearest_long(found->options, option);
  if (near.empty() || near == option) return {};
  return std::string(tool) + " has " + std::string(near);
}

}  // namespace bashcell::heal
