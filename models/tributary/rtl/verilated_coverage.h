// SPDX-License-Identifier: Apache-2.0
// Coverage of verilated models, in a build that counts it.
#pragma once

#include <cstdlib>
#include <string>

#include <unistd.h>

#include <tributary/rtl/verilator_runtime.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif

namespace tributary {

/// Where the models were verilated with coverage (TRIBUTARY_RTL_COVERAGE): writes what a context
/// has counted into a file of its own in the folder that the environment names as
/// TRIBUTARY_RTL_COVERAGE_DIR; nothing if it names none. For destructors: a folder that cannot be
/// written ends the program with a message, since coverage would be lost.
inline void write_coverage([[maybe_unused]] VerilatedContext& context) {
#if VM_COVERAGE
  const char* const folder = std::getenv("TRIBUTARY_RTL_COVERAGE_DIR");
  if (folder == nullptr || *folder == '\0') return;
  std::string path = std::string(folder) + "/XXXXXX.dat";
  constexpr int suffix = 4;
  const int file = mkstemps(path.data(), suffix);
  if (file < 0) {
    VL_FATAL_MT(folder, 0, "", "TRIBUTARY_RTL_COVERAGE_DIR is no folder that can be written to");
  }
  close(file);
  context.coveragep()->write(path.c_str());
#endif
}

}  // namespace tributary
