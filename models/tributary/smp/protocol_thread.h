// SPDX-License-Identifier: Apache-2.0
// Runs the handlers of a node whose protocol is software, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/executor.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/network_message.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/word_memory.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/smp/handler_accesses.h>
#include <tributary/smp/message_gate.h>
#include <tributary/smp/payload_memory.h>

namespace tributary {

/// A time that differs from one service to the next.
struct service_variation {
  /// Each service takes so many per cent more or less, all equally likely.
  std::uint32_t percent = 0;

  /// A service of so many cycles, as it is this time.
  std::uint64_t of(std::uint64_t cycles, random_stream& draws) const {
    if (percent == 0) return cycles;
    const std::uint64_t width = std::uint64_t{20} * percent;  // in thousandths
    const std::uint64_t thousandths = 1000 - width / 2 + draws.below(width + 1);
    return (cycles * thousandths + 500) / 1000;
  }
};

/// Who waits for what handlers do.
class protocol_thread_client {
 public:
  /// A handler answered the access with this tag.
  virtual void answered(std::uint8_t tag, word_t value, cycle_t now) = 0;
  /// A handler gave a processor what its access was forbidden for.
  virtual void line_came(std::uint8_t tag, cycle_t now) = 0;
  /// A handler put another one off, which is to run like one of a message that came.
  virtual void put_off(handler_id run, const message& with, cycle_t now) = 0;
  /// The handler that was begun last has ended.
  virtual void handler_ended(cycle_t now) = 0;

 protected:
  ~protocol_thread_client() = default;
};

/// The protocol as a thread of the node: handlers run to completion, one after the other, on
/// whichever processor acts. Their time is what they spend (`handler_context::spend`), times the
/// variation of this run of it. All other operations take no time (level Q), or that of accesses of
/// the processor that acts where `handler_accesses` are set (level B).
class protocol_thread final : public block, private timed_block {
 public:
  struct units {
    message_gate& network;
    word_memory& memory;
    line_size line;  ///< of the memory; a payload holds one
  };

  /// References must outlive it. `draws`: of the variation.
  protocol_thread(agenda& time, node_id here, const address_layout& addresses,
                  const protocol_set& protocols, executor& runs, const units& around,
                  const service_variation& variation, const random_stream& draws);

  void set_client(protocol_thread_client& client) { client_ = &client; }
  void set_accesses(handler_accesses& accesses) { accesses_ = &accesses; }
  /// The handler's access of a block that is checked; ends the simulation, as handlers `fill` and
  /// `spill` these.
  [[noreturn]] void touched_block(std::uint64_t offset) const;
  /// The accesses that were begun have ended; `found`: by the loads among them.
  void accesses_done(const std::vector<word_t>& found, cycle_t now);

  /// Begins a handler in cycle `at`, now or later; none may run.
  void begin(handler_id run, const message& with, cycle_t at);
  bool running() const { return running_; }
  /// The handler that runs or will begin, and its message.
  handler_id handler() const { return run_; }
  const message& header() const { return header_; }
  /// The cycle in which it began.
  cycle_t began() const { return begun_at_; }

  /// A message and its payload as handlers get it.
  message take_in(const network_message& arrived);
  /// Puts words into a payload of the node's memory, for a message of a processor.
  payload_handle payload_of(word_t first, word_t second);

  const char* name() const override { return "protocol"; }
  bool idle() const override { return !running_; }
  std::size_t payloads_in_use() const { return payloads_.in_use(); }
  std::uint64_t dispatches() const { return dispatches_.value(); }
  /// Measured cycles in which a handler ran.
  std::uint64_t busy() const { return busy_.value(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  TRIBUTARY_STATE(running_, begun_, run_, header_, asked_, begun_at_, awaits_since_, lets_retry_,
                  awaited_, counted_in_, operations_, owes_answer_, owes_reload_, held_, payloads_,
                  draws_, scale_, dispatches_, busy_, occupancies_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void run(cycle_t now);
  cycle_t due_of(const handler_request& request) const;
  void count_operation(cycle_t now);
  void end(cycle_t now);
  std::optional<handler_answer> attempt(const handler_request& request, cycle_t now);

  // The operations of operations.def.
  template <class Controller>
  friend std::optional<handler_answer> perform_operation(Controller& controller,
                                                         const handler_request& request,
                                                         cycle_t now);
  using answer_or_wait = std::optional<handler_answer>;
  void now(const handler_request&, cycle_t) {}
  std::uint64_t space(const handler_request& request, cycle_t now) const;
  answer_or_wait send(const handler_request& request, cycle_t now);
  answer_or_wait answer(const handler_request& request, cycle_t now);
  void tell_answer(const handler_request& request, cycle_t now);
  word_t keep_read(const handler_request& request, cycle_t now);
  payload_handle allocate(const handler_request& request, cycle_t now);
  void retain(const handler_request& request, cycle_t now);
  void release(const handler_request& request, cycle_t now);
  word_t word(const handler_request& request, cycle_t now) const;
  void set_word(const handler_request& request, cycle_t now);
  answer_or_wait fill(const handler_request& request, cycle_t now);
  answer_or_wait spill(const handler_request& request, cycle_t now);
  answer_or_wait spill_word(const handler_request& request, cycle_t now);
  void settle(const handler_request&, cycle_t) {}
  answer_or_wait load(const handler_request& request, cycle_t now);
  answer_or_wait store(const handler_request& request, cycle_t now);
  answer_or_wait write(std::uint64_t offset, word_t value, cycle_t now);
  void count(const handler_request&, cycle_t) {}
  // Where operations take no time only.
  void fill_realigned(const handler_request& request, cycle_t now);
  void later(const handler_request& request, cycle_t now);
  void again(const handler_request& request, cycle_t now);
  void done(const handler_request& request, cycle_t now);
  void put_off(handler_id run, const message& with, cycle_t now);
  /// The deferred handler that runs says what becomes of it.
  void pay_reload();
  // What this controller does not have.
  void after(const handler_request&, cycle_t) { refuse("after"); }
  void interrupt(const handler_request&, cycle_t) { refuse("interrupt"); }
  void intervene(const handler_request&, cycle_t) { refuse("intervene"); }
  word_t state_reply(const handler_request&, cycle_t) { refuse("state_reply"); }

  /// Begins accesses, and lets the handler wait for them.
  answer_or_wait await(const processor_steps& steps, cycle_t now);
  answer_or_wait await_block(const processor_steps& steps, cycle_t now);
  /// What an operation gives that needs no access.
  static answer_or_wait at_once(cycle_t now, word_t value = 0) {
    return handler_answer{now, value, no_payload};
  }
  /// Loads of each word from an offset of memory on, or stores of a payload's words there.
  processor_steps line_loads(std::uint64_t from) const;
  processor_steps line_stores(std::uint64_t to, const line_data& words) const;

  bool give_up(payload_handle data);
  void require_payload(payload_handle data, const char* operation) const;
  /// The doubleword of a payload of which a request is.
  std::size_t place_in(const handler_request& request, const char* operation) const;
  std::uint64_t offset_of(std::uint64_t address) const;
  std::uint64_t line_of(std::uint64_t address) const;
  [[noreturn]] void refuse(const char* operation) const;
  [[noreturn]] void breach(const char* rule, const std::string& fault) const;

  agenda& agenda_;
  node_id here_;
  const address_layout& addresses_;
  const protocol_set& protocols_;
  executor& executor_;
  units units_;
  service_variation variation_;
  protocol_thread_client* client_ = nullptr;
  handler_accesses* accesses_ = nullptr;

  bool running_ = false;
  bool begun_ = false;  ///< the body has
  handler_id run_ = no_handler;
  message header_;
  handler_request asked_;
  cycle_t begun_at_ = 0;
  cycle_t awaits_since_ = 0;   ///< its accesses
  bool lets_retry_ = false;    ///< a processor tries its access again
  std::uint64_t awaited_ = 0;  ///< cycles for which it has waited for accesses
  cycle_t counted_in_ = 0;
  std::uint64_t operations_ = 0;  ///< in that cycle
  bool owes_answer_ = false;
  bool owes_reload_ = false;  ///< a deferred handler runs, and has said neither `again` nor `done`
  std::vector<payload_handle> held_;
  payload_memory payloads_;
  random_stream draws_;
  std::uint64_t scale_ = 1000;  ///< of this run of a handler, in thousandths
  counter dispatches_;
  counter busy_;
  std::vector<average> occupancies_;  ///< by handler
};

}  // namespace tributary
