#include "commands/manual.h"

#include <fmt/format.h>

#include "commands/clients.h"
#include "config_options.h"
#include "embedded/manual_page.h"
#include "wire/version.h"

namespace bashcell::commands {
namespace {

// A dash is one that can be searched and copied; a dot or quote that begins a line is no request of roff's.
std::string roff(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '\\') {
      out += "\\e";
    } else if (byte == '-') {
      out += "\\-";
    } else {
      if (out.empty() && (byte == '.' || byte == '\'')) out += "\\&";
      out += byte;
    }
  }
  return out;
}

std::string option_text(const Option& option) {
  const std::string name = option.only_in_file ? option.name + "\\fR (in the file only)" : roff(option.flag()) + "\\fR";
  std::string text =
      fmt::format(".TP\n\\fB{} \\fI{}\\fR\n{}.\n", name, roff(option.value_name), roff(option.description));
  if (option.kind == OptionKind::kSwitch) return text;
  text += fmt::format("Allowed: {}.\n", roff(option.allowed));
  if (!option.fallback.is_null()) text += fmt::format("Default: {}.\n", roff(option.default_text()));
  return text;
}

std::string options_section() {
  std::string text;
  std::string group;
  for (const Option& option : options_by_group()) {
    if (option.group != group) text += fmt::format(".SS {}\n", option.group);
    group = option.group;
    text += option_text(option);
  }
  return text;
}

std::string clients_section() {
  std::string text;
  for (const Client& client : all_clients()) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}, ~/{}\n", roff(client.name), client.title, roff(client.file));
  }
  return text;
}

void fill(std::string& page, std::string_view place, const std::string& text) {
  const size_t at = page.find(place);
  if (at != std::string::npos) page.replace(at, place.size(), text);
}

}  // namespace

std::string manual() {
  std::string page(kManualPage);
  fill(page, "@VERSION@", std::string(wire::kVersion));
  fill(page, "@OPTIONS@\n", options_section());
  fill(page, "@CLIENTS@\n", clients_section());
  return page;
}

}  // namespace bashcell::commands
