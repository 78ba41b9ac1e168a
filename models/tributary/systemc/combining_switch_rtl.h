// SPDX-License-Identifier: Apache-2.0
// Verilated RTL of a combining switch as a module.
#pragma once

#include <memory>

#include <tributary/rtl/switch_parameters.h>
#include <tributary/rtl/verilated_options.h>
#include <tributary/rtl/verilated_switch.h>
#include <tributary/systemc/combining_switch_module.h>

namespace tributary {

/// A `combining_switch_module` around a `verilated_switch`. `Design` as there: of
/// tributary_verilate_switch.
template <class Design>
class combining_switch_rtl : public combining_switch_module {
 public:
  /// `route_bit` as of `combining_switch_module`; messages and waveforms have the module's name.
  explicit combining_switch_rtl(const sc_core::sc_module_name& name, unsigned route_bit = 0,
                                const verilated_options& options = {})
      : combining_switch_module(name,
                                std::make_unique<verilated_switch<Design>>(
                                    route_bit, named(options, static_cast<const char*>(name))),
                                config_of(Design::parameters), route_bit) {}

  const char* kind() const override { return "tributary::combining_switch_rtl"; }

 private:
  static verilated_options named(verilated_options options, const char* name) {
    options.name = name;
    return options;
  }
};

}  // namespace tributary
