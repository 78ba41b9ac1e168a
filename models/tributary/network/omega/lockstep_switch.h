// SPDX-License-Identifier: Apache-2.0
// Two implementations of one switch side by side: the first cycle in which they differ.
#pragma once

#include <memory>
#include <string>

#include <tributary/network/omega/switch_implementation.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// An implementation next to its reference, usually a `core_switch`: both see the same inputs,
/// and the implementation's outputs go on. Compared in every cycle: ready bits, what leaves, what
/// happened (`switch_activity`), occupancies where both show them, and emptiness.
///
/// Errors: `simulation_error` at the first difference, with the cycle, what differs, and both
/// states. In a platform, this tells when and where RTL departs from the model.
class lockstep_switch final : public switch_implementation {
 public:
  /// `name` stands in messages: "stage 3 switch 5".
  lockstep_switch(std::string name, std::unique_ptr<switch_implementation> reference,
                  std::unique_ptr<switch_implementation> implementation);

  std::uint8_t request_ready(unsigned input) const override {
    return implementation_->request_ready(input);
  }
  bool reply_ready(unsigned output) const override { return implementation_->reply_ready(output); }
  const switch_traffic& depart(const std::array<std::uint8_t, 2>& next_request_ready,
                               const std::array<bool, 2>& next_reply_ready) override;
  const switch_activity& commit(const switch_traffic& arriving) override;
  bool idle() const override { return implementation_->idle(); }
  void reset() override;
  std::optional<switch_occupancy> occupancy() const override {
    return implementation_->occupancy();
  }
  std::string state() const override { return implementation_->state(); }

  const switch_implementation& reference() const { return *reference_; }
  const switch_implementation& implementation() const { return *implementation_; }
  /// Cycles since reset.
  cycle_t now() const { return now_; }

 private:
  void compare_state();
  /// Throws, with what each of the two shows.
  [[noreturn]] void differ(const std::string& difference, const std::string& reference,
                           const std::string& implementation) const;

  std::string name_;
  std::unique_ptr<switch_implementation> reference_;
  std::unique_ptr<switch_implementation> implementation_;
  cycle_t now_ = 0;
};

}  // namespace tributary
