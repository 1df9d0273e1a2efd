#include "supervisor/read_pace.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using supervisor::ReadPace;

TEST_CASE("the beginning of an output is read as it comes") {
  ReadPace pace;
  size_t total = 0;
  for (const size_t bytes : {size_t{100}, size_t{8000}, size_t{50'000}}) {
    total += bytes;
    REQUIRE(total < ReadPace::kAtOnce);
    CHECK(pace.pause_after(bytes) == base::Duration::zero());
  }
}

TEST_CASE("little by little is waited for, longer and longer, but never long") {
  ReadPace pace;
  pace.pause_after(ReadPace::kAtOnce);
  CHECK(pace.pause_after(8192) == base::Duration(1));
  CHECK(pace.pause_after(8192) == base::Duration(2));
  CHECK(pace.pause_after(8192) == base::Duration(4));
  CHECK(pace.pause_after(1) == ReadPace::kLongest);
  CHECK(pace.pause_after(0) == ReadPace::kLongest);
}

TEST_CASE("what comes fast is read at once again") {
  ReadPace pace;
  for (int i = 0; i < 10; ++i) CHECK(pace.pause_after(256 * 1024) == base::Duration::zero());
  for (int i = 0; i < 10; ++i) pace.pause_after(8192);
  CHECK(pace.pause_after(ReadPace::kWorthWaking) == ReadPace::kLongest);  // as it should be
  CHECK(pace.pause_after(256 * 1024) == base::Duration(2));
  CHECK(pace.pause_after(256 * 1024) == base::Duration(1));
  CHECK(pace.pause_after(256 * 1024) == base::Duration::zero());
}
