#include "base/extended_regex.h"

#include <array>

namespace bashcell::base {

Result<ExtendedRegex> ExtendedRegex::compile(const std::string& expression) {
  auto regex = std::make_unique<regex_t>();
  if (const int error = ::regcomp(regex.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
    std::array<char, 200> why{};
    ::regerror(error, regex.get(), why.data(), why.size());
    return Error{why.data()};
  }
  return ExtendedRegex(Compiled(regex.release(), [](regex_t* compiled) {
    ::regfree(compiled);
    delete compiled;  // NOLINT(cppcoreguidelines-owning-memory): a deleter
  }));
}

bool ExtendedRegex::found_in(const std::string& text) const {
  return ::regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace bashcell::base
