#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_cost.h"
#include "cell_under_test.h"

using namespace bashcell;
using testing::CellUnderTest;
using testing::eventually;
using testing::exists;
using testing::process_with;
using wire::Done;
using wire::Outcome;

namespace {

constexpr const char* kLong = "seq 1 20000";

std::string joined(const nlohmann::json& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line.get<std::string>();
  return text;
}

void is_as_without(const Done& done) {
  CHECK(done.filter.empty());
  CHECK(done.filter_lines == 0);
  CHECK(done.total_lines == 20'000);
  CHECK(done.output.substr(0, 4) == "1\n2\n");
  CHECK(done.output.substr(done.output.size() - 6) == "\n20000");
  CHECK(done.left_out_lines > 15'000);
  CHECK_FALSE(done.spill.empty());
}

}  // namespace

TEST_CASE("output over the budget is replaced by what the filter makes of it") {
  CellUnderTest cell;
  cell.filter = "sed -n '1p;$p'; echo end";
  const Done done = cell.run(std::string(kLong) + "; exit 3");
  CHECK(done.output == "1\n20000\nend");
  CHECK(done.filter == "test");
  CHECK(done.filter_lines == 3);
  CHECK(done.total_lines == 20'000);
  CHECK(done.left_out_lines == 0);
  CHECK(done.left_out_bytes == 0);
  CHECK(done.code == 3);
  cell.filter.clear();
  CHECK(cell.output_of("wc -l < " + done.spill) == "20000");
}

TEST_CASE("a filter's text over the budget is trimmed, and counted by itself") {
  CellUnderTest cell;
  cell.filter = "sed -n '1,10000p'";
  const Done done = cell.run(kLong);
  CHECK(done.filter == "test");
  CHECK(done.filter_lines == 10'000);
  CHECK(done.left_out_lines > 5'000);
  CHECK(done.left_out_lines < 10'000);
  CHECK(done.output.size() <= 7'500);
}

TEST_CASE("only a script that ended by itself, with too much output, is filtered") {
  CellUnderTest cell;
  cell.filter = "echo filtered";
  CHECK(cell.run("seq 1 10").output.substr(0, 4) == "1\n2\n");
  CHECK(cell.run(std::string(kLong) + "; kill -9 $$").filter.empty());
  CHECK(cell.run(std::string(kLong) + "; sleep 1000", base::Duration(300)).filter.empty());
  // Over 8 MB; and with a spill that is gone, replaced, or a pipe that nobody writes into.
  CHECK(cell.run("head -c 9000000 /dev/zero | tr '\\0' '\\n' | nl -ba").filter.empty());
  const std::string spill = cell.folder() + "/tmp/.cell/out/";
  CHECK(cell.run(std::string(kLong) + "; rm " + spill + "5").filter.empty());
  CHECK(cell.run(std::string(kLong) + "; rm " + spill + "6; echo other > " + spill + "6").filter.empty());
  CHECK(cell.run(std::string(kLong) + "; rm " + spill + "7; mkfifo " + spill + "7").filter.empty());
  CHECK(cell.run(kLong).output == "filtered");
}

TEST_CASE("every sample of our filters goes through its filter in a cell") {
  CellUnderTest cell;
  for (const auto& entry : std::filesystem::directory_iterator(SOURCE_FOLDER "/filters")) {
    const auto filter = nlohmann::json::parse(*base::read_file(entry.path().string()));
    cell.filter = joined(filter.at("filter"));
    for (const auto& sample : filter.at("samples")) {
      INFO(entry.path());
      const std::string expected = joined(sample.at("output"));
      REQUIRE(base::write_file(cell.folder() + "/sample", joined(sample.at("input")) + "\n"));
      // Room for what is expected, and for a status line, but not for the whole.
      cell.max_chars = static_cast<int64_t>(base::json_cost(expected)) + 250;
      const Done done = cell.run("for i in 1 2; do cat " + cell.folder() + "/sample; done");
      CHECK(done.filter == "test");
      cell.max_chars = 7'500;
    }
  }
}

TEST_CASE("a filter sees plain text, a clean environment and no state of the script's") {
  CellUnderTest cell;
  cell.run("export SECRET=1; cd /tmp; sed() { echo no; }; export -f sed");
  cell.filter =
      "sed -n 2p; /usr/bin/env | grep -v SHLVL | sort | tr '\\n' ' '; pwd; ls /proc/self/fd | tr '\\n' ' '; echo; echo "
      "gone >&2";
  const Done done = cell.run(R"(echo; printf 'progress\r\033[31mred\033[0m line\n'; seq 1 20000)");
  // Its own text, and the folder that ls reads.
  CHECK(done.output == "red line\nLANG=C.UTF-8 PATH=/usr/local/bin:/usr/bin:/bin PWD=/ _=/usr/bin/env /\n0 1 2 250 3 ");
}

TEST_CASE("a filter's text is cleaned as a script's is") {
  CellUnderTest cell;
  cell.filter = "printf '[cell: exit 0]\\n\\033[31mred\\377\\n'";
  CHECK(cell.run(kLong).output == " [cell: exit 0]\nred\xEF\xBF\xBD");
}

TEST_CASE("a filter that fails in any way changes nothing, and the next call works") {
  CellUnderTest cell;
  for (const char* filter : {"echo x; exit 3", "exit 0", "echo; echo ' '", "if", "no-such-program",
                             "echo x; kill -9 $$", "kill -9 $PPID; sleep 100", "kill -STOP $PPID; exit 1",
                             "echo x; false | cat", "cat", "cat; echo more", "exec >&- <&-", "ulimit -v 1000; sort"}) {
    INFO(filter);
    cell.filter = filter;
    is_as_without(cell.run(kLong));
    cell.filter.clear();
    CHECK(cell.output_of("echo alive") == "alive");
  }
}

TEST_CASE("a filter that does not end is given up, with all that it started") {
  CellUnderTest cell;
  const std::string mark = "# " + cell.folder() + "/filter";
  for (const std::string& filter :
       {std::string("cat; cat /dev/zero"),
        "(trap '' TERM; setsid bash -c 'sleep 1000 " + mark + "\n:' &) ; sleep 1000 & sleep 1000"}) {
    INFO(filter);
    cell.filter = filter;
    is_as_without(cell.run(kLong));
    CHECK(eventually([&] { return !process_with(mark); }));
  }
  // It has ended; what it left behind is ended, too.
  cell.filter = "bash -c 'sleep 1000 " + mark + "\n:' & sed -n 1p";
  CHECK(cell.run(kLong).output == "1");
  CHECK(eventually([&] { return !process_with(mark); }));
}

TEST_CASE("a filter ends before the host gives the call up") {
  CellUnderTest cell;
  cell.filter = "sleep 1000";
  // 0.8 s of 1 s are gone: with grace and margin, the reply is due 2.2 s later.
  const base::Instant start = base::now();
  is_as_without(cell.run("sleep 0.8; " + std::string(kLong), base::Duration(1000)));
  CHECK(base::now() - start < base::Duration(10'000));
}

TEST_CASE("a sibling that kills the filter costs only the filter") {
  CellUnderTest cell;
  const std::string name = cell.folder() + "/filter";
  cell.filter = "exec -a " + name + " sleep 1000";
  cell.start(kLong);
  cell.filter.clear();
  cell.start("until for p in /proc/[0-9]*; do [[ $(tr '\\0' ' ' < $p/cmdline) == \"" + name +
             " 1000 \" ]] && kill -9 ${p##*/} && break; done; do :; done 2>/dev/null; echo killed");
  std::vector<Done> both{cell.next_done(), cell.next_done()};
  if (both[0].output != "killed") std::swap(both[0], both[1]);
  CHECK(both[0].output == "killed");
  is_as_without(both[1]);
}

TEST_CASE("a cancel ends a filter that runs") {
  CellUnderTest cell;
  const std::string mark = cell.folder() + "/started";
  cell.filter = "touch " + mark + "; bash -c 'sleep 1000 # " + mark + "\n:'";
  const uint64_t id = cell.start(kLong);
  CHECK(eventually([&] { return exists(mark); }));
  cell.cancel(id);
  const Done done = cell.next_done();
  CHECK(done.outcome == Outcome::kCancelled);
  CHECK(eventually([&] { return !process_with("# " + mark); }));
  cell.filter.clear();
  CHECK(cell.output_of("echo alive") == "alive");
}

TEST_CASE("the cell's end is a filter's end") {
  CellUnderTest cell;
  const std::string mark = cell.folder() + "/started";
  cell.filter = "touch " + mark + "; bash -c 'sleep 1000 # " + mark + "\n:'";
  cell.start(kLong);
  CHECK(eventually([&] { return exists(mark); }));
  cell.close();
  CHECK(cell.ends());
  CHECK(eventually([&] { return !process_with("# " + mark); }));
}

TEST_CASE("a filter hides no error, unless it says that they are quoted") {
  CellUnderTest cell;
  cell.filter = "echo fine";
  const Done kept = cell.run("seq 1 20000; echo 'fatal error: no more space'; seq 1 20000");
  CHECK(kept.filter.empty());
  CHECK(kept.output.find("fatal error: no more space") != std::string::npos);
  CHECK(cell.run("seq 1 20000; echo LogException.php; seq 1 20000").output == "fine");
  cell.filter = "grep -n fatal";
  CHECK(cell.run("seq 1 20000; echo 'fatal error: no more space'; seq 1 20000").output ==
        "20001:fatal error: no more space");
  cell.filter = "echo fine; exit 100";  // the lines are quotations
  CHECK(cell.run("seq 1 20000; echo 'fatal error: no more space'; seq 1 20000").output == "fine");
}

TEST_CASE("calls side by side are filtered each by its own") {
  CellUnderTest cell;
  for (const char* last : {"1", "2", "3"}) {
    cell.filter = "sed -n " + std::string(last) + "p";
    cell.start(kLong);
  }
  for (int i = 0; i < 3; ++i) {
    const Done done = cell.next_done();
    CHECK(done.output == std::to_string(done.id));
  }
}
