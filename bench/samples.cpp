#include "samples.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bashcell::bench {

double Samples::percentile(double percent) const {
  if (values_.empty()) throw std::logic_error("no samples");
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace bashcell::bench
