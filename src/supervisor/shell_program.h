#pragma once
// What a bash of ours is executed with: `bash --norc --noprofile script`, and its environment.

#include <array>
#include <string>
#include <vector>

namespace bashcell::supervisor {

// Made before there is a child, which may share our memory.
class ShellProgram {
 public:
  // `variables`: further ones, "NAME=value".
  ShellProgram(std::string bash, std::string run_folder, std::vector<std::string> variables = {});
  ShellProgram(const ShellProgram&) = delete;
  ShellProgram& operator=(const ShellProgram&) = delete;

  // chdir(2) and execve(2); returns only when one of them failed, with errno.
  void execute();

 private:
  std::string bash_;
  std::string folder_;
  std::vector<std::string> variables_;
  std::string norc_ = "--norc";
  std::string noprofile_ = "--noprofile";
  std::string name_;
  std::array<char*, 5> argv_;
  std::vector<char*> environment_;
};

}  // namespace bashcell::supervisor
