// SPDX-License-Identifier: Apache-2.0
// The switch with a seeded fault: the head of a decoupled queue combines.
#pragma once

#include <memory>

#include <tributary/rtl/switch_variants.h>
#include <tributary/rtl/verilated_switch.h>

#include <switch_faulty.h>

namespace tributary::testing {

inline switch_variant faulty_switch() {
  return {switch_faulty::name, switch_faulty::parameters,
          [](unsigned route_bit, const verilated_options& options) {
            return std::unique_ptr<switch_implementation>(
                std::make_unique<verilated_switch<switch_faulty>>(route_bit, options));
          }};
}

}  // namespace tributary::testing
