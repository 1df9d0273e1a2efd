#pragma once
// A POSIX extended regular expression (regex(7)), compiled. The C library's: it neither throws nor recurses by the
// length of the text, and bashcell-init can link it.

#include <regex.h>

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace bashcell::base {

class ExtendedRegex {
 public:
  // An error is the C library's sentence about the expression.
  static Result<ExtendedRegex> compile(const std::string& expression);

  // Anywhere in the text, up to its first NUL.
  bool found_in(const std::string& text) const;

 private:
  // In one place for all its life: regex(7) promises nothing of a copy.
  using Compiled = std::unique_ptr<regex_t, void (*)(regex_t*)>;
  explicit ExtendedRegex(Compiled compiled) : compiled_(std::move(compiled)) {}

  Compiled compiled_;
};

}  // namespace bashcell::base
