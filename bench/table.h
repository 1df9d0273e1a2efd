#pragma once
// What was measured against what was promised. Each round gives one value a row; the medians over the rounds count, and
// the spread is shown, since one round on a busy machine says little.

#include <optional>
#include <string>
#include <vector>

#include "samples.h"

namespace bashcell::bench {

struct Row {
  std::string name;
  std::string unit;                // of `ours` and `baseline`
  Samples ours;                    // one value a round
  Samples baseline;                // likewise, in the same order; empty: there is nothing to compare with
  Samples ratios;                  // ours / baseline, each round by itself
  std::optional<double> at_most;   // of the ratio, else of ours; neither: shown for information
  std::optional<double> at_least;  // likewise

  void add_round(double our_value) { ours.add(our_value); }
  void add_round(double our_value, double baseline_value);
  // What is held against the goal.
  const Samples& judged() const { return ratios.size() > 0 ? ratios : ours; }
  bool met() const {
    return (!at_most || judged().median() <= *at_most) && (!at_least || judged().median() >= *at_least);
  }
};

// Prints the rows, and a line for each goal that was missed. Returns how many were.
int print_table(const std::vector<Row>& rows);

// The rows as data: name, unit, median, smallest and largest of each column, the goal as it is printed, and whether it
// was met. What there is not is left out. bench/report.py reads it.
std::string as_json(const std::vector<Row>& rows);

}  // namespace bashcell::bench
