#pragma once
// Numbers as people read them, in marks, status lines and messages. See also seconds_text in clock.h.

#include <cstdint>
#include <string>
#include <string_view>

namespace bashcell::base {

// 93211 -> "93,211".
std::string grouped(int64_t number);

// "1 line", "93,211 lines": `unit` is the singular of a noun that takes an s.
std::string counted(int64_t number, std::string_view unit);

// "1 byte", "999 bytes", "4.1 MB" (decimal units, one decimal, none if it is 0). At most kMaxSizeText characters.
std::string size_text(int64_t bytes);
inline constexpr size_t kMaxSizeText = 10;

}  // namespace bashcell::base
