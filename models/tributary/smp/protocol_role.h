// SPDX-License-Identifier: Apache-2.0
// The role of the protocol processor in time: who takes it, runs handlers in it and leaves it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/jump_table.h>
#include <tributary/controller/schedule.h>
#include <tributary/nic/interrupt_arbiter.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/smp/message_gate.h>
#include <tributary/smp/protocol_thread.h>
#include <tributary/smp/role_services.h>
#include <tributary/smp/smp_node_config.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// The processors, as the role sees them.
class role_processors {
 public:
  /// The processor's program goes on behind what it waits for, with the value.
  virtual void go_on(std::uint32_t processor, word_t value, cycle_t now) = 0;
  /// Does the access again for which the processor asked; nothing if it is still forbidden.
  virtual std::optional<word_t> try_again(std::uint32_t processor) = 0;
  /// Asks for it once more, by `protocol_role::request`.
  virtual void ask_again(std::uint32_t processor, cycle_t now) = 0;
  /// Stops its program; `protocol_role::delivered` follows.
  virtual void interrupt(std::uint32_t processor, cycle_t now) = 0;

 protected:
  ~role_processors() = default;
};

/// What waits for a handler in a node, first come, first served, and the processor that acts, by
/// the node's `schedule`. Its times are the constants of level Q (`schedule_costs`), but for those
/// of accesses where `role_services` are set (level B).
///
/// A processor that was interrupted and finds that another one acts, or that nothing waits, goes
/// back to its program.
class protocol_role final : public block,
                            public message_taker,
                            public protocol_thread_client,
                            private timed_block {
 public:
  /// References must outlive it.
  protocol_role(const smp_node_config& config, agenda& time, node_id here, const jump_table& table,
                protocol_thread& thread, const random_stream& draws);

  void set_processors(role_processors& processors) { processors_ = &processors; }
  void set_services(role_services& services) { services_ = &services; }
  /// Who is told that the handler of a message begins.
  void set_gate(message_gate& gate) { gate_ = &gate; }
  const schedule& duties() const { return schedule_; }
  /// Interrupts of processors that computed.
  std::uint64_t interrupts() const { return interrupts_.value(); }
  /// Measured cycles up to and including `last` in which a processor had a duty.
  std::uint64_t cycles_at(std::uint32_t processor, processor_duty duty, cycle_t last) const;
  /// What processors wait for, a line each; empty if none does.
  std::string open_requests() const;
  /// Of a processor, in traces.
  track_id track(std::uint32_t processor) const { return trace_.track(processor); }

  /// A processor asks for what a handler does, by a message with its number as the tag.
  void request(std::uint32_t processor, const message& header, cycle_t now);
  /// The program of an interrupted processor has stopped.
  void delivered(std::uint32_t processor, cycle_t now);
  /// A processor has nothing to compute from here on.
  void rest(std::uint32_t processor, cycle_t now);
  /// The programs do not go on from the next cycle on: what is under way ends, and who has nothing
  /// under way rests.
  void stop(cycle_t now);
  /// It has; `go_on` follows when it does not act any more.
  void work(std::uint32_t processor, cycle_t now);

  /// What was begun at the `role_services` with this tag has ended.
  void served(std::uint64_t tag, cycle_t now) { wake(now, tag); }

  // message_taker
  void arrived(const network_message& message, cycle_t now) override;
  // protocol_thread_client
  void answered(std::uint8_t tag, word_t value, cycle_t now) override;
  void line_came(std::uint8_t tag, cycle_t now) override;
  void put_off(handler_id run, const message& with, cycle_t now) override;
  void handler_ended(cycle_t now) override;

  const char* name() const override { return "role"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// What waits for a handler.
  struct entry {
    message header;
    cycle_t since = 0;
    handler_id run = no_handler;  ///< of a handler that was put off; else the jump table says it

    TRIBUTARY_STATE(header, since, run);
  };
  /// A processor's request and its answer.
  struct own_request {
    message header;
    bool open = false;
    bool is_answered = false;
    bool asks_again = false;  ///< what it got is not enough
    word_t value = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(header, open, is_answered, asks_again, value, since);
  };
  struct processor_state {
    own_request own;
    bool rests = false;       ///< its program has nothing to compute, whatever it waits for
    bool works_next = false;  ///< it acts while it rests, and shall not rest any more
    cycle_t duty_since = 0;
    std::vector<counter> cycles;  ///< by duty
    counter interrupts;

    TRIBUTARY_STATE(own, rests, works_next, duty_since, cycles, interrupts);
  };

  TRIBUTARY_STATE(schedule_, arbiter_, queue_, all_, draws_, starting_, measured_from_, interrupts_,
                  withdrawn_, in_vain_, taken_, moved_, runs_, waits_, lengths_, round_trips_,
                  again_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void wake_at(cycle_t at, std::uint64_t kind, std::uint32_t processor);
  /// Does a service, of so many cycles beyond its accesses, and then what `kind` says.
  void serve(role_service what, std::uint64_t cycles, std::uint64_t kind, std::uint32_t processor,
             cycle_t now);
  /// To its program.
  void come_back(std::uint32_t processor, cycle_t now);
  void let_all_rest(cycle_t now);
  bool is_fixed() const { return config_.schedule == schedule_kind::fixed; }
  std::uint64_t varied(std::uint64_t cycles) { return config_.costs.variation.of(cycles, draws_); }

  schedule_action on(schedule_event event, std::uint32_t processor, cycle_t now);
  /// The schedule's, whose errors name node and cycle then.
  schedule_action step(schedule_event event, std::uint32_t processor, cycle_t now);
  void push(const message& header, cycle_t now, handler_id run = no_handler);
  handler_id handler_of(const entry& waiting) const;
  /// Finds somebody who acts, if something waits and nobody does.
  void look(cycle_t now);
  void take_role(std::uint32_t processor, cycle_t now);
  /// Runs the handler of what waits longest, or finds that nothing waits.
  void run_next(std::uint32_t processor, cycle_t now);
  void start_handler(cycle_t now);
  /// What a processor has asked for, a block or an uncached access. Throws `simulation_error` if it
  /// has not.
  own_request& asked_by(std::uint8_t tag, bool for_block, cycle_t now);
  static void take_answer(own_request& own, word_t value);
  /// Ends the request of a processor whose answer is there.
  void end_request(std::uint32_t processor, cycle_t now);
  void end_other_requests(std::uint32_t acting, cycle_t now);
  /// It goes back to its program, in so many cycles beyond its accesses.
  void leave(std::uint32_t processor, role_service how, std::uint64_t until_back, cycle_t now);
  /// Cycles before `until` in which a processor was at what it is at, of those that statistics
  /// count: they begin behind the last cycle before the measurement.
  std::uint64_t measured(const processor_state& of, cycle_t until) const;
  /// Of an interrupt's return, with the cycle in which the program goes on; that in which it
  /// stopped is one of the delivery's.
  std::uint64_t return_cycles() const {
    return config_.costs.interrupt - std::max<std::uint64_t>(config_.costs.delivery(), 1) + 1;
  }

  const smp_node_config& config_;
  agenda& agenda_;
  node_id here_;
  const jump_table& table_;
  protocol_thread& thread_;
  role_processors* processors_ = nullptr;
  role_services* services_ = nullptr;
  message_gate* gate_ = nullptr;
  trace_point trace_;

  schedule schedule_;
  interrupt_arbiter arbiter_;
  fifo<entry> queue_;
  std::vector<processor_state> all_;
  random_stream draws_;
  bool starting_ = false;  ///< who acts takes the role or begins a handler
  cycle_t measured_from_ = 0;

  counter interrupts_;
  counter withdrawn_;
  counter in_vain_;
  counter taken_;
  counter moved_;
  counter runs_;
  average waits_;
  average lengths_;
  average round_trips_;
  counter again_;
};

}  // namespace tributary
