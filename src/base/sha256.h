#pragma once
// SHA-256 (FIPS 180-4), for telling contents apart against people, too. Small texts: it is written to be read, and does
// some 100 MB/s.

#include <string>
#include <string_view>

namespace bashcell::base {

// Of the bytes of `text`, as 64 lower case hex digits.
std::string sha256_hex(std::string_view text);

}  // namespace bashcell::base
