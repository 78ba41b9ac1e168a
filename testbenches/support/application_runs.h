// SPDX-License-Identifier: Apache-2.0
// Applications on machines that find their faults: coherent nodes, and contexts with a fault.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include <tributary/algorithms/application_process.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

#include "failure.h"
#include "faulty_context.h"
#include "ideal_machine.h"
#include "synchronizing_machine.h"

namespace tributary::testing {

/// Why an application fails on four processors whose contexts have that fault, where memory is
/// slow; empty if it does not.
inline std::string failure_with(context_fault fault, std::uint64_t seed, program& application) {
  ideal_config machine;
  machine.slowest = 400;
  return failure<std::exception>([&] {
    ideal_machine(machine, seed, make_program([&](program_context& context) {
                    faulty_context faulty(context, fault);
                    application.run(faulty);
                  }))
        .run();
  });
}

/// Why one fails on four coherent nodes whose controllers keep locks and barriers; empty if it does
/// not. `make` gets their address map and a `kept_synchronization`.
template <class Make>
std::string failure_on_coherent_nodes(const Make& make) {
  synchronizing_machine machine(4);
  const std::unique_ptr<program> application =
      make(machine.map(),
           kept_synchronization{machine.lock_place(0, 0), machine.barrier_place(), 1, true});
  application->reset();
  return failure<std::exception>(
      [&] { machine.run([&](program_context& context) { application->run(context); }); });
}

}  // namespace tributary::testing
