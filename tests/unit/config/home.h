#pragma once
// A home of its own for each test, so that no configuration of the tester is read.

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "config.h"
#include "support/temporary_folder.h"

namespace bashcell {

using Words = std::vector<std::string>;
namespace fs = std::filesystem;

class Home {
 public:
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = fs::path(path_) / name;
    fs::create_directories(file.parent_path());
    REQUIRE(base::write_file(file.string(), text).ok());
    return file.string();
  }
  base::Result<Invocation> parse(const Words& arguments, Words environment = {}) const {
    environment.push_back("HOME=" + path_);
    return parse_invocation(arguments, environment);
  }
  std::string error(const Words& arguments, const Words& environment = {}) const {
    const auto invocation = parse(arguments, environment);
    REQUIRE_FALSE(invocation.ok());
    CHECK(invocation.error().message.find('\n') == std::string::npos);
    return invocation.error().message;
  }

 private:
  TemporaryFolder folder_;
  std::string path_ = folder_.path().string();
};

}  // namespace bashcell
