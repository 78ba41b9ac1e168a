// SPDX-License-Identifier: Apache-2.0
// The controller's side of the processor: uncached loads, stores and fetch-and-phi operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/magic/outbox.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Where a range of the processor's addresses leads, and what its pages say of an access to it
/// (FLASH 3.1, 4.1.1).
struct address_window {
  std::uint64_t base = 0;    ///< of the processor's addresses, a multiple of 8
  std::uint64_t size = 0;    ///< bytes, a multiple of 8
  std::uint64_t target = 0;  ///< where `base` leads: 40 bits, node, space and offset
  bool own_node = false;     ///< the node of `target` is this one, whatever it says
  std::uint32_t flavor = 0;
  std::uint32_t process = 0;

  void bind(parameter_set& parameters);
};

/// Configuration of the processor interface.
struct processor_interface_config {
  std::uint32_t outstanding = 4;
  std::uint32_t queue = 8;
  std::uint32_t bus = 1;
  std::uint32_t inbound = 1;
  std::uint32_t outbound = 4;
  std::uint32_t interrupt = 8;
  /// None: the processor's addresses are the machine's, of flavor 0 and process 0.
  std::vector<address_window> windows;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for windows that overlap or do not fit the layout.
  void validate(const address_layout& layout, std::uint32_t nodes) const;
};

/// Uncached accesses of one processor, in its order (FLASH 2.2.1, 2.3.3).
///
/// Each becomes a message of common_type::uncached_read, uncached_write or uncached_operation with
/// origin processor, which the inbox finds `bus` + `inbound` cycles later. A load is a read. A
/// posted store is a write: it carries its doubleword as word 0 of a data buffer, which it may have
/// to wait for, and is complete `bus` cycles after it was asked for, but outstanding until the
/// inbox takes it. Every other function is an operation: it carries its form as `aux` and its
/// operands a and b as words 0 and 1 of a data buffer (a line if b is not 0). Reads and operations
/// are outstanding until their answer has reached the processor. An operation and any access to its
/// word that comes before or after it keep their order: the later waits for the earlier's answer.
class processor_interface final : public block,
                                  public processor_port,
                                  public answer_outlet,
                                  private processor_queue_client,
                                  private timed_block {
 public:
  /// References must outlive it; it becomes a client of `queue`. `nodes`: of the machine.
  /// Throws `configuration_error` for values out of range.
  processor_interface(const processor_interface_config& config, agenda& when,
                      const address_layout& layout, node_id here, std::uint32_t nodes,
                      processor_queue& queue);

  const processor_interface_config& config() const { return config_; }

  /// Some handler performs functions beyond loads and posted stores.
  void perform_operations() { operations_ = true; }

  // processor_port. Elements share it without being told apart but by their completions.
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element = 0) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element = 0) const override;
  std::size_t outstanding(std::size_t element = 0) const override;

  /// The message as which an access would come to the inbox, without tag and payload. Throws
  /// `simulation_error` if it is not of a word at a multiple of 8, outside every window, or of a
  /// function that no handler performs.
  message translate(const access& request) const;

  /// Ends an outstanding read or operation; it is complete for the processor `outbound` cycles
  /// after `from`. Throws `simulation_error` unless the inbox took one with this tag, and this is
  /// its answer.
  void answer(std::uint8_t tag, word_t value, cycle_t from) override;

  /// Who serves the processor's interrupts; null for none.
  void set_interrupt_client(interrupt_client* client) { interrupted_ = client; }
  /// A handler raises a line; the processor vectors `interrupt` cycles after `from`.
  void interrupt(std::uint32_t line, cycle_t from) override;

  const char* name() const override { return "processor_interface"; }
  /// Whether nothing is outstanding.
  bool idle() const override { return outstanding_ == 0; }

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  /// Of the processor's accesses, once it has one.
  track_id track() const { return trace_.track(0); }
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  enum class stage : std::uint8_t { free, queued, handled, answered };
  struct entry {
    stage at = stage::free;
    bool write = false;  // else it wants an answer
    bool has_payload = false;
    pe_id element{};
    std::uint64_t tag = 0;  // of the client
    cycle_t request = 0;
    word_t value = 0;  // of the write, operand a of the operation, of the answer
    message header;

    TRIBUTARY_STATE(at, write, has_payload, element, tag, request, value, header);
  };

  void wake(cycle_t now, std::uint64_t wakeup) override;

  TRIBUTARY_STATE(accesses_, outstanding_, reads_, writes_, fetch_ops_, full_, read_latency_,
                  outstanding_seen_);

  // processor_queue_client
  bool must_wait(const message& first) const override;
  void taken(const message& sent, cycle_t now) override;
  void room(cycle_t now) override;

  void tell(const event_kind& kind, const entry& access, cycle_t now, cycle_t last) const;
  [[noreturn]] void fail(const std::string& problem) const;

  processor_interface_config config_;
  agenda& agenda_;
  address_layout layout_;
  node_id here_;
  std::uint32_t nodes_;
  processor_queue& queue_;
  std::uint8_t self_;  // among the clients of the queue
  memory_client* client_ = nullptr;
  interrupt_client* interrupted_ = nullptr;
  bool operations_ = false;
  trace_point trace_;

  std::vector<entry> accesses_;  // by tag
  std::uint32_t outstanding_ = 0;

  counter reads_;
  counter writes_;
  counter fetch_ops_;
  counter full_;
  average read_latency_;
  average outstanding_seen_;
};

}  // namespace tributary
