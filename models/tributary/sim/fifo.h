// SPDX-License-Identifier: Apache-2.0
// A small queue for the many: one vector, no heap before its first use.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

namespace tributary {

/// First in, first out, unbounded. Unlike std::deque one that was never used takes no heap, which
/// counts where there is one per processing element. A value: it can be copied, compared and stored
/// if T can.
template <class T>
class fifo {
 public:
  bool empty() const noexcept { return head_ == items_.size(); }
  std::size_t size() const noexcept { return items_.size() - head_; }
  const T& front() const { return items_[head_]; }
  /// The i-th oldest.
  const T& operator[](std::size_t i) const { return items_[head_ + i]; }
  T& operator[](std::size_t i) { return items_[head_ + i]; }

  void push(const T& item) { items_.push_back(item); }

  void pop() {
    ++head_;
    if (head_ == items_.size()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= 32 && 2 * head_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

  bool operator==(const fifo& other) const {
    if (size() != other.size()) return false;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!((*this)[i] == other[i])) return false;
    }
    return true;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(items_, head_);
    if constexpr (Archive::is_loading::value) {
      if (head_ > items_.size()) {
        throw input_error("checkpoint does not fit this machine: a queue begins behind its end");
      }
    }
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace tributary
