#pragma once
// What a shell completes the words of a command line with, made of the options' schema and of the commands.

#include <string>
#include <string_view>

namespace bashcell::commands {

// A script for "bash", "zsh" or "fish"; it names every option, command and client. Empty for another shell.
std::string completion(std::string_view shell);

}  // namespace bashcell::commands
