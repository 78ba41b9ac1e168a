// SPDX-License-Identifier: Apache-2.0
// The machines that programs are tested on: the designs of the paper, and others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/processor/program.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary::testing {

/// A design of the switches by its name in the paper.
struct named_design {
  const char* name;
  combining_switch_config switches;
};

/// The paper's: no combining, baseline, wait buffer 100, improved, aggressive; and three others:
/// baseline with the order `ordered`, improved with systolic queues and with gradual ones.
const std::vector<named_design>& designs_for_programs();

/// A machine with that design on which programs start within 50 cycles.
ultracomputer_config program_machine(const named_design& design, std::uint32_t elements);

/// Runs to the end of all programs, then drains. Throws `simulation_error` if they have not ended
/// after `at_most` cycles.
void run_to_end(ultracomputer& machine, cycle_t at_most = 50000000);

/// Makes a program anew for each machine, by its name.
using program_maker = std::function<std::unique_ptr<program>(const std::string& machine)>;

}  // namespace tributary::testing
