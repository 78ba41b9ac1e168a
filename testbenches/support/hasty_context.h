// SPDX-License-Identifier: Apache-2.0
// A processing element that does not wait for others, so that a test of an application has to
// notice.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include <tributary/memory/operation.h>
#include <tributary/processor/program.h>

#include "failure.h"
#include "forwarding_context.h"
#include "ideal_machine.h"

namespace tributary::testing {

/// Looks at a word once where a program would spin.
class hasty_context final : public forwarding_context {
 public:
  explicit hasty_context(program_context& working) : forwarding_context(working, working.size()) {}

 protected:
  word_t spin_until(std::uint64_t address, const word_predicate&) override {
    return working_.load(address);
  }
};

/// Why an application fails on four such processors, where memory is slow; empty if it does not.
inline std::string failure_in_haste(program& application) {
  ideal_config machine;
  machine.elements = 4;
  machine.slowest = 400;
  return failure<std::exception>([&] {
    ideal_machine(machine, 1, make_program([&](program_context& context) {
                    hasty_context hasty(context);
                    application.run(hasty);
                  }))
        .run();
  });
}

}  // namespace tributary::testing
