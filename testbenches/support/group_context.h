// SPDX-License-Identifier: Apache-2.0
// The first few elements of a machine as if there were no others: groups of any size.
#pragma once

#include <cstdint>
#include <string_view>

#include <tributary/workload/program.h>

namespace tributary::testing {

/// Passes everything on to a context of a larger machine, whose size it hides.
class group_context final : public program_context {
 public:
  /// For elements of rank below `members`.
  group_context(program_context& whole, std::uint32_t members)
      : program_context(whole.rank(), members), whole_(whole) {}

  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override {
    return whole_.issue(what, address, e, f);
  }
  word_t wait(const pending& reference) override { return whole_.wait(reference); }
  void post(operation what, std::uint64_t address, word_t e, word_t f) override {
    whole_.post(what, address, e, f);
  }
  void fence() override { whole_.fence(); }
  void delay(std::uint64_t cycles) override { whole_.delay(cycles); }
  std::uint64_t random(std::uint64_t n) override { return whole_.random(n); }
  cycle_t now() override { return whole_.now(); }
  std::uint64_t shared_address(std::uint64_t word) const override {
    return whole_.shared_address(word);
  }
  std::uint64_t shared_address(mm_id module, std::uint64_t row) const override {
    return whole_.shared_address(module, row);
  }
  std::uint64_t local_address(pe_id owner, std::uint64_t word) const override {
    return whole_.local_address(owner, word);
  }
  void mark(std::string_view name) override { whole_.mark(name); }
  void begin(std::string_view name) override { whole_.begin(name); }
  void end(std::string_view name) override { whole_.end(name); }
  void sample(std::string_view name, std::uint64_t value) override { whole_.sample(name, value); }

 protected:
  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override {
    return whole_.spin(address, [&predicate](word_t word) { return predicate(word); });
  }

 private:
  program_context& whole_;
};

}  // namespace tributary::testing
