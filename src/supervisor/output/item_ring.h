#pragma once
// The last items of a stream: added at one end, taken away at the other.
//
// Places are used again, with the storage of their text: an item that is added is left with that of an older one, so
// that whoever fills it next need not allocate. Storage of long texts is given back.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "supervisor/output/item.h"

namespace bashcell::supervisor {

class ItemRing {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Item& operator[](size_t i) { return slots_[place(i)]; }
  const Item& operator[](size_t i) const { return slots_[place(i)]; }
  Item& front() { return (*this)[0]; }
  Item& back() { return (*this)[size_ - 1]; }

  void push_back(Item&& item) {
    if (size_ > last_) grow();
    slots_[place(size_++)] = std::move(item);
  }

  void pop_front() {
    constexpr size_t kMostReused = 128;
    std::string& text = front().text;
    if (text.capacity() > kMostReused) std::string().swap(text);
    first_ = place(1);
    --size_;
  }

 private:
  size_t place(size_t i) const { return (first_ + i) & last_; }

  void grow() {
    std::vector<Item> more(2 * slots_.size());
    for (size_t i = 0; i < size_; ++i) more[i] = std::move((*this)[i]);
    slots_ = std::move(more);
    last_ = slots_.size() - 1;
    first_ = 0;
  }

  std::vector<Item> slots_{1};  // a power of two of them
  size_t last_ = 0;             // of the slots
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace bashcell::supervisor
