#pragma once
// Cuts text, finds a place in it, and makes its line ends those of Unix.

#include <string>
#include <string_view>
#include <vector>

namespace bashcell::base {

// What stands between separators. After a last separator there is nothing: "a\nb\n" is two lines, "" none.
std::vector<std::string_view> split(std::string_view text, char separator);

// The number, from 1, of the line in which the byte at `offset` is; behind the end: of the last line.
size_t line_of(std::string_view text, size_t offset);

// Every CR LF becomes LF; a CR alone stays.
std::string with_unix_line_ends(std::string_view text);

}  // namespace bashcell::base
