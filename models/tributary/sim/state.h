// SPDX-License-Identifier: Apache-2.0
// What of a class checkpoints hold.
#pragma once

namespace cereal {
class access;
}

/// In a class: its members that change, statistics included, in the order in which checkpoints hold
/// them. `save_state(object)` and `restore_state(bytes, object)` of sim/state_archive.h use it.
#define TRIBUTARY_STATE(...)         \
  template <class Archive>           \
  void serialize(Archive& archive) { \
    archive(__VA_ARGS__);            \
  }                                  \
  friend class ::cereal::access
