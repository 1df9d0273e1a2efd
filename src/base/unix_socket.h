#pragma once
// Stream sockets with a name in the file system (unix(7)).

#include <string>

#include "base/unique_fd.h"

namespace bashcell::base {

// Connected, close-on-exec, and with `flags` of socket(2). Invalid with errno when nobody listens there, and with
// ENAMETOOLONG for a path of more than 107 bytes.
UniqueFd connect_unix(const std::string& path, int flags = 0);

// Listening, non-blocking, close-on-exec. Invalid with errno, also as above, and then nothing is left at the path that
// was not there.
UniqueFd listen_unix(const std::string& path, int backlog);

}  // namespace bashcell::base
