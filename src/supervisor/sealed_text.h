#pragma once
// Text behind a descriptor that nobody can change: memfd_create(2) with seals, Linux 3.17.

#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::supervisor {

// Close-on-exec, empty, not sealed yet.
base::Result<base::UniqueFd> make_memfd(const char* name);
void seal(int memfd);

// A memfd with the text in it, sealed: a script can open it, and cannot change what the next call gets.
base::Result<base::UniqueFd> sealed_text(const char* name, std::string_view text);

}  // namespace bashcell::supervisor
