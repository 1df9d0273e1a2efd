#include "supervisor/cell_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "../../support/temporary_folder.h"
#include "base/file.h"
#include "base/unique_fd.h"

using namespace bashcell;

namespace {

struct Said {
  int status = -1;
  std::string output;
  std::string errors;
};

// Runs the command with its output in files.
Said said_by(const std::vector<std::string>& arguments, const std::string& folder) {
  const TemporaryFolder tmp;
  Said said;
  const std::string names[] = {(tmp.path() / "out").string(), (tmp.path() / "err").string()};
  base::UniqueFd kept[2];
  for (int i = 0; i < 2; ++i) {
    kept[i] = base::duplicate(i + 1).value();
    const base::UniqueFd file(::open(names[i].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::dup2(file.get(), i + 1) == i + 1);
  }
  said.status = supervisor::cell_command(arguments, {.outputs = folder, .run_folder = folder});
  for (int i = 0; i < 2; ++i) ::dup2(kept[i].get(), i + 1);
  said.output = base::read_file(names[0], 64 << 20).value();
  said.errors = base::read_file(names[1]).value();
  return said;
}

}  // namespace

TEST_CASE("cell out shows what is kept, whole or in part") {
  const TemporaryFolder tmp;
  const std::string folder = tmp.path().string();
  std::string text;
  for (int i = 1; i <= 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  REQUIRE(base::write_file(folder + "/3", "old\n"));
  REQUIRE(base::write_file(folder + "/12", text + "no newline"));
  REQUIRE(base::write_file(folder + "/notes", "not an output"));

  CHECK(said_by({"out"}, folder).output == "3  4 bytes\n12  1.1 MB\n");
  CHECK(said_by({"out", "3"}, folder).output == "old\n");
  CHECK(said_by({"out", "12"}, folder).output == text + "no newline");
  CHECK(said_by({"out", "12", "--lines", "2-3"}, folder).output == "line 2\nline 3\n");
  CHECK(said_by({"out", "--lines", "100000-"}, folder).output == "line 100000\nno newline\n");
  CHECK(said_by({"out", "--lines", "-2"}, folder).output == "line 1\nline 2\n");
  CHECK(said_by({"out", "--lines", "7"}, folder).output == "line 7\n");
  CHECK(said_by({"out", "--grep", "^line 9999[0-1]$|newline"}, folder).output ==
        "99990:line 99990\n99991:line 99991\n100001:no newline\n");
  CHECK(said_by({"out", "12", "--grep", "7$", "--lines", "1-20"}, folder).output == "7:line 7\n17:line 17\n");
}

TEST_CASE("cell says what is wrong, and what there is") {
  const TemporaryFolder tmp;
  const std::string folder = tmp.path().string();
  CHECK(said_by({"out"}, folder).status == 1);
  CHECK(said_by({"out"}, folder).errors == "cell: no output is kept: all of it was shown so far\n");
  CHECK(said_by({"out", "1"}, folder + "/none").status == 1);
  REQUIRE(base::write_file(folder + "/3", "a\nb\n"));
  CHECK(said_by({"out", "4"}, folder).errors == "cell: output 4 is not kept; there are 3 to 3\n");
  CHECK(said_by({"out", "3", "--lines", "5-6"}, folder).errors == "cell: it has 2 lines only\n");
  CHECK(said_by({"out", "3", "--grep", "z"}, folder).errors == "cell: no line matches z\n");
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{{},
                                                                                     {"fly"},
                                                                                     {"out", "x"},
                                                                                     {"out", "-3"},
                                                                                     {"out", "3", "4"},
                                                                                     {"out", "--lines"},
                                                                                     {"out", "--grep"},
                                                                                     {"out", "--lines", "b-a"},
                                                                                     {"out", "--lines", "3-2"},
                                                                                     {"out", "--lines", ""},
                                                                                     {"out", "--lines", "-"},
                                                                                     {"out", "3", "--grep", "("},
                                                                                     {"out", "99999999999999999999"}}) {
    const Said said = said_by(wrong, folder);
    CHECK(said.status == 2);
    CHECK(said.output.empty());
    CHECK_FALSE(said.errors.empty());
  }
  CHECK(said_by({"--help"}, folder).output.find("cell out [N] --lines A-B") != std::string::npos);
}
