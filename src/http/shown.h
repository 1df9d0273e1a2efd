#pragma once
// What a server said, made fit for a message.

#include <string>
#include <string_view>

namespace bashcell::http {

// One line of at most `max_bytes` bytes: valid UTF-8, blanks and control characters as single spaces, "..." where it
// was cut.
std::string shown(std::string_view bytes, size_t max_bytes);

// The "message" member of an answer's JSON body, as engines send with every error; else the first 300 bytes of the
// body. One line, cleaned. Empty: the body says nothing.
std::string server_message(std::string_view body);

}  // namespace bashcell::http
