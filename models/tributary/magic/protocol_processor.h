// SPDX-License-Identifier: Apache-2.0
// The programmable core of the controller: runs handlers to completion, one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/executor.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/idle_handler.h>
#include <tributary/magic/inbox.h>
#include <tributary/magic/line_outlet.h>
#include <tributary/magic/outbox.h>
#include <tributary/magic/protocol_statistics.h>
#include <tributary/magic/software_queue.h>
#include <tributary/memory/line_memory.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of the protocol processor.
struct protocol_processor_config {
  std::uint32_t switch_cycles = 2;
  /// Cycles of its work that it does in one cycle of the controller.
  std::uint32_t speed = 1;
  /// Places of each outgoing queue that a handler gets by a promise only (FLASH 2.3.6, rule D7).
  std::uint32_t outgoing_reserve = 2;

  void bind(parameter_set& parameters);
};

/// The units of the node that a handler sees.
struct protocol_processor_units {
  inbox& in;
  outbox& out;
  const outgoing_space& outgoing;
  data_buffers& buffers;
  line_memory& memory;
  software_queue& deferred;
  idle_handler& timed;
  intervention_outlet* caches = nullptr;   ///< none: the processor has no caches
  protocol_statistics* counted = nullptr;  ///< none: what handlers count is dropped
};

/// The protocol processor (FLASH 2.3.2). It begins what the inbox selected `switch_cycles` after
/// that is ready, or when the handler before has ended if that is later, and is occupied by a
/// handler for what the handler spends and waits.
///
/// It holds handlers to the rules of FLASH 2.3.6 and to those of `handler_context`; a breach ends
/// the simulation with a `simulation_error` that names rule, handler, node and cycle.
class protocol_processor final : public block,
                                 private timed_block,
                                 private dispatch_listener,
                                 private line_reader,
                                 private prompt_controller {
 public:
  /// Everything it is given must outlive it. Throws `configuration_error` for values out of range.
  protocol_processor(const protocol_processor_config& config, agenda& time, node_id here,
                     const address_layout& addresses, const protocol_set& protocols, executor& runs,
                     const protocol_processor_units& units);
  protocol_processor(const protocol_processor&) = delete;
  protocol_processor& operator=(const protocol_processor&) = delete;

  const protocol_processor_config& config() const { return config_; }

  const char* name() const override { return "protocol_processor"; }
  /// Whether no handler runs, is about to, or is selected.
  bool idle() const override { return state_ == activity::idle && units_.in.selected() == nullptr; }
  /// Handlers that were begun, since the statistics were reset.
  std::uint64_t dispatches() const { return dispatches_.value(); }
  /// Cycles in which a handler ran or waited, since then.
  std::uint64_t busy() const { return busy_.value(); }
  /// Cycles that invocations of a handler took.
  const average& occupancy(handler_id handler) const {
    return occupancies_.at(static_cast<std::size_t>(handler));
  }

  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  enum class activity : std::uint8_t { idle, switching, running };

  TRIBUTARY_STATE(state_, running_, asked_, begun_, origin_, settled_, counted_in_, operations_,
                  owes_answer_, owes_reload_, held_, dispatches_, busy_, waited_, occupancies_,
                  messages_);

  void selected(cycle_t now) override;
  void start_read(payload_handle data, std::uint64_t offset, cycle_t now) override;
  void wake(cycle_t now, std::uint64_t tag) override;
  bool perform_at_once(const handler_request& request, handler_answer& found) noexcept override;

  void begin(cycle_t now);
  /// Performs what the handler asks for, until it has to wait.
  void run(cycle_t now);
  /// The cycle in which the handler has spent what it said before that operation.
  cycle_t due_of(const handler_request& request) const {
    return origin_ + (request.spent + config_.speed - 1) / config_.speed;
  }
  void wait_until(cycle_t at);
  /// Stops a handler that would never leave this cycle.
  void count_operation(cycle_t now);
  void end(cycle_t now);

  /// What the handler gets for its request, or nothing if it has to wait. What a unit throws gets
  /// the handler's name.
  std::optional<handler_answer> attempt(const handler_request& request, cycle_t now);

  // The operations of operations.def.
  template <class Controller>
  friend std::optional<handler_answer> perform_operation(Controller& controller,
                                                         const handler_request& request,
                                                         cycle_t now);
  void now(const handler_request&, cycle_t) {}
  std::uint64_t space(const handler_request& request, cycle_t now) const;
  void send(const handler_request& request, cycle_t now);
  void answer(const handler_request& request, cycle_t now);
  word_t keep_read(const handler_request& request, cycle_t now);
  void interrupt(const handler_request& request, cycle_t now);
  payload_handle allocate(const handler_request& request, cycle_t now);
  void retain(const handler_request& request, cycle_t now);
  void release(const handler_request& request, cycle_t now);
  std::optional<handler_answer> word(const handler_request& request, cycle_t now);
  void set_word(const handler_request& request, cycle_t now);
  void fill(const handler_request& request, cycle_t now);
  void fill_realigned(const handler_request& request, cycle_t now);
  void spill(const handler_request& request, cycle_t now);
  void spill_word(const handler_request& request, cycle_t now);
  std::optional<handler_answer> settle(const handler_request& request, cycle_t now);
  word_t load(const handler_request& request, cycle_t now) const;
  void store(const handler_request& request, cycle_t now);
  void later(const handler_request& request, cycle_t now);
  void again(const handler_request& request, cycle_t now);
  void done(const handler_request& request, cycle_t now);
  void after(const handler_request& request, cycle_t now);
  void intervene(const handler_request& request, cycle_t now);
  void count(const handler_request& request, cycle_t now);
  std::optional<handler_answer> state_reply(const handler_request& request, cycle_t now);

  /// Sends a message to the caches.
  void reply(const message& header, cycle_t now);
  intervention_outlet& caches(const char* operation) const;
  /// Sends that are left of what the handler was promised, of a lane.
  std::uint32_t promised(message_lane over) const;
  /// How many messages it may send on a lane.
  std::uint64_t room(message_lane over) const;
  /// The registers of the software queue are reloaded once by each deferred handler.
  void pay_reload();
  bool holds(payload_handle data) const;
  void require_payload(payload_handle data, const char* operation) const;
  /// One of the handler's holds on a payload ends; false if it has none.
  bool give_up(payload_handle data);
  /// Of an address of this node, or an offset already.
  std::uint64_t offset_of(std::uint64_t address) const;
  [[noreturn]] void breach(const char* rule, const std::string& fault) const;
  void tell_memory(const event_kind& kind, std::uint64_t offset, const memory_transfer& moved,
                   trace_identity identity) const;
  void keep_until_written(payload_handle data, std::uint64_t offset, const memory_transfer& moved);
  void read_line(payload_handle data, std::uint64_t offset, cycle_t now, trace_identity identity);
  /// A message that is put off, for traces: with an identity if it was made without.
  message identified(message put_off) const;

  protocol_processor_config config_;
  agenda& agenda_;
  node_id here_;
  const address_layout& addresses_;
  const protocol_set& protocols_;
  executor& executor_;
  protocol_processor_units units_;
  trace_point trace_;

  activity state_ = activity::idle;
  dispatch running_;
  handler_request asked_;
  cycle_t begun_ = 0;
  cycle_t origin_ = 0;   ///< in which the handler would have begun if it had never waited
  cycle_t settled_ = 0;  ///< in which everything that the handler spilt is in memory
  cycle_t counted_in_ = 0;
  std::uint64_t operations_ = 0;      ///< of handlers, in that cycle
  bool owes_answer_ = false;          ///< of the uncached read with which it arrived
  bool owes_reload_ = false;          ///< of the registers of the software queue
  std::uint64_t messages_ = 0;        ///< sent so far
  std::vector<payload_handle> held_;  ///< buffers that end with the handler, the arrived first

  counter dispatches_;
  counter busy_;
  counter waited_;
  std::vector<average> occupancies_;  ///< by handler
};

}  // namespace tributary
