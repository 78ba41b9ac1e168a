// SPDX-License-Identifier: Apache-2.0
// A program on a processor that may have to act as its node's protocol processor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/processor/program.h>

namespace tributary {

/// Where such a processor finds its node's registers (`schedule_registers`).
struct draft_registers {
  std::uint64_t act = 0;   ///< byte address, of node 0
  std::uint64_t rest = 0;  ///< the same
  std::uint32_t line = 0;  ///< of interrupts
};

/// Runs another program, and acts while it is interrupted; it rests once the program has ended. The
/// line of the interrupts is not the other program's: if that serves it, a `simulation_error` says
/// so.
class drafted_program final : public program {
 public:
  drafted_program(std::unique_ptr<program> own, const draft_registers& registers)
      : own_(std::move(own)), registers_(registers) {}

  void reset() override { own_->reset(); }
  std::vector<std::string> marks() const override { return own_->marks(); }
  bool endless() const override { return own_->endless(); }

  void run(program_context& context) override;

 private:
  std::unique_ptr<program> own_;
  draft_registers registers_;
};

}  // namespace tributary
