// SPDX-License-Identifier: Apache-2.0
// From exceptions of the cores to reports of the modules.
#pragma once

#include <string>

#include <tributary/sim/error.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Makes something whose constructor may throw an `error`, which is reported under `message` with
/// the name of `module`, and thrown again where reports do not throw.
template <class Make>
auto make_or_report(const sc_core::sc_object& module, const char* message, const Make& make) {
  try {
    return make();
  } catch (const error& problem) {
    const std::string text = std::string(module.name()) + ": " + problem.what();
    SC_REPORT_ERROR(message, text.c_str());
    throw;
  }
}

}  // namespace tributary
