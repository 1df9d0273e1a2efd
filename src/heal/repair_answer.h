#pragma once
// What a model said, as a script that may be run. Pure. Whether bash can read it is checked elsewhere (`bash -n`).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bashcell::heal {

inline constexpr size_t kMaxRepairedScript = 4096;

// The one code block in it; without any, all of it, unless that reads like prose, HTML or JSON. Errors say why there is
// no script, as a clause about the answer: "it has more than one code block". One that is equal to one of `tried` (but
// for blanks around it) is an error, too.
base::Result<std::string> script_in_answer(std::string_view answer, const std::vector<std::string>& tried);

}  // namespace bashcell::heal
