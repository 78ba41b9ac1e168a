// SPDX-License-Identifier: Apache-2.0
// A program's context that passes everything on to another: what is different its heir overrides.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <tributary/processor/program.h>

namespace tributary {

/// Does nothing of its own. `working` must outlive it.
class forwarding_context : public program_context {
 public:
  word_t refer(access_kind kind, std::uint64_t address, word_t value) override {
    return working_.refer(kind, address, value);
  }
  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override {
    return working_.issue(what, address, e, f);
  }
  word_t wait(const pending& reference) override { return working_.wait(reference); }
  void post(operation what, std::uint64_t address, word_t e, word_t f) override {
    working_.post(what, address, e, f);
  }
  void fence() override { working_.fence(); }
  word_t outside(std::uint64_t period,
                 const std::function<std::optional<word_t>()>& look) override {
    return working_.outside(period, look);
  }
  void interrupts(std::uint32_t line, std::function<void(program_context&)> handler) override {
    working_.interrupts(line, std::move(handler));
  }
  void mask(std::uint32_t line) override { working_.mask(line); }
  void unmask(std::uint32_t line) override { working_.unmask(line); }
  void set_purpose(std::uint8_t purpose) override { working_.set_purpose(purpose); }
  std::uint8_t purpose() const override { return working_.purpose(); }
  void delay(std::uint64_t cycles) override { working_.delay(cycles); }
  std::uint64_t random(std::uint64_t n) override { return working_.random(n); }
  cycle_t now() override { return working_.now(); }
  std::uint64_t shared_address(std::uint64_t word) const override {
    return working_.shared_address(word);
  }
  std::uint64_t shared_address(mm_id module, std::uint64_t row) const override {
    return working_.shared_address(module, row);
  }
  std::uint64_t local_address(pe_id owner, std::uint64_t word) const override {
    return working_.local_address(owner, word);
  }
  void mark(std::string_view name) override { working_.mark(name); }
  void begin(std::string_view name) override { working_.begin(name); }
  void end(std::string_view name) override { working_.end(name); }
  void sample(std::string_view name, std::uint64_t value) override { working_.sample(name, value); }

 protected:
  /// `size`: how many elements the program is told of.
  forwarding_context(program_context& working, std::uint32_t size)
      : program_context(working.rank(), size, working.processes()), working_(working) {}
  ~forwarding_context() = default;

  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override {
    return working_.spin(address, [&predicate](word_t word) { return predicate(word); });
  }

  program_context& working_;
};

}  // namespace tributary
