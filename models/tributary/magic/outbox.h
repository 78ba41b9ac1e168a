// SPDX-License-Identifier: Apache-2.0
// The last stage of the controller: hands what a handler sent to the unit that it is for.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/controller/message.h>
#include <tributary/magic/line_outlet.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of the outbox.
struct outbox_config {
  /// Cycles from a handler's send to the interface that it is for.
  std::uint32_t latency = 1;

  void bind(parameter_set& parameters);
};

/// What takes messages for the network.
class message_outlet {
 public:
  /// The header is there in `from`, not before the current cycle; its place is taken at once.
  virtual void push(const message& sent, cycle_t from) = 0;

 protected:
  ~message_outlet() = default;
};

/// What takes answers for the processor.
class answer_outlet {
 public:
  /// The answer to the read with `tag` is there in `from`, not before the current cycle.
  virtual void answer(std::uint8_t tag, word_t value, cycle_t from) = 0;
  /// A line of the processor's interrupts is raised in `from`.
  virtual void interrupt(std::uint32_t /*line*/, cycle_t /*from*/) {}

 protected:
  ~answer_outlet() = default;
};

/// The outbox (FLASH 2.3.1). It holds nothing: a message takes its place in the outgoing queue in
/// the cycle of the send, so that the space that a handler sees is exact, and may leave later.
class outbox final : public block {
 public:
  /// Both outlets must outlive it. Throws `configuration_error` for values out of range.
  outbox(const outbox_config& config, message_outlet& network, answer_outlet& processor);

  const outbox_config& config() const { return config_; }
  /// Where replies to caches go; without it a node has none.
  void set_lines(line_outlet& lines) { lines_ = &lines; }
  bool has_lines() const { return lines_ != nullptr; }

  /// A handler sends a message in the current cycle `now`.
  void send(const message& sent, cycle_t now);
  /// A handler answers an uncached read in the current cycle `now`.
  void answer(std::uint8_t tag, word_t value, cycle_t now);
  /// A handler interrupts the processor in the current cycle `now`.
  void interrupt(std::uint32_t line, cycle_t now);
  /// A handler replies to the caches in the current cycle `now`.
  void reply(const message& sent, cycle_t now);

  const char* name() const override { return "outbox"; }
  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  TRIBUTARY_STATE(messages_, answers_);

  outbox_config config_;
  message_outlet& network_;
  answer_outlet& processor_;
  line_outlet* lines_ = nullptr;
  counter messages_;
  counter answers_;
};

}  // namespace tributary
