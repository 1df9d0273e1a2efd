#include "engine/docker/janitor.h"

#include "engine/docker/engine_api.h"

namespace bashcell::engine::docker {

namespace {

constexpr base::Duration kLimit{2'000};

}  // namespace

Janitor::Janitor(http::ClientMaker make_client, base::Log log) : make_client_(std::move(make_client)), log_(log) {}

Janitor::~Janitor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    end_ = base::now() + kLimit;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Janitor::remove(const Address& address, const std::string& container) {
  const std::lock_guard lock(mutex_);
  orders_.push_back({address, container});
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void Janitor::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !orders_.empty(); });
    if (orders_.empty()) return;
    const Order order = std::move(orders_.front());
    orders_.pop_front();
    const auto limit = ending_ ? std::chrono::duration_cast<base::Duration>(end_ - base::now()) : kLimit;
    lock.unlock();
    if (limit > base::Duration::zero()) carry_out(order, limit);
    lock.lock();
  }
}

void Janitor::carry_out(const Order& order, base::Duration limit) const {
  const base::Result<std::unique_ptr<EngineApi>> api = EngineApi::connect(make_client_, order.address);
  if (!api) return log_.info(api.error().message);
  const base::Result<void> removed = (*api)->remove_container(order.container, limit);
  if (!removed) log_.info(removed.error().message);
}

}  // namespace bashcell::engine::docker
