// SPDX-License-Identifier: Apache-2.0
// What is to be done however a scope is left.
#pragma once

#include <utility>

namespace tributary {

/// Acts at the end of its scope, also where that ends by an exception: a target may throw, and the
/// kernel unwinds a thread that is killed or reset in a wait.
template <class Act>
class on_exit {
 public:
  explicit on_exit(Act act) : act_(std::move(act)) {}
  on_exit(const on_exit&) = delete;
  on_exit& operator=(const on_exit&) = delete;
  ~on_exit() { act_(); }

 private:
  Act act_;
};

}  // namespace tributary
