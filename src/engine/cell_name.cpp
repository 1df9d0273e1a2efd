#include "engine/cell_name.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

namespace bashcell::engine {

namespace {

constexpr std::string_view kPrefix = "bashcell-";

// Cuts the text before the next '-' off `rest`; nothing when there is none.
std::optional<std::string_view> next_part(std::string_view& rest) {
  const size_t dash = rest.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view part = rest.substr(0, dash);
  rest.remove_prefix(dash + 1);
  return part;
}

bool is_hex8(std::string_view text) {
  return text.size() == 8 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() && text[0] != '-';
}

}  // namespace

std::string make_cell_name(const base::ProcessIdentity& owner) {
  uint32_t random = 0;
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    random = static_cast<uint32_t>(base::now().time_since_epoch().count());
  }
  return fmt::format("{}{}-{}-{}-{:08x}", kPrefix, owner.pid, owner.start_ticks, owner.boot, random);
}

std::string host_name(std::string_view cell_name) {
  return "cell" + std::string(cell_name.substr(std::min(cell_name.size(), cell_name.rfind('-'))));
}

std::optional<base::ProcessIdentity> owner_of(std::string_view cell_name) {
  if (cell_name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  std::string_view rest = cell_name.substr(kPrefix.size());
  const auto pid = next_part(rest);
  const auto ticks = next_part(rest);
  const auto boot = next_part(rest);
  base::ProcessIdentity owner;
  if (!pid || !ticks || !boot || boot->size() != 8 || !is_hex8(rest)) return std::nullopt;
  if (!parse(*pid, owner.pid) || !parse(*ticks, owner.start_ticks) || owner.pid <= 0) return std::nullopt;
  owner.boot = std::string(*boot);
  return owner;
}

bool is_leftover(std::string_view cell_name) {
  const std::optional<base::ProcessIdentity> owner = owner_of(cell_name);
  return owner && !owner->alive();
}

std::vector<std::string> leftovers_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string name = entry.path().filename();
    if (is_leftover(name)) found.push_back(std::move(name));
  }
  return found;
}

}  // namespace bashcell::engine
