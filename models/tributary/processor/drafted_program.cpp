// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/drafted_program.h>

#include <cstdint>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include <tributary/processor/forwarding_context.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// What the other program sees: all of the processor but a line of interrupts.
class drafted_context final : public forwarding_context {
 public:
  drafted_context(program_context& whole, std::uint32_t line)
      : forwarding_context(whole, whole.size()), line_(line) {}

  word_t perform(operation op, std::uint64_t address, word_t e, word_t f) override {
    return working_.perform(op, address, e, f);
  }

  void interrupts(std::uint32_t line, std::function<void(program_context&)> handler) override {
    if (line == line_) {
      throw simulation_error(fmt::format(
          "the program of rank {} serves interrupts of line {}, by which its node has processors "
          "run handlers; choose another line",
          rank(), line));
    }
    working_.interrupts(line, std::move(handler));
  }

 private:
  std::uint32_t line_;
};

}  // namespace

void drafted_program::run(program_context& context) {
  context.interrupts(registers_.line, [act = registers_.act](program_context& interrupted) {
    interrupted.load(act);
  });
  drafted_context seen(context, registers_.line);
  own_->run(seen);
  context.store(registers_.rest, 1);
}

}  // namespace tributary
