#include "engine/oci/oci_cell.h"

#include <unistd.h>

#include <catch2/catch.hpp>

using namespace bashcell;
using namespace bashcell::engine::oci;

TEST_CASE("a runtime's log becomes one line of what it says") {
  CHECK(one_line("") == "");
  CHECK(one_line("plain\n") == "plain");
  CHECK(one_line(
            "time=\"2026-11-29T20:00:00Z\" level=error msg=\"runc run failed: unable to start \\\"x\\\"\"\nnext\n\n") ==
        "runc run failed: unable to start \"x\"; next");
  CHECK(one_line("a\x1b[31mb\tc\x7f") == "a [31mb c ");
  CHECK(one_line("\xff") == "\xEF\xBF\xBD");
  CHECK(one_line(std::string(5000, 'x')).size() == 1000);
}
