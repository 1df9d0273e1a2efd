#include "table.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace bashcell::bench {

namespace {

std::string goal_text(const Row& row) {
  if (!row.at_most && !row.at_least) return "-";
  const char* relation = row.at_most ? "<=" : ">=";
  const double goal = row.at_most ? *row.at_most : *row.at_least;
  if (row.ratios.size() > 0) return fmt::format("{} {:.2g} x", relation, goal);
  return fmt::format("{} {:.0f} {}", relation, goal, row.unit);
}

std::string value_text(const Samples& values, const std::string& unit) {
  if (values.size() == 0) return "-";
  return fmt::format("{:.2f} {}", values.median(), unit);
}

// "0.93 (0.91..1.02)": of the ratios where there is a baseline, else of our own values.
std::string spread_text(const Row& row) {
  const Samples& values = row.judged();
  return fmt::format("{:.2f} ({:.2f}..{:.2f})", values.median(), values.smallest(), values.largest());
}

std::string verdict(const Row& row) {
  if (!row.at_most && !row.at_least) return "info";
  return row.met() ? "yes" : "NO";
}

void print_line(const std::string& name, const std::string& goal, const std::string& ours, const std::string& baseline,
                const std::string& spread, const std::string& met) {
  fmt::print("{:<50} {:>15} {:>15} {:>10} {:>22} {:>5}\n", name, goal, ours, baseline, spread, met);
}

nlohmann::json summary(const Samples& values) {
  return {{"median", values.median()}, {"min", values.smallest()}, {"max", values.largest()}};
}

}  // namespace

void Row::add_round(double our_value, double baseline_value) {
  ours.add(our_value);
  baseline.add(baseline_value);
  ratios.add(our_value / baseline_value);
}

int print_table(const std::vector<Row>& rows) {
  print_line("what", "goal", "ours", "baseline", "median (min..max)", "met");
  for (const Row& row : rows) {
    print_line(row.name, goal_text(row), value_text(row.ours, row.unit), value_text(row.baseline, row.unit),
               spread_text(row), verdict(row));
  }
  int missed = 0;
  for (const Row& row : rows) {
    if (row.met()) continue;
    ++missed;
    fmt::print("missed: {}: {:.2f}, the goal is {}\n", row.name, row.judged().median(), goal_text(row));
  }
  return missed;
}

std::string as_json(const std::vector<Row>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json& item = list.emplace_back(nlohmann::json{{"name", row.name}, {"unit", row.unit}});
    if (row.ours.size() > 0) item["ours"] = summary(row.ours);
    if (row.baseline.size() > 0) item["baseline"] = summary(row.baseline);
    if (row.ratios.size() > 0) item["ratio"] = summary(row.ratios);
    if (!row.at_most && !row.at_least) continue;
    item["goal"] = goal_text(row);
    item["met"] = row.met();
  }
  return list.dump(1) + "\n";
}

}  // namespace bashcell::bench
