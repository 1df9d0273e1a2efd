#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/file.h"
#include "config_options.h"

namespace bashcell {
namespace {

// The README's row for an option: what schemas/config.json says, and nothing else.
std::string row(const Option& option) {
  const std::string value = option.value_name.empty() ? "" : " " + option.value_name;
  const std::string fallback = option.fallback.is_null()     ? ""
                               : option.fallback.is_string() ? option.fallback.get<std::string>()
                                                             : option.fallback.dump();
  const std::string name =
      option.only_in_file ? fmt::format("`{}` (file only)", option.name) : fmt::format("`{}{}`", option.flag(), value);
  return fmt::format("| {} | {} | {} | {} |\n", name, fallback, option.description, option.allowed);
}

TEST_CASE("the README's table of options is what the schema says") {
  const auto readme = base::read_file(SOURCE_FOLDER "/README.md");
  REQUIRE(readme.ok());
  std::string table = "| option | default | what it sets | allowed |\n| --- | --- | --- | --- |\n";
  for (const Option& option : all_options()) table += row(option);
  INFO("README.md must contain:\n" << table);
  CHECK(readme->find(table) != std::string::npos);
}

}  // namespace
}  // namespace bashcell
