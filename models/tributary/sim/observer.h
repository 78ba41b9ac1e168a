// SPDX-License-Identifier: Apache-2.0
// Somebody is told of events as they happen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <tributary/sim/error.h>

namespace tributary {

/// Somebody who is told of every event of one kind as it happens.
template <class Event>
class observer {
 public:
  observer() = default;
  observer(const observer&) = default;
  observer(observer&&) noexcept = default;
  observer& operator=(const observer&) = default;
  observer& operator=(observer&&) noexcept = default;
  virtual ~observer() = default;

  virtual void on_event(const Event& event) = 0;
};

/// The observers of one source of events, told in the order in which they were attached.
/// It does not own them: each must be detached before it ends, and neither from within on_event.
template <class Event>
class observer_list {
 public:
  /// Throws `error` if it is attached already, since it would see everything twice.
  void attach(observer<Event>& added) {
    if (std::find(observers_.begin(), observers_.end(), &added) != observers_.end()) {
      throw error("observer attached twice to one source; attach it once");
    }
    observers_.push_back(&added);
  }

  /// Does nothing if it is not attached.
  void detach(observer<Event>& removed) {
    observers_.erase(std::remove(observers_.begin(), observers_.end(), &removed), observers_.end());
  }

  void notify(const Event& event) const {
    for (observer<Event>* each : observers_) {
      each->on_event(event);
    }
  }

  /// Asked before an event is made up, so that an unobserved source costs one test.
  bool empty() const noexcept { return observers_.empty(); }
  std::size_t size() const noexcept { return observers_.size(); }

 private:
  std::vector<observer<Event>*> observers_;
};

}  // namespace tributary
