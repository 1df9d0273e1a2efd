#include "engine/oci/reaper.h"

#include <algorithm>

namespace bashcell::engine::oci {

void Reaper::adopt(base::Child child) {
  const std::lock_guard lock(mutex_);
  children_.push_back(std::move(child));
}

void Reaper::collect() {
  const std::lock_guard lock(mutex_);
  std::erase_if(children_, [](base::Child& child) {
    child.poll();
    return !child.running();
  });
}

}  // namespace bashcell::engine::oci
