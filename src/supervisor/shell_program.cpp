#include "supervisor/shell_program.h"

#include <unistd.h>

#include <utility>

#include "supervisor/shell.h"

namespace bashcell::supervisor {

ShellProgram::ShellProgram(std::string bash, std::string run_folder, std::vector<std::string> variables)
    : bash_(std::move(bash)),
      folder_(std::move(run_folder)),
      // HOME and SHELL, which bash would look up in /etc/passwd otherwise, to no end: the state's text unsets both.
      variables_{"BASH_ENV=" + std::string(kBootPath), "HOME=/", "SHELL=" + bash_},
      name_(kScriptName),
      argv_{bash_.data(), norc_.data(), noprofile_.data(), name_.data(), nullptr} {
  for (std::string& variable : variables) variables_.push_back(std::move(variable));
  for (std::string& variable : variables_) environment_.push_back(variable.data());
  environment_.push_back(nullptr);
}

void ShellProgram::execute() {
  if (::chdir(folder_.c_str()) == 0) ::execve(bash_.c_str(), argv_.data(), environment_.data());
}

}  // namespace bashcell::supervisor
