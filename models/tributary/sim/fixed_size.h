// SPDX-License-Identifier: Apache-2.0
// Vectors whose size a configuration sets once, in checkpoints.
#pragma once

#include <tributary/sim/error.h>

namespace tributary {

/// In a list of saved members: a vector that keeps its size. Reading another size back throws
/// `input_error`, so that an index into it stays within it.
template <class Vector>
class fixed_size {
 public:
  explicit fixed_size(Vector& values) : values_(values) {}

  template <class Archive>
  void serialize(Archive& archive) {
    const auto size = values_.size();
    archive(values_);
    if (values_.size() == size) return;
    throw input_error(
        "checkpoint does not fit this machine: a list has another length; resume with the machine "
        "that made it");
  }

 private:
  Vector& values_;
};

/// Refuses a restored count or index that its buffer does not have. Throws `input_error`.
inline void require_within(bool fits) {
  if (fits) return;
  throw input_error(
      "checkpoint does not fit this machine: a count is beyond its buffer; make the checkpoint "
      "again");
}

}  // namespace tributary
