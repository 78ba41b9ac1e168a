// SPDX-License-Identifier: Apache-2.0
// The parameter sets of the combining switch that were verilated in this build.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <tributary/network/omega/switch_implementation.h>
#include <tributary/rtl/switch_parameters.h>

namespace tributary {

struct verilated_options;

/// One of them; cmake/switch_variants.cmake lists all that a build may have.
struct switch_variant {
  std::string name;
  switch_parameters parameters;
  std::unique_ptr<switch_implementation> (*make)(unsigned route_bit, const verilated_options&);
};

/// Its name, as tests print it.
inline std::ostream& operator<<(std::ostream& out, const switch_variant& variant) {
  return out << variant.name;
}

/// In the order of the list; option TRIBUTARY_RTL_VARIANTS chooses.
std::vector<switch_variant> built_switch_variants();

/// The variant that behaves as `config` says. Throws `configuration_error`, which names
/// network.rtl, lists the variants that were built and says how to build another, where none does.
switch_variant switch_variant_of(const combining_switch_config& config);

}  // namespace tributary
