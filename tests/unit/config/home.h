#pragma once
// A home of its own for each test, so that no configuration of the tester is read.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "config.h"

namespace bashcell {

using Words = std::vector<std::string>;
namespace fs = std::filesystem;

class Home {
 public:
  Home() {
    std::string pattern = (fs::temp_directory_path() / "bashcell-config-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() { fs::remove_all(path_); }

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
  std::string path_;
};

}  // namespace bashcell
