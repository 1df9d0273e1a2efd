#include "output_scripts.h"

#include <stdexcept>

namespace bashcell::bench {

namespace {

// A service: every line has its own time, number and words.
constexpr const char* kAwkLog = R"(awk -v n=@N@ 'BEGIN {
  srand(7)
  levels = split("INFO INFO INFO INFO DEBUG DEBUG WARN", level)
  words = split("accept batch cache cart client close commit config count cursor delete fetch flush index item job key lease " \
                "list load lock merge node open order page parse peer pool poll queue quota read record retry role route row " \
                "scan seek send shard shift split state store stream sync table tenant token trace update user wait write", word)
  for (time = 0; size < n; size += length(line) + 1) {
    time += rand() * 3
    line = sprintf("2026-03-%02d %02d:%02d:%02d.%03d [%s] worker-%d %s.%s: %s %s in %.1f ms, id=%08x", 1 + time / 86400, \
                   time / 3600 % 24, time / 60 % 60, time % 60, rand() * 1000, level[1 + int(rand() * levels)], rand() * 16, \
                   word[1 + int(rand() * words)], word[1 + int(rand() * words)], word[1 + int(rand() * words)], \
                   word[1 + int(rand() * words)], rand() * 400, rand() * 4294967295)
    print line
  }
}')";

constexpr const char* kPythonLog = R"(python3 -c '
import random, datetime
random.seed(7)
words = "accepted batch cached cart client closed commit config cursor deleted fetched flushed index item job key lease".split()
levels = ["INFO"] * 8 + ["DEBUG"] * 3 + ["WARNING"]
time = datetime.datetime(2026, 3, 1)
size = 0
while size < @N@:
    time += datetime.timedelta(milliseconds=random.randrange(3000))
    text = " ".join(random.choices(words, k=random.randrange(3, 9)))
    line = f"{time.isoformat()} {random.choice(levels)} app.{random.choice(words)} user={random.randrange(10000)} {text}"
    size += len(line) + 1
    print(line)
')";

constexpr const char* kMakeLog = R"(awk -v n=@N@ 'BEGIN {
  srand(7)
  words = split("buffer cache codec column config cursor disk event file filter frame graph hash index input journal key " \
                "lexer list loader lock map memory merge node output page parser pool queue reader scanner schema socket", word)
  for (i = 1; size < n; ++i) {
    name = "src/" word[1 + int(rand() * words)] "/" word[1 + int(rand() * words)] "_" word[1 + int(rand() * words)]
    line = sprintf("[%3d%%] Building CXX object CMakeFiles/app.dir/%s.cpp.o\n" \
                   "/usr/bin/c++ -Iinclude -O2 -g -Wall -Wextra -std=gnu++20 -MD -MT %s.cpp.o -MF %s.cpp.o.d -o %s.cpp.o -c %s.cpp", \
                   i % 100, name, name, name, name, name)
    if (i % 40 == 0) line = line "\n" name ".cpp:" int(rand() * 900) ":9: warning: unused variable \47" word[1 + i % words] "\47"
    print line
    size += length(line) + 1
  }
}')";

constexpr const char* kCsv = R"(awk -v n=@N@ 'BEGIN {
  srand(7)
  print "id,when,region,product,count,price,note"
  regions = split("north south east west", region)
  for (i = 1; size < n; ++i) {
    line = sprintf("%d,2026-%02d-%02d,%s,P%05d,%d,%.2f,%s", i, 1 + rand() * 12, 1 + rand() * 28, region[1 + i % regions], \
                   rand() * 99999, rand() * 90, rand() * 500, i % 9 ? "" : "\"late, as always\"")
    print line
    size += length(line) + 1
  }
}')";

constexpr const char* kCode = "find /usr/include /usr/share/perl -type f | LC_ALL=C sort | xargs cat | head -c @N@";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what)) text.replace(at, what.size(), by);
  return text;
}

}  // namespace

std::string Printer::of(size_t bytes) const {
  return replaced(replaced(script, "@N/8@", std::to_string(bytes / 8)), "@N@", std::to_string(bytes));
}

void prepare_files(Server& server, size_t bytes) {
  for (const auto& [name, script] : {std::pair{"log", kAwkLog}, {"csv", kCsv}, {"code", kCode}}) {
    const std::string path = std::string("/workspace/") + name;
    const Printer printer{name, std::string("{ ") + script + "; } 2> /dev/null > " + path + "; wc -c < " + path};
    const std::string size = server.call(printer.of(bytes), 100);
    if (std::atoll(size.c_str()) < static_cast<long long>(bytes)) {
      throw std::runtime_error("there is too little for " + path + ": " + size);
    }
  }
}

std::vector<Printer> printers() {
  return {
      {"log made by awk", kAwkLog},
      {"log made by python", kPythonLog},
      {"make", kMakeLog},
      {"find /usr", "for i in {1..40}; do find /usr 2> /dev/null; done | head -c @N@"},
      {"base64", "head -c @N@ /dev/urandom | base64 | head -c @N@"},
      {"seq", "seq 1000000 $((1000000 + @N/8@))"},
      {"yes", "yes 'nothing to be done' | head -c @N@"},
      {"log, head of a file", "head -c @N@ /workspace/log"},
      {"C source, head of a file", "head -c @N@ /workspace/code"},
      {"CSV, head of a file", "head -c @N@ /workspace/csv"},
      {"lines of 16 KB", R"(awk '{ printf "%s%s", $0, NR % 200 ? " " : "\n" }' <(head -c @N@ /workspace/log))"},
      {"one line", R"(head -c @N@ /workspace/log | tr '\n' ' ')"},
  };
}

}  // namespace bashcell::bench
