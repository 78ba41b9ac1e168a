// SPDX-License-Identifier: Apache-2.0
// What the handlers of fetch-and-phi cost.
#pragma once

#include <cstdint>

namespace tributary {

class parameter_set;

/// Occupancies. None is published: they are assumed after loads and stores (`uncached_costs`). What
/// it costs to own a coherent line comes in addition (`pp_ownership_costs`).
struct fetch_op_costs {
  std::uint64_t perform = 16;
  std::uint64_t forward = 3;
  std::uint64_t reply = 2;
  std::uint64_t keep = 10;
  std::uint64_t again = 10;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
