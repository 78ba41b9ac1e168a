// SPDX-License-Identifier: Apache-2.0
#include "divergence.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary::testing {
namespace {

namespace fs = std::filesystem;

const fs::path waveforms = fs::path(TRIBUTARY_BINARY_DIR) / "divergence";

/// Tests that run at the same time build one after the other.
class build_lock {
 public:
  build_lock() : folder_(open(TRIBUTARY_SOURCE_DIR, O_RDONLY | O_DIRECTORY)) {
    flock(folder_, LOCK_EX);
  }
  build_lock(const build_lock&) = delete;
  build_lock& operator=(const build_lock&) = delete;
  ~build_lock() { close(folder_); }

 private:
  int folder_;
};

std::string build_command() {
  const std::string build =
      fmt::format("cmake --build '{}' --target switch_replay", TRIBUTARY_REPLAY_BUILD);
  if (std::string(TRIBUTARY_BINARY_DIR) == TRIBUTARY_REPLAY_BUILD) return build;
  std::string variants = TRIBUTARY_VARIANTS;  // with commas, which no shell minds
  std::replace(variants.begin(), variants.end(), ',', ';');
  return fmt::format("cmake --preset rtl-trace -DTRIBUTARY_RTL_VARIANTS='{}' && {}", variants,
                     build);
}

std::string replay_command(const switch_variant& variant, const run_case& what,
                           std::uint64_t cycle) {
  return fmt::format("'{}/testbenches/cosim/switch_replay' {} {} {} {} {} '{}'",
                     TRIBUTARY_REPLAY_BUILD, variant.name, what.route_bit, what.seed,
                     what.reset_every, cycle, divergence_waveform(variant, what));
}

/// In the source folder, with what it prints in a file; whether it ended well.
bool run(const std::string& command, const fs::path& output) {
  return std::system(fmt::format("cd '{}' && ({}) >'{}' 2>&1", TRIBUTARY_SOURCE_DIR, command,
                                 output.string())
                         .c_str()) == 0;
}

}  // namespace

std::string divergence_waveform(const switch_variant& variant, const run_case& what) {
  return (waveforms / fmt::format("{}_bit{}_seed{}.fst", variant.name, what.route_bit, what.seed))
      .string();
}

std::string replay_divergence(const switch_variant& variant, const run_case& what,
                              std::uint64_t cycle) {
  fs::create_directories(waveforms);
  const std::string fst = divergence_waveform(variant, what);
  fs::remove(fst);
  const fs::path output = fs::path(fst).replace_extension(".log");
  const std::string command = build_command() + " && " + replay_command(variant, what, cycle);
  const std::string again = "to repeat, in " TRIBUTARY_SOURCE_DIR ":\n  " + command + "\n";
  const build_lock lock;
  const bool done = run(command, output) && fs::exists(fst);
  if (!done) {
    return fmt::format("no waveform could be made; {} says why; {}", output.string(), again);
  }
  return fmt::format("waveform of the cycles before it: {}; {} says at what time\n{}", fst,
                     output.string(), again);
}

std::string first_divergence(variant_run& run, const switch_variant& variant, const run_case& what,
                             std::uint64_t cycles) {
  try {
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) run.step();
  } catch (const simulation_error& difference) {
    return std::string(difference.what()) + "\n" + replay_divergence(variant, what, run.now());
  }
  return "";
}

}  // namespace tributary::testing
