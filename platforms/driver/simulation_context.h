// SPDX-License-Identifier: Apache-2.0
// A SystemC kernel of its own for one simulation.
#pragma once

#include <memory>

#include <tributary/systemc/systemc.h>

namespace tributary {

/// The current simulation context while it lives, so that a program can elaborate one platform
/// after the other, which a context allows once. Modules made in it must end before it; contexts
/// end in the reverse order. It uses two symbols of SystemC that IEEE 1666 does not name.
class simulation_context {
 public:
  simulation_context()
      : own_(std::make_unique<sc_core::sc_simcontext>()),
        current_before_(sc_core::sc_curr_simcontext),
        default_before_(sc_core::sc_default_global_context) {
    sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = own_.get();
  }
  ~simulation_context() {
    own_.reset();
    sc_core::sc_curr_simcontext = current_before_;
    sc_core::sc_default_global_context = default_before_;
  }
  simulation_context(const simulation_context&) = delete;
  simulation_context& operator=(const simulation_context&) = delete;

 private:
  std::unique_ptr<sc_core::sc_simcontext> own_;
  sc_core::sc_simcontext* current_before_;
  sc_core::sc_simcontext* default_before_;
};

}  // namespace tributary
